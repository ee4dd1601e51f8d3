"""R15 on sentences of five trades: what says otherwise is found, and what says the same is not.

Each pair is a quote and a statement. They were written before the lists of words were looked at;
at the first run 22 of 30 false ones were refused, 2 more were marked as concluded, and 25 of 30
true ones passed.
"""

from __future__ import annotations

import pytest

from streams.reflection.comparing import find_differences
from streams.reflection.passage import Passage

REFUSED = [
    (
        "The container must be released within 48 hours after customs clearance.",
        "The container must be released within 84 hours after customs clearance.",
    ),
    (
        "A reefer may be stacked four high on deck.",
        "A reefer must be stacked four high on deck.",
    ),
    (
        "The harbour pilot reports the draught to the terminal.",
        "The terminal reports the draught to the harbour pilot.",
    ),
    (
        "Bills of lading are never altered after sailing.",
        "Bills of lading are altered after sailing.",
    ),
    (
        "The carrier charges 12 euros per pallet.",
        "The carrier charges 12 dollars per pallet.",
    ),
    (
        "Hazardous goods shall be declared at least ten days before loading.",
        "Hazardous goods shall be declared at most ten days before loading.",
    ),
    (
        "The nurse confirms the dose before the pump starts.",
        "The nurse confirms the dose after the pump starts.",
    ),
    (
        "Each patient receives 5 mg of the drug per day.",
        "Each patient receives 5 g of the drug per day.",
    ),
    (
        "Appointments can be cancelled up to 24 hours ahead without a fee.",
        "Appointments can be cancelled up to 24 hours ahead with a fee.",
    ),
    (
        "Test results are not shown to the patient before a doctor has read them.",
        "Test results are shown to the patient before a doctor has read them.",
    ),
    (
        "The clinic in Lyon keeps records for twenty years.",
        "The clinic in Lyon keeps records for thirty years.",
    ),
    (
        "Transfers above 10,000 EUR need a second approval.",
        "Transfers above 100,000 EUR need a second approval.",
    ),
    (
        "Transfers above 10,000 EUR need a second approval from the branch.",
        "Transfers below 10,000 EUR need a second approval from the branch.",
    ),
    (
        "The overdraft rate rises by 0.5 percent in March.",
        "The overdraft rate falls by 0.5 percent in March.",
    ),
    (
        "Cards are blocked after three wrong PINs.",
        "Cards are blocked after five wrong PINs.",
    ),
    (
        "The bank should notify the customer when a loan is denied.",
        "The bank should notify the customer when a loan is approved.",
    ),
    (
        "Savings accounts no longer accept cash deposits.",
        "Savings accounts accept cash deposits.",
    ),
    (
        "Monteverde Bank acquired Halden Trust last spring.",
        "Halden Trust acquired Monteverde Bank last spring.",
    ),
    (
        "The server allows a maximum of 64 players per match.",
        "The server allows a minimum of 64 players per match.",
    ),
    (
        "The matchmaker should prefer players from the same region.",
        "The matchmaker should avoid players from the same region.",
    ),
    (
        "Loot boxes are disabled in Belgium.",
        "Loot boxes are enabled in Belgium.",
    ),
    (
        "Frame rate drops from 60 to 25 fps on older phones.",
        "Frame rate drops from 60 to 52 fps on older phones.",
    ),
    (
        "The irrigation valve opens when soil moisture is lower than 20 percent.",
        "The irrigation valve opens when soil moisture is higher than 20 percent.",
    ),
    (
        "The tractor sends its position every 30 seconds.",
        "The tractor sends its position every 30 minutes.",
    ),
    (
        "Milk above 6 degrees must be rejected by the dairy.",
        "Milk above 6 degrees must be accepted by the dairy.",
    ),
    (
        "We probably will not plant rye next season.",
        "We will plant rye next season.",
    ),
    (
        "No farm is allowed to spray within 15 metres of a well.",
        "Farms are allowed to spray within 15 metres of a well.",
    ),
]
CONCLUDED = [
    (
        "Only doctors can prescribe opioids.",
        "Nurses can prescribe opioids.",
    ),
    (
        "Players lose all items when they die in hardcore mode.",
        "Players keep all items when they die in hardcore mode.",
    ),
    (
        "Ines thinks the drone could replace the weekly field walk.",
        "The drone replaces the weekly field walk.",
    ),
]
TRUE = [
    (
        "The container must be released within 48 hours after customs clearance.",
        "Containers must be released within two days after customs clearance.",
    ),
    (
        "A reefer may be stacked four high on deck.",
        "Reefers can be stacked up to 4 high on deck.",
    ),
    (
        "The harbour pilot reports the draught to the terminal.",
        "The draught is reported to the terminal by the harbour pilot.",
    ),
    (
        "Bills of lading are never altered after sailing.",
        "Bills of lading must not be altered after sailing.",
    ),
    (
        "The carrier charges €12 per pallet.",
        "The carrier charges 12 EUR for each pallet.",
    ),
    (
        "Hazardous goods shall be declared at least ten days before loading.",
        "Hazardous goods must be declared no later than 10 days before loading.",
    ),
    (
        "The nurse confirms the dose before the pump starts.",
        "The pump starts only after the nurse confirms the dose.",
    ),
    (
        "Each patient receives 5 mg of the drug per day.",
        "Patients receive 5 milligrams of the drug daily.",
    ),
    (
        "Appointments can be cancelled up to 24 hours ahead without a fee.",
        "Cancelling an appointment is free until 24 hours ahead.",
    ),
    (
        "Test results are not shown to the patient before a doctor has read them.",
        "A doctor reads test results before they are shown to the patient.",
    ),
    (
        "The clinic in Lyon keeps records for twenty years.",
        "Records are kept for 20 years by the Lyon clinic.",
    ),
    (
        "Only doctors can prescribe opioids.",
        "Opioids can be prescribed by doctors only.",
    ),
    (
        "Transfers above 10,000 EUR need a second approval.",
        "A second approval is required for transfers over EUR 10 000.",
    ),
    (
        "It is forbidden to store the PIN on the terminal.",
        "The PIN must not be stored on the terminal.",
    ),
    (
        "The overdraft rate rises by 0.5 percent in March.",
        "In March the overdraft rate increases by 0.5%.",
    ),
    (
        "Cards are blocked after three wrong PINs.",
        "A card is blocked after 3 wrong PINs.",
    ),
    (
        "The bank should notify the customer when a loan is denied.",
        "Customers should be notified by the bank when their loan is denied.",
    ),
    (
        "Savings accounts no longer accept cash deposits.",
        "Cash deposits are not accepted for savings accounts any more.",
    ),
    (
        "Monteverde Bank acquired Halden Trust last spring.",
        "Halden Trust was acquired by Monteverde Bank last spring.",
    ),
    (
        "Players lose all items when they die in hardcore mode.",
        "In hardcore mode, players lose all items on death.",
    ),
    (
        "The server allows a maximum of 64 players per match.",
        "At most 64 players per match are allowed by the server.",
    ),
    (
        "The matchmaker should prefer players from the same region.",
        "Matchmaking should prefer players of the same region.",
    ),
    (
        "Loot boxes are disabled in Belgium.",
        "Loot boxes are turned off in Belgium.",
    ),
    (
        "Frame rate drops from 60 to 25 fps on older phones.",
        "On older phones the frame rate drops to 25 fps.",
    ),
    (
        "The irrigation valve opens when soil moisture is lower than 20 percent.",
        "When soil moisture is below 20 %, the irrigation valve opens.",
    ),
    (
        "Milk above 6 degrees must be rejected by the dairy.",
        "The dairy must reject milk warmer than 6 degrees.",
    ),
    (
        "We will not plant rye next season.",
        "No rye will be planted next season.",
    ),
    (
        "Ines thinks the drone could replace the weekly field walk.",
        "According to Ines, the drone could replace the weekly field walk.",
    ),
    (
        "No farm is allowed to spray within 15 metres of a well.",
        "Farms must not spray within 15 m of a well.",
    ),
]


@pytest.mark.parametrize(("quote", "statement"), REFUSED)
def test_a_false_statement_is_refused(quote: str, statement: str):
    assert any(it.is_grave for it in find_differences(statement, Passage(quote)))


@pytest.mark.parametrize(("quote", "statement"), CONCLUDED)
def test_what_is_not_quoted_is_concluded(quote: str, statement: str):
    assert find_differences(statement, Passage(quote))


@pytest.mark.parametrize(("quote", "statement"), TRUE)
def test_a_true_paraphrase_is_quoted(quote: str, statement: str):
    assert find_differences(statement, Passage(quote)) == []
