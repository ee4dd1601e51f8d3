"""What proposals and records weigh, take and leave open, told as what it is."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from tests.reading.documents import a_chunk, only, sure


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


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "Currently, the DepotServer seals each lane of a depot and will be used by all clerks.",
            "Currently, the DepotServer seals each lane of a depot",
        ),
        (
            "Currently, DepotServer instances seal each lane and will be used by all clerks.",
            "Currently, DepotServer instances seal",
        ),
    ],
)
def test_what_a_record_says_is_so_for_now_is_told_as_such_and_is_no_decision(
    said: str, title: str
) -> None:
    text = f"# Lanes\n\n## Approach\n\n{said}\n"
    (atom,) = extract(a_chunk(text, "docs/adr/0007-lanes.md"))
    assert atom.kind == "claim"
    assert title.lower() in atom.title.lower()
    assert "epotserver" not in atom.title
    (elsewhere,) = extract(a_chunk(text, "docs/lanes.md"))
    assert "currently" not in elsewhere.title.lower()


@pytest.mark.parametrize(("these", "told"), [("advantages", []), ("changes", ["risk"])])
def test_an_advantage_on_a_list_of_such_is_no_risk(these: str, told: list[str]) -> None:
    text = (
        f"# Lanes\n\n## Rationale\n\nIntegrating seals into lanes offers several {these}:\n\n"
        "1. **Flexibility**: CEL allows for more complex and nuanced label definitions that can "
        "adapt to changing requirements without redeploying the depot.\n"
    )
    assert [it.kind for it in sure(a_chunk(text, "docs/adr/0007-lanes.md"))] == told


def test_a_document_that_only_says_that_it_is_archived_gives_no_context() -> None:
    text = "# ARCHIVED\n\n## Presentations\n\nUsers must seal each lane of a depot at night.\n"
    (atom,) = extract(a_chunk(text, "README.md"))
    assert atom.title == "Users must seal each lane of a depot at night"


@pytest.mark.parametrize("heading", ["Decision", "Requirements", "Drawbacks", "Goals"])
def test_what_is_so_for_now_of_something_unnamed_is_left_out(heading: str) -> None:
    said = "Currently, this can lose labels of the DepotServer."
    text = f"# Lanes\n\n## {heading}\n\n{said}\n"
    assert extract(a_chunk(text, "docs/adr/0007-lanes.md")) == []


def test_what_a_lemma_says_must_hold_is_a_fact() -> None:
    said = "When a lane is sealed twice by clerks, the labels must include those of one clerk."
    for label, kind in (("Lemma", "claim"), ("Labels", "requirement")):
        chunk = a_chunk(f"- **{label}**: {said}\n", "docs/lanes.md", headings=("Depot lanes",))
        assert [it.kind for it in extract(chunk)] == [kind]


def test_what_somebody_has_to_do_until_then_are_needs() -> None:
    text = (
        "# Lanes\n\n## Approach\n\nUntil it has been resolved, clerks of a lane have to, within "
        "their depot:\n\n- Create a label store\n- Use the seals of the depot to verify labels\n"
    )
    atoms = extract(a_chunk(text, "docs/adr/0007-lanes.md"))
    assert [it.kind for it in atoms] == ["requirement", "requirement"]
    assert "have to, within their depot, create a label store" in atoms[0].title


def test_that_options_may_be_required_endangers_nothing() -> None:
    said = "Additional configuration parameters might be required for lanes of the DepotServer."
    text = f"# Lanes\n\n## Configuration\n\n{said}\n"
    assert only("risk", extract(a_chunk(text, "docs/adr/0007-lanes.md"))) == []
