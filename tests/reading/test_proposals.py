"""What proposals and records weigh, take and leave open, told as what it is."""

from __future__ import annotations

import pytest

from agents.rules.reader import extract
from tests.reading.documents import a_chunk, only


def test_a_drawback_is_told_with_what_the_sentence_over_its_list_says_it_is_one_of() -> None:
    text = (
        "# Lanes\n\n## Motivation\n\nKeeping all labels in one file has several drawbacks:\n\n"
        "- Requires a review where all depots need to be involved.\n"
        "- The labels can become large and difficult to understand.\n"
    )
    risks = extract(a_chunk(text, "docs/adr/0007-lanes.md"))
    assert [it.kind for it in risks] == ["risk", "risk"]
    assert all("Keeping all labels in one file: " in it.title for it in risks)
    assert all(len(it.evidence) == 2 for it in risks)


@pytest.mark.parametrize(
    ("announced", "told"),
    [("there are two possible solutions and we will present both", 0), ("it runs two jobs", 2)],
)
def test_of_solutions_that_are_possible_none_is_a_fact(announced: str, told: int) -> None:
    text = (
        f"# Lanes\n\n## Design\n\nAt a very high level, {announced}:\n\n"
        "1. The DepotServer writes each label of its lanes to Kafka every minute.\n\n"
        "2. The DepotServer reads each label of its lanes from Kafka every minute.\n"
    )
    assert len(extract(a_chunk(text, "docs/adr/0007-lanes.md"))) == told


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The wait will require amending the decide method of the DepotServer.", "requirement"),
        (
            "In addition to labels, it should be possible to let depots seal their lanes.",
            "requirement",
        ),
        ("Label settings are going to be defined in a file of the DepotServer.", "decision"),
    ],
)
def test_what_a_proposal_is_going_to_take_or_allow_is_told_as_such(said: str, kind: str) -> None:
    chunk = a_chunk(f"# Lanes\n\n## Design\n\n{said}\n", "docs/adr/0007-lanes.md")
    assert [it.kind for it in extract(chunk)] == [kind]


def test_what_may_be_done_about_a_drawback_is_none() -> None:
    text = (
        "# Lanes\n\n## Drawbacks\n\nNo audit of lanes in real time is provided, so that clerks "
        "have to rely on labels.\n\nWe might want to address this limitation in the future by a "
        "more complex DepotServer.\n"
    )
    risks = only("risk", extract(a_chunk(text, "docs/adr/0007-lanes.md")))
    assert [it.title for it in risks if "address" in it.title] == []


def test_a_question_in_bold_with_its_answer_under_it_is_not_open() -> None:
    text = (
        "# Lanes\n\n## Motivation\n\n- **What kinds of lanes does it support?**\n  Those of "
        "parcels whose number is low.\n- **What labels does it support?**\n"
    )
    (asked,) = only("unknown", extract(a_chunk(text, "docs/adr/0007-lanes.md")))
    assert "labels" in asked.title


@pytest.mark.parametrize(
    "said",
    [
        "- will it impact performance?",
        "- What other parts of the product will be affected?",
        "- will the solution be hard to maintain in the future?",
    ],
)
def test_what_stands_in_a_form_asks_nothing(said: str) -> None:
    text = f"# Lanes\n\n## Unresolved questions\n\n{said}\n"
    assert only("unknown", extract(a_chunk(text, "docs/adr/0007-lanes.md"))) == []


def test_what_answers_a_question_is_told_not_asked() -> None:
    said = "The LaneUsers API will answer the question, **which clerks have opened a lane today**?"
    text = f"# Lanes\n\n## Summary\n\n{said}\n"
    assert only("unknown", extract(a_chunk(text, "docs/adr/0007-lanes.md"))) == []


def test_what_somebody_has_to_find_out_is_open() -> None:
    said = "We have to research whether the DepotServer can seal the lanes of other depots."
    chunk = a_chunk(f"# Lanes\n\n## Design\n\n{said}\n", "docs/adr/0007-lanes.md")
    assert [it.kind for it in extract(chunk)] == ["unknown"]


def test_the_way_users_want_to_work_signals_nothing() -> None:
    said = "The DepotServer should embrace practices and work the way its users want to work."
    assert only("domain_signal", extract(a_chunk(f"# Lanes\n\n{said}\n", "docs/lanes.md"))) == []
