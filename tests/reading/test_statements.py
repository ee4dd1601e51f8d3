"""One statement alone: what is explicit decides, weights decide the rest."""

from __future__ import annotations

import pytest

from agents.offline.models.weights import load_statements
from agents.offline.recognise.features import features_of
from agents.offline.recognise.statements import classify
from schemas.linear import LANE_BITS, Weights, pack


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("AB to write the notes of the June meeting", "action_item"),
        ("@ann and @bob review the storage draft", "action_item"),
        ("A client MUST send the version header.", "requirement"),
        ("Servers are strongly discouraged from logging tokens.", "requirement"),
        ("As an operator, I want to see the lag of every worker.", "requirement"),
        ("Open question: which retention period do auditors need?", "unknown"),
        ("Decision: keep every change in one append-only log.", "decision"),
        ("Jane Doe; John Roe. 3 November 2023.", "other"),
        ("The index _must_ fit into the memory of a phone.", "requirement"),
    ],
)
def test_what_the_wording_names_is_the_label(text, label):
    assert classify(text).label == label


def test_a_question_is_no_task_however_it_begins():
    assert classify("How to handle loops in the graph of links?").label == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        "Registered visitors can only read the timetable.",
        "Can print a receipt for each parcel.",
        "View the timetable of any tram line.",
        "Be usable by travellers who have never seen a ticket machine.",
        "It must keep the last ten receipts.",
        "The phone numbers of couriers will be stored in encrypted form.",
    ],
)
def test_what_somebody_may_do_and_how_a_product_will_behave_is_a_requirement(text):
    assert classify(text).label == "requirement"


@pytest.mark.parametrize(
    "text",
    [
        "The key words “MUST” and “SHOULD” are to be interpreted as described in RFC 2119.",
        "This section describes which headers must be sent by clients and servers.",
        "Servers and clients share the meaning of a trailing slash in the path of a resource.",
    ],
)
def test_what_a_specification_only_tells_is_no_requirement(text):
    assert classify(text).label != "requirement"


@pytest.mark.parametrize(
    "text",
    [
        "Could you please look at the parcel labels again?",
        "Can you send me the log of the courier?",
        "The labels follow this page: https://labels.example/parcels/?",
    ],
)
def test_a_request_and_a_question_mark_in_an_address_leave_nothing_open(text):
    assert classify(text).label != "unknown"


def test_what_we_do_not_know_is_open_without_a_question_mark():
    assert classify("We don't know yet how couriers reach the depot.").label == "unknown"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The system shall respond within 2 seconds.", "non_functional"),
        ("Only authorised administrators shall read the audit trail.", "non_functional"),
        ("The system shall allow the user to add a photo to an album.", "functional"),
    ],
)
def test_a_requirement_says_what_or_how_well(text, kind):
    assert classify(text).attributes["requirement_type"] == kind


def test_confidences_are_between_0_and_1_and_nothing_is_sure_of_nothing():
    sure = classify("A client MUST send the version header.")
    assert 0.8 < sure.score <= 1.0
    nothing = classify("")
    assert (nothing.label == "other") == (nothing.score == 0.0)


def test_shares_add_up_and_do_not_depend_on_the_order_of_features():
    features = sorted(
        features_of("We will store every change in a log; otherwise a crash loses data.")
    )
    there, back = (
        load_statements().probabilities(features),
        load_statements().probabilities(reversed(features)),
    )
    assert there == back
    assert sum(there.values()) == pytest.approx(1.0, abs=0.001)


def test_packed_lanes_add_up_lane_by_lane_also_below_zero():
    lanes = [(-(1 << (LANE_BITS - 3)), 5, -7), (3, -5, 1 << (LANE_BITS - 3))]
    names = ("a", "b", "c")
    table = {str(at): pack(row) for at, row in enumerate(lanes)}
    weights = Weights(names, 1 << LANE_BITS, (0, 0, 0), table, {}, 0)
    by_one = Weights(
        names, 1 << LANE_BITS, tuple(sum(lane) for lane in zip(*lanes, strict=True)), {}, {}, 0
    )
    assert weights.probabilities(["0", "1"]) == by_one.probabilities([])
