"""What an author rejects, doubts, quotes or reports of others is no requirement of the project,
and what he only puts beside such words is one still.
"""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from tests.reading.documents import a_chunk

OWN = "The depot must seal each parcel with red wax."
BINDING = ("requirement", "decision", "action_item")


def told_binding(text: str) -> list[str]:
    """The titles of what is read as binding in ``text``, which stands beside ``OWN``."""
    chunk = a_chunk(f"# Depot\n\n{text}\n\n## Sealing\n\n{OWN}\n", "docs/depot.md", start=0, line=1)
    atoms = [it for it in extract(chunk) if it.kind in BINDING]
    assert any("red wax" in it.title for it in atoms)
    return [it.title for it in atoms if "red wax" not in it.title]


LABELLED = [
    "Declined: the lift must carry two carts.",
    "**Not accepted:** The lift must carry two carts.",
    "Proposal (nobody has agreed): the lift must carry two carts.",
    "Suggestion – the lift must carry two carts.",
    "- Idea: the lift must carry two carts.\n- Idea: the lift must sing.",
    "Alternative considered: the lift must carry two carts.",
    "Won't do: the lift must carry two carts.",
    "Decided against: the lift must carry two carts.",
    "[Not agreed] The lift must carry two carts.",
    "The lift must carry two carts. (rejected in May)",
    "## Options we discarded\n\n- The lift must carry two carts.",
    "## Ideas, not agreed\n\n- The lift must carry two carts.",
    "| Rule | Agreed |\n|---|---|\n| The lift must carry two carts | no |",
    "Verworfen: der Aufzug muss zwei Karren tragen.",
    "Descartado: el montacargas debe llevar dos carros.",
    "Agreed: the depot has red wax.\n\nDismissed: the lift must carry two carts.",
]
REPORTED = [
    "The salesman says that the lift must be oiled twice a day.",
    "A leaflet of the maker states that the lift must be oiled twice a day.",
    "Many people mistakenly think the lift must be oiled twice a day.",
    "According to the maker's leaflet, the lift must be oiled twice a day.",
    "Supposedly the lift must be oiled twice a day.",
    "The lift must be oiled twice a day, claims the vendor.",
    "It is often said that the lift must be oiled twice a day.",
    "The lift allegedly has to be oiled twice a day.",
    "In a forum somebody wrote that the lift must be oiled twice a day.",
    "There is a rumour that the lift must be oiled twice a day.",
    "The consultant insisted that the lift must be oiled twice a day, which is nonsense.",
    "The maker sent a leaflet. It says that the lift must be oiled twice a day.",
    "Der Hersteller behauptet, dass der Aufzug zweimal am Tag geölt werden muss.",
    "Según el fabricante, el montacargas debe engrasarse dos veces al día.",
]
QUOTED = [
    'The vendor wrote: "The lift must be oiled twice a day. The rope must be blue."',
    "> The vendor wrote:\n> The lift must be oiled twice a day.",
    "> From: sales@lifts.example\n>\n> The lift must be oiled twice a day.",
    "> The lift must be oiled twice a day.\n>\n> — a reviewer of the lift",
    "The maker's letter reads:\n\n> The lift must be oiled twice a day.",
    "“The lift must be oiled twice a day,” says the vendor's web site.",
    "## Letter from the supplier\n\nThe lift must be oiled twice a day.",
    "## What the competitors say\n\n- The lift must be oiled twice a day.",
    "In the words of a blogger: «The lift must be oiled twice a day.»",
    "The leaflet tells its reader: 'The lift must be oiled twice a day.'",
]
DENIED = [
    "I don't believe that the lift must have a bell.",
    "We doubt whether the lift must have a bell.",
    "It is a myth that the lift must have a bell.",
    "Nobody asked that the lift must have a bell.",
    "There is no need for the lift to have a bell.",
    "It would be wrong to say that the lift must have a bell.",
    "That the lift must have a bell is simply false.",
    "We never agreed that the lift must have a bell.",
    "No law says that the lift must have a bell.",
    "It isn't the case that the lift must have a bell.",
    "The claim that the lift must have a bell is unfounded.",
    "Es stimmt nicht, dass der Aufzug eine Klingel haben muss.",
]
UNDECIDED = [
    "It has not been decided whether the lift must have a bell.",
    "We are still discussing whether the lift should have a bell.",
    "Perhaps the lift should have a bell.",
    "The lift must have a bell (to be confirmed).",
    "The lift must have a bell, but that is not agreed yet.",
    "TBD: the lift must have a bell.",
    "It is open whether the lift must have a bell.",
    "Under discussion: the lift must have a bell.",
    "## Not decided yet\n\n- The lift must have a bell.",
    "Somebody suggested that the lift must have a bell.",
    "Ob der Aufzug eine Klingel haben muss, ist noch offen.",
]
FORMER = [
    "Formerly the lift had to be oiled by hand.",
    "The lift used to need a key.",
    "In the old depot, each clerk must sign a paper list.",
    "The lift no longer has to be oiled by hand.",
    "Until version 2 the lift was required to stop at each floor.",
    "Clerks used to be required to sign each label.",
    "Before the move, drivers had to weigh each parcel.",
    "The previous contract demanded that the lift must stop at each floor.",
    "Back then the lift had to stop at each floor.",
    "Drivers need no longer sign each label.",
]
OTHERS = [
    "Unlike their lift, which must be oiled daily, ours runs dry.",
    "The competitor's lift must be oiled daily.",
    "Other depots' lifts must be oiled daily, ours are dry.",
    "Their product must be oiled daily.",
    "In contrast to FastPost, whose drivers must pay for fuel, we pay for it.",
    "Competing depots must close at noon.",
    "A rival product must be oiled daily.",
    "Compared with hand carts, which need to be pushed by two clerks, belts are quick.",
    "While our competitor's lift needs to be oiled daily, ours does not.",
    "The lift of a competitor has to be oiled daily.",
]
SUPPOSED = [
    "If we had a second hall, the lift would have to be wider.",
    "If we sold to ports, the lift would have to be stronger.",
    "Suppose the lift must carry a car.",
    "Imagine that each clerk must sing.",
    "Had we bought the small lift, drivers would have to climb.",
    "If the lift were made of glass, it would need to be cleaned daily.",
    "In an ideal world, the lift must carry a car.",
    "Let us pretend that the lift must carry a car.",
    "Were the depot on a hill, the lift would have to be stronger.",
    "The lift must sing an opera at dawn /s",
    "The lift must sing an opera at dawn (just kidding).",
]
LETTERS = [
    "> Dear team,\n>\n> Your lift must carry two carts. You must oil it daily.\n>\n"
    "> Kind regards,\n> Ann Orr, Sales, RopeWorks Ltd",
    "> Hello all,\n> the lift must have a bell.\n> Best regards\n> Tom Ash\n"
    "> Account Manager, Liftco",
    "## Mail of 3 May\n\nDear Ms Roe,\n\n"
    "your lift must be oiled twice a day. You should order our oil.\n\nSincerely,\n"
    "Paul Grey\nHead of Sales, Oilmann GmbH",
    "Hi Lena,\n\nthe depot must buy the new rope by June.\n\nBest wishes,\nMo from RopeWorks",
    "```\nDear customer,\nthe lift must be checked every month.\nYours faithfully\n"
    "Liftco Support\n```",
    "> Sehr geehrte Damen und Herren,\n>\n"
    "> Ihr Aufzug muss zweimal am Tag geölt werden.\n>\n> Mit freundlichen Grüßen\n"
    "> Karl Ohm, Vertrieb, Ölmann GmbH",
    "> Good morning,\n>\n"
    "> we think you need to carry two carts at once. The lift must have a lamp.\n>\n"
    "> Thanks and regards,\n> Ida Poe | Business Development | LampWorld Inc.",
    "Dear Depot team,\n\nThank you for your call.\n\n- The lift must have a bell.\n"
    "- You must sign the offer by Friday.\n\nWith kind regards\n\nR. Stone\n"
    "Sales Director",
    "> To whom it may concern,\n> your drivers must wear our gloves.\n> Cheers,\n> Gil, GloveHouse",
    "> Estimado equipo:\n>\n> El montacargas debe engrasarse dos veces al día.\n>\n"
    "> Saludos cordiales,\n> Eva Ruiz, Ventas, Aceites SA",
    "> Dear team, your lift must be red. You must reply by Friday. Kind regards, N. Orr, Sales",
]
ALONE = [
    "Tom thinks that the lift must have a bell; the rest of us disagree.",
    "Tom thinks that the lift must have a bell. The others disagree.",
    "Mia wants the lift to have a bell, but nobody else does.",
    "That the lift must have a bell was Tom's idea, we did not follow it.",
    "Tom believes each clerk must sign. We do not.",
    "In Mia's opinion the lift should have a bell; nobody shares it.",
    "The lift must have a bell, says Tom, but the team disagrees.",
    "Tom argued that the lift must have a bell. The others object.",
    "Mia would like that the lift must stop at each floor, the others are against it.",
    "The lift must have a bell. That was Tom's idea and we did not follow it.",
]
PRODUCTS = [
    "FastPost requires its drivers to sign each parcel.",
    "In FastPost every driver must sign each parcel.",
    "Their app needs a licence key for each clerk.",
    "With ParcelHub, users must log in again every hour.",
    "ParcelHub users must log in again every hour.",
    "ParcelHub's clients have to pay per parcel.",
    "At Liftco each customer must wear a helmet.",
    "Their system requires each clerk to sign in twice.",
    "FastPost forces its clerks to print each label.",
    "In Trello every user must confirm each change.",
    "Users of ParcelHub must log in every hour.",
    "In BoxPilot you must confirm each order.",
    "Notion requires its users to confirm their address.",
]
OWNED = [
    "The customer says the lift must carry two carts.",
    "The law requires that the lift must carry two carts.",
    "The standard says that the lift must carry two carts.",
    "RFC 2119 says that the lift must carry two carts.",
    "We agreed that the lift must carry two carts.",
    "The board decided that the lift must carry two carts.",
    "Regulation (EU) 2014/33 states that the lift must carry two carts.",
    "The lift must report that the vendor's key is wrong.",
    "The lift must reject carts that are not agreed.",
    "The lift must tell the driver if the vendor says that a cart is lost.",
    "Unlike the old lift, the new lift must carry two carts.",
    "Unlike the old lift, which had to be oiled daily, the new lift must carry two carts.",
    "Contrary to the leaflet, the lift must carry two carts.",
    "The lift must no longer stop at the cellar.",
    "Until May the lift must carry two carts.",
    "If the clerk is away, the lift must carry two carts.",
    "Agreed: the lift must carry two carts.",
    "The lift must show whether a parcel is accepted, rejected or undecided.",
    "Decision: the lift must carry two carts.",
    "> **Note** The lift must carry two carts.",
    'The lift must show "The cart is full" to the driver.',
    "The vendor must deliver a lift that carries two carts.",
    "Suppliers must say that their rope is new.",
    "Nobody must open the lift while it moves.",
    "The users told us that the lift must carry two carts.",
    "The product owner insists that the lift must carry two carts.",
    "According to the contract, the lift must carry two carts.",
    "The lift must warn the clerk, who may believe that the cart is empty.",
    "Rejected parcels must be sent back within two days.",
    "Proposals must be answered within two days.",
    "Ideas of customers must be kept for two years.",
    "The previous clerk must sign before the next one starts.",
    "Former clerks must give their keys back.",
    "Contrary to what the vendor says, the lift must carry two carts.",
    "Contrary to the forum post, the lift must not carry two carts.",
    "If the vendor says that a cart is lost, the lift must stop.",
    "Although the vendor claims otherwise, the lift must carry two carts.",
    "When people think that the lift is full, it must carry one more cart.",
    "Unlike checkboxes, of radio buttons users must choose one only.",
    "For questions that a clerk asks, the depot must answer within a day.",
    "Insurance claims must be filed within a week.",
]

STILL_OWNED = [
    "The standard says that the plug must withstand 16 A.",
    "The norm says that the lamp withstands 5 V.",
    "The directive says that the rope must be 3 m long.",
    "The regulation says that the hook withstands 40 N.",
    "Users who doubt a bill must be able to ask for a copy.",
    "Customers who claim that a parcel is lost must be able to upload a photo.",
    "Operators who believe that the lift is full must be able to stop it.",
    "Clerks who dispute a weight must be able to weigh the parcel again.",
    "A customer who thinks that the price is wrong must be able to object.",
    "People who dispute a charge must be able to write to the depot.",
    "Depot requires its drivers to sign each parcel.",
    "In Depot every driver must sign each parcel.",
    "With Depot, users must log in again every hour.",
    "Depot users must log in again every day.",
    "Tom thinks that the lift must have a bell, and we agree.",
    "Mia wants a bell. The lift must have a bell.",
    "The lift must have a bell. It was Tom's idea and we followed it.",
    "In January every clerk must sign the list.",
    "At Christmas each clerk must wear a hat.",
    "In PostgreSQL every table must have a primary key.",
    "The API requires its clients to send a token.",
    "With Docker, the depot must start in a minute.",
    "> Note: the lift must carry two carts.",
    'The letter must begin with "Dear customer" and end with "Kind regards".',
    "Android users must be able to log in with a code.",
    "In Germany every driver must carry a licence.",
    "In Lyon every driver must carry a licence.",
    "The lift must carry two carts, the others one.",
    "Some drivers do not sign, but each driver must sign.",
    "Hi all,\n\nthe lift must carry two carts.\n\nThanks,\nAnna",
    "Dear team,\n\nthe lift must carry two carts.\n\nKind regards,\n"
    "Jo Bell, Customer Ltd, our client",
    "Security requires its staff to lock the door.",
    "The plug must withstand 5 V. It is red.",
]


@pytest.mark.parametrize(
    "text",
    [
        *LABELLED,
        *REPORTED,
        *QUOTED,
        *DENIED,
        *UNDECIDED,
        *FORMER,
        *OTHERS,
        *SUPPOSED,
        *LETTERS,
        *ALONE,
        *PRODUCTS,
    ],
)
def test_what_its_author_does_not_own_binds_nobody(text: str) -> None:
    assert told_binding(text) == []


@pytest.mark.parametrize("text", [*OWNED, *STILL_OWNED])
def test_what_its_author_owns_binds_whatever_stands_beside_it(text: str) -> None:
    assert told_binding(text)
