"""Words alone do not merge: pairs of sentences, and what becomes of each in the ledger."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.ledger.likeness.agreement import agreement
from streams.ledger.opposition.duplicates import likeness
from tests.ledger.story import Chunk, a_run, judged, story

Fate = Literal["merge", "ask", "apart", "kept"]  # kept: apart or asked about, never merged

ROLES = [
    ("The invoice worker notifies the ledger worker about each payment.",
     "The ledger worker notifies the invoice worker about each payment."),
    ("Backups are copied from the Oslo vault to the Bergen vault.",
     "Backups are copied from the Bergen vault to the Oslo vault."),
    ("The schema is migrated before the indexes are rebuilt.",
     "The indexes are rebuilt before the schema is migrated."),
    ("The owner of the tenant is the manager of the account.",
     "The manager of the tenant is the owner of the account."),
    ("The edge gateway trusts the tokens of the core gateway.",
     "The core gateway trusts the tokens of the edge gateway."),
    ("Reads are slower than writes on the archive tier.",
     "Writes are slower than reads on the archive tier."),
    ("The scheduler must notify the operators when a job is lost.",
     "The scheduler must be notified by the operators when a job is lost."),
    ("The parser is called by the linter and calls the formatter.",
     "The parser calls the linter and is called by the formatter."),
    ("Drafts are replaced by reviewed texts at night.",
     "Reviewed texts are replaced by drafts at night."),
    ("If the cache is cold, the index is warm.", "If the index is cold, the cache is warm."),
    ("The calling service holds the lock of the called service.",
     "The called service holds the lock of the calling service."),
    ("All editors can open some reports of the board.",
     "Some editors can open all reports of the board."),
]  # fmt: skip
PARTICULARS = [
    ("The sensor of the outdoor station draws at most 5 mW from the battery of the case.",
     "The sensor of the outdoor station draws at most 5 MW from the battery of the case.", "apart"),
    ("The lookup of an unknown tenant returns null to the caller of the gateway library.",
     "The lookup of an unknown tenant returns zero to the caller of the gateway library.", "ask"),
    ("Finding AUD-2031-114 must be closed by the platform team.",
     "Finding AUD-2031-115 must be closed by the platform team.", "apart"),
    ("RFC 6455 describes how the socket is opened by the client.",
     "RFC 8441 describes how the socket is opened by the client.", "apart"),
    ("The exporter reads its targets from /etc/exporter/main.yml at start.",
     "The exporter reads its targets from /etc/exporter/test.yml at start.", "apart"),
    ("Set QUEUE_LIMIT before the worker is started by the supervisor.",
     "Set QUEUE_GRACE before the worker is started by the supervisor.", "apart"),
    ("The bug came with commit 9f31c0de and was seen on all runners.",
     "The bug came with commit 7ab2290f and was seen on all runners.", "apart"),
    ("The agent of release 4.10 drops spans that have no parent.",
     "The agent of release 4.1 drops spans that have no parent.", "apart"),
    ("A session ends after 15 minutes without any request of its user.",
     "A session ends after 15 hours without any request of its user.", "apart"),
    ("The link of the branch office carries 100 Mb a second at most.",
     "The link of the branch office carries 100 MB a second at most.", "apart"),
    ("The sensor of the pump draws 40 mW while it waits for a signal.",
     "The sensor of the pump draws 40 MW while it waits for a signal.", "apart"),
    ("Call the tool with -v to see what it does with each of its files.",
     "Call the tool with -V to see what it does with each of its files.", "kept"),
    ("Read cache_size before the first request is sent to the store.",
     "Read CACHE_SIZE before the first request is sent to the store.", "kept"),
    ("The check passes when the exit code of the child != 0 after a retry.",
     "The check passes when the exit code of the child = 0 after a retry.", "kept"),
    ("Retry the upload 3 times after a pause of 10 s and 1 minute.",
     "Retry the upload 10 times after a pause of 3 s and 1 minute.", "kept"),
    ("The plan costs 20 EUR a month for each seat of the customer.",
     "The plan costs 20 USD a month for each seat of the customer.", "apart"),
    ("The report of the grid shows the load of each line in mW.",
     "The report of the grid shows the load of each line in MW.", "kept"),
    ("The table of the audit says ✅ for the second check of the desk.",
     "The table of the audit says ❌ for the second check of the desk.", "kept"),
    ("Option B is taken by the council for all schools of the town.",
     "Option C is taken by the council for all schools of the town.", "apart"),
    ("The GraphQL endpoint answers the mobile client within its budget.",
     "The WebSocket endpoint answers the mobile client within its budget.", "apart"),
]  # fmt: skip
FORCE = [
    ("Uploads must be scanned before they are stored in the bucket.",
     "Uploads may be scanned before they are stored in the bucket."),
    ("Uploads should be scanned before they are stored in the bucket.",
     "Uploads must be scanned before they are stored in the bucket."),
    ("Uploads are scanned before they are stored in the bucket.",
     "Uploads are never scanned before they are stored in the bucket."),
    ("Keys of customers must not be written to the log of the proxy.",
     "Keys of customers must be written to the log of the proxy."),
    ("All replicas of the topic must acknowledge the write of a client.",
     "Some replicas of the topic must acknowledge the write of a client."),
    ("At least two replicas must acknowledge the write of a client.",
     "At most two replicas must acknowledge the write of a client."),
    ("Labels of the selector must match all rules of the policy.",
     "Labels of the selector must match any rules of the policy."),
    ("Only admins can delete the reports that users can see.",
     "Admins can delete the reports that only users can see."),
    ("Alerts are sent while the site is open to the public.",
     "Alerts are sent unless the site is open to the public."),
    ("Orders are kept with the consent of the customer for a year.",
     "Orders are kept without the consent of the customer for a year."),
    ("Traffic in the test region is encrypted on the way to the store.",
     "Traffic outside the test region is encrypted on the way to the store."),
    ("The importer stops or skips the row when a column is missing.",
     "The importer stops and skips the row when a column is missing."),
]  # fmt: skip
LONG_ENOUGH = (  # so that two texts with another word are alike enough to merge by themselves
    "This holds for each site, each tenant and all offices that the group has opened or taken over"
    " since the first contract with the bank was signed"
)
SAME = [
    ("The charger of the depot feeds the bus with 25 kV from the line above the yard.",
     "The charger of the depot feeds the bus with 25000 volts from the line above the yard."),
    ("The mail gateway rejects messages over the limit, and it tells the sender why it does so.",
     "The mail gateway rejects messages over the limit, and tells the sender why it does so."),
    ("Every report of the finance team is kept for ten years in the archive of the bank.",
     "Every report of the finance team is kept for 10 years in the archive of the bank."),
    ("The probe of the load balancer gives up after 90 seconds without an answer of the pod.",
     "The probe of the load balancer gives up after 90 s without an answer of the pod."),
    ("When the broker is away, the producer of the shop holds its events in memory for an hour.",
     "The producer of the shop holds its events in memory for an hour when the broker is away."),
    ("Tokens of the public client must be rotated by the identity service once every week.",
     "Tokens of the public client shall be rotated by the identity service once every week."),
    ("The draft of the contract is read by the counsel of the firm before the customer signs it.",
     "The draft of the contract is read by the counsel of the firm before a customer signs it."),
    ("The release of the agent is blocked until RFC-2119 words are used in all of its needs.",
     "The release of the agent is blocked until RFC 2119 words are used in all of its needs."),
    ("Uploads larger than the quota aren't stored, and the user of the portal sees an error.",
     "Uploads larger than the quota are not stored, and the user of the portal sees an error."),
    ("The **planner** writes `plan.json` into the folder of the run and tells the reviewer of it.",
     "The planner writes plan.json into the folder of the run and tells the reviewer of it."),
    ("The copies of the index are removed from the cluster after the last reader has left it.",
     "The copies of the index are deleted from the cluster after the last reader has left it."),
    ("Metrics of the worker are read by the board of the team, which keeps them for a day.",
     "Metrics of the worker are read by the board of the team, and so it keeps them for a day."),
]  # fmt: skip


def fate_in_the_ledger(one: str, other: str) -> Fate:
    told = story(a_run(Chunk("c1", [judged(one)]), Chunk("c2", [judged(other)], source_id="src_b")))
    if len(list(told.view.live_atoms("prj_test"))) == 1:
        return "merge"
    return "ask" if told.view.merge_candidates else "apart"


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_differs_in_wording_only_is_merged(one: str, other: str):
    assert agreement(one, other) == agreement(other, one) == "same"
    one, other = f"{one} {LONG_ENOUGH}", f"{other} {LONG_ENOUGH}"
    assert fate_in_the_ledger(one, other) == likeness(one, other).fate == "merge"


@pytest.mark.parametrize(("one", "other"), ROLES)
def test_statements_with_swapped_subject_and_object_are_not_merged(one: str, other: str):
    assert agreement(one, other) == agreement(other, one) == "unsure"
    assert fate_in_the_ledger(one, other) != "merge" != likeness(one, other).fate


@pytest.mark.parametrize(("one", "other", "fate"), PARTICULARS)
def test_another_name_or_amount_is_another_fact(one: str, other: str, fate: Fate):
    found = fate_in_the_ledger(one, other), likeness(one, other).fate
    assert found == ("apart", "apart") if fate == "apart" else "merge" not in found


@pytest.mark.parametrize(("one", "other"), FORCE)
def test_what_binds_denies_or_limits_otherwise_is_not_merged(one: str, other: str):
    assert agreement(one, other) != "same"
    assert fate_in_the_ledger(one, other) != "merge" != likeness(one, other).fate


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The proxy signs the request.", "The request is signed by the proxy."),
        ("The proxy must sign it at night.", "It must be signed by the proxy at night."),
        ("The auditors sent the report.", "The report was sent by the auditors."),
        ("They are called *abstract modules*.", "They are called abstract modules."),
        ("In the lab, the robot stops at once.", "The robot stops at once in the lab."),
        ("The job needs copies of keys and certificates.",
         "The job needs copies of certificates and keys."),
    ],
)  # fmt: skip
def test_a_passive_an_opening_and_two_sides_in_another_order_are_the_same(one: str, other: str):
    assert agreement(one, other) == agreement(other, one) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The proxy signs the request.", "The proxy is signed by the request."),
        ("The proxy signs.", "The proxy is signed."),
        ("The job validates and stores rows.", "The job stores and validates rows."),
        ("The main key and table are kept.", "The main table and key are kept."),
        ("In the lab, the robot stops.", "In the robot, the lab stops."),
        ("No copies are kept.", "No, copies are kept."),
        ("The job must stop and start.", "The job must start and stop."),
        ("Keep logs. Do not keep logs.", "Do not keep logs."),
    ],
)
def test_what_only_looks_like_another_order_is_not(one: str, other: str):
    assert agreement(one, other) == agreement(other, one) == "unsure"


NOUNS = ("ledger", "gateway", "worker", "broker", "vault", "tenant", "probe", "report")


@given(st.permutations(NOUNS), st.permutations(NOUNS))
def test_words_in_another_order_never_say_the_same(one: list[str], other: list[str]):
    texts = (f"The {' '.join(row)} rule." for row in (one, other))
    assert (agreement(*texts) == "same") is (one == other)


def test_a_number_of_any_length_is_read():
    long = "7" * 5_000
    assert agreement(f"Key {long} is old", f"Key {long} is old.") == "same"
    assert agreement(f"Key K{long} is old", f"Key K{long}7 is old") == "apart"
    assert agreement(f"It takes {long} ms", f"It takes {long}1 ms") == "apart"
