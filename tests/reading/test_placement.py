"""What no heading and no word on a list tells is read as what authors put under such headings."""

from __future__ import annotations

import pytest

from agents.offline.models.weights import load_placement
from tests.reading.documents import kinds, read

PROPOSAL = "docs/proposals/0007-lanes.md"
GUIDE = "docs/guide/lanes.md"
DESIGN = "# Lanes\n\n## Design\n\n"

PLACED = [
    ("risk", "Adds complexity to the setup of all depots."),
    ("risk", "Maintenance overhead of one more format of labels."),
    ("requirement", "Allow users to suspend and resume jobs."),
    ("requirement", "Provide a clean and easy to use interface for clerks."),
]


@pytest.mark.parametrize(("kind", "said"), PLACED)
def test_an_item_of_a_proposal_needs_no_heading(kind: str, said: str) -> None:
    assert kinds(f"{DESIGN}- {said}\n", PROPOSAL) == [kind]


@pytest.mark.parametrize(("kind", "said"), PLACED)
def test_in_a_guide_the_same_item_is_a_remark_or_step(kind: str, said: str) -> None:
    assert kind not in kinds(f"{DESIGN}- {said}\n", GUIDE)


@pytest.mark.parametrize(
    "said",
    [
        "This proposal avoids the overhead of a second format.",
        "There are no known drawbacks to this change.",
        "Mitigation: the maintenance overhead can be reduced by one format.",
        "The overhead should be small for all depots of the region.",
    ],
)
def test_what_is_averted_absent_or_wished_is_no_risk(said: str) -> None:
    assert "risk" not in kinds(f"{DESIGN}{said}\n", PROPOSAL)


def test_this_is_what_a_proposal_proposes() -> None:
    said = "This feature introduces maintenance overhead for the clerks of all depots."
    assert read(f"{DESIGN}{said}\n", PROPOSAL) == [
        ("risk", "The Lanes feature introduces maintenance overhead for the clerks of all depots")
    ]


def test_a_role_that_is_told_at_length_wants_something() -> None:
    said = "As a clerk of a depot that sorts many small parcels, I want to close a lane at night."
    assert kinds(f"{DESIGN}{said}\n", PROPOSAL) == ["requirement"]
    result = "As a result of the last outage of the depot, which was long, we want for nothing."
    assert "requirement" not in kinds(f"{DESIGN}{result}\n", PROPOSAL)


def test_a_drawback_is_one_though_nothing_is_harmed() -> None:
    drawbacks = "# Lanes\n\n## Drawbacks\n\n"
    assert read(f"{drawbacks}- Requires us to maintain another fork.\n", PROPOSAL) == [
        ("risk", "Lanes: requires us to maintain another fork")
    ]
    harmless = "The lanes are told apart by their colours."
    assert "risk" not in kinds(f"{drawbacks}- {harmless}\n", PROPOSAL)


def test_a_share_of_each_kind_is_given() -> None:
    probabilities = load_placement().probabilities({"open", "question"})
    assert sum(probabilities.values()) == pytest.approx(1.0, abs=0.001)
    assert {"plain", "risk", "unknown", "decision", "requirement"} <= probabilities.keys()
