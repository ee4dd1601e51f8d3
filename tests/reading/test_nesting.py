"""What is indented in a list belongs to what it stands under: a question's answer closes it, a
condition comes before its item."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from agents.offline.segment.tags import label_of
from agents.offline.segment.wording import lower_first
from schemas.events.atom import Candidate
from tests.reading.documents import a_chunk

ASKED = "Should the DepotServer support both empty and absent lanes, or choose one approach?"
REPLY = "Yes, we'll support both empty and absent lanes to maximize flexibility."
TITLE = f"Parcel lanes: {lower_first(ASKED)}"
TOGETHER = f"{TITLE} {REPLY[:-1]}"


def read(items: str) -> list[Candidate]:
    text = f"# Parcel lanes\n\n## Open questions\n\n{items}\n"
    return [it for it in extract(a_chunk(text, "docs/lanes.md")) if it.kind != "entity"]


@pytest.mark.parametrize(
    "items",
    [
        f"- {ASKED}\n    - {REPLY}",
        f"- {ASKED}\n\n  {REPLY}",
        f"1. {ASKED}\n   - **Answer**: {REPLY}",
    ],
)
def test_what_stands_under_a_question_answers_it(items: str) -> None:
    asked, found = read(items)
    assert (asked.kind, asked.title, asked.proposed_status) == ("unknown", TITLE, "draft")
    assert (found.kind, found.title, found.proposed_status) == ("claim", TOGETHER, "draft")
    (closing,) = found.relations
    assert (closing.to, closing.link_type) == (asked.candidate_id, "supersedes")
    assert REPLY in found.evidence[0].snippet
    assert ASKED in found.evidence[1].snippet


@pytest.mark.parametrize(
    "items",
    [
        f"- {ASKED}\n- {REPLY}",
        f"- {ASKED}\n    - Option 1: only empty lanes\n    - Option 2: only absent ones",
        f"- {ASKED}\n    - Or is one of the two approaches enough for all depots?",
        f"- {ASKED}\n    - It is unclear whether any depot has an absent lane.",
        f"- {ASKED}\n    - The depots would say:",
    ],
)
def test_a_question_without_an_answer_is_open(items: str) -> None:
    asked = read(items)[0]
    assert (asked.kind, asked.title, asked.proposed_status) == ("unknown", TITLE, "active")
    assert all(it.title != TOGETHER for it in read(items))


def test_a_line_with_a_label_of_its_own_begins_another_statement() -> None:
    text = (
        "# Night sealing\n\n## Risks and mitigations\n\n"
        "1. **Risk**: Data loss during updates of the parcel store\n"
        "   **Mitigation**: Clear documentation of all updates\n"
    )
    (risk,) = extract(a_chunk(text, "docs/proposals/sealing.md"))
    assert risk.title == "Night sealing: data loss during updates of the parcel store"


@pytest.mark.parametrize(
    ("over", "front"),
    [
        (
            "A clerk who has lost the key of a depot could:",
            "Night lanes: a clerk who has lost the key",
        ),
        ("Risks of a lost key:", "Night lanes: manipulate"),
    ],
)
def test_a_threat_is_told_with_who_stands_over_it(over: str, front: str) -> None:
    item = "Manipulate the sorter, which would then lose all heavy parcels of the depot"
    text = f"# Night lanes\n\n## Threat model\n\n{over}\n\n- {item}\n"
    (risk,) = extract(a_chunk(text, "docs/lanes.md"))
    assert (risk.kind, risk.title.endswith(item[10:])) == ("risk", True)
    assert risk.title.startswith(front)


BRANCH = "The LabelPrinter must print every label within 2 seconds."


@pytest.mark.parametrize(
    ("over", "front"),
    [
        ("If the lane is not registered with `register_lane()`:", "if the lane is not registered"),
        ("When the lane is closed, the server does more:", "the LabelPrinter"),
        ("The lane:", "the LabelPrinter"),
    ],
)
def test_an_item_is_told_with_the_condition_it_stands_under(over: str, front: str) -> None:
    text = f"# Parcel lanes\n\n- {over}\n\n  - {BRANCH}\n\n- Other lanes are closed.\n"
    (need,) = [it for it in extract(a_chunk(text, "docs/lanes.md")) if it.kind == "requirement"]
    assert need.title.startswith(f"Parcel lanes: {front}")
    assert len(need.evidence) == (2 if front.startswith("if") else 1)


@pytest.mark.parametrize(
    "asked", ["Which format do labels have?", "What are heavy labels made of?"]
)
def test_a_question_may_end_in_a_verb_or_a_preposition(asked: str) -> None:
    (question,) = read(f"- {asked}")
    assert question.kind == "unknown"
    assert question.title == f"Parcel lanes: w{asked[1:]}"


def test_an_order_without_a_subject_is_told_with_who_stands_over_it() -> None:
    text = (
        "# Parcel lanes\n\n## Sealing\n\nThe sending depot:\n\n"
        "- MUST seal at least one `label_slot` of the parcel\n"
        "- if it is the last depot:\n  - MUST print the number of the lane\n"
    )
    needs = [it for it in extract(a_chunk(text, "docs/lanes.md")) if it.kind == "requirement"]
    assert [it.title for it in needs] == [
        "Parcel lanes, Sealing: the sending depot MUST seal at least one label_slot of the parcel",
        "Parcel lanes, Sealing: if it is the last depot, the sending depot MUST print the number "
        "of the lane",
    ]
    assert all("The sending depot:" in it.evidence[1].snippet for it in needs)


def test_items_of_asciidoc_stand_for_themselves_however_deep() -> None:
    text = (
        "= Parcel lanes\n\n== Sealing\n\n"
        "* The Sorter must seal every parcel before it leaves\n"
        "** The LabelPrinter must print the number of each seal\n+\n"
        "The Scanner must read the number within 2 seconds.\n\n"
        ". The Gatekeeper must open one lane at a time\n"
        "<1> The Sealer must be in the code above.\n"
    )
    needs = [it for it in extract(a_chunk(text, "docs/lanes.adoc")) if it.kind == "requirement"]
    assert [it.title.partition(": ")[2] for it in needs] == [
        "the Sorter must seal every parcel before it leaves",
        "the LabelPrinter must print the number of each seal",
        "the Scanner must read the number within 2 seconds",
        "the Gatekeeper must open one lane at a time",
    ]


def test_a_term_of_asciidoc_labels_what_it_means() -> None:
    text = (
        "= Printers\n\nAlways:: Parcel labels are pulled by the DepotServer when a lane "
        "is started.\nNever:: Parcel labels are never pulled by the DepotServer.\n"
    )
    found = {it.title for it in extract(a_chunk(text, "docs/printers.adoc"))}
    assert found == {
        "Printers, Always: Parcel labels are pulled by the DepotServer when a lane is started",
        "Printers, Never: Parcel labels are never pulled by the DepotServer",
    }


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("docs/depot.md", "[**Install the printer**](/docs/printer/install)"),
        ("docs/depot.rst", ":doc:`install the printer </docs/printer>`"),
        ("docs/depot.adoc", "xref:printer.adoc[Install the printer]"),
    ],
)
def test_a_page_to_read_next_is_no_task(path: str, item: str) -> None:
    heading = {
        "md": "## Next steps\n",
        "rst": "Next steps\n==========\n",
        "adoc": "== Next steps\n",
    }
    text = f"{heading[path.rsplit('.', 1)[-1]]}\n* {item}\n"
    assert [it for it in extract(a_chunk(text, path)) if it.kind == "action_item"] == []


def test_an_issue_to_be_seen_to_is_a_task() -> None:
    text = "## Next steps\n\n- [Replace the printer of lane 7](https://depot.example/x/issues/7)\n"
    (task,) = [it for it in extract(a_chunk(text)) if it.kind == "action_item"]
    assert task.title == "Replace the printer of lane 7"


def test_an_item_with_a_need_of_its_own_does_not_go_on_with_the_sentence_above() -> None:
    text = (
        "# Parcel lanes\n\nA depot that joins the network must:\n\n"
        "- Support for sealed parcels must be announced to every other depot\n"
        "- The label printer of each lane must be registered with the operator\n"
        "- keep a list of what must be sealed before midnight\n"
    )
    needs = [it for it in extract(a_chunk(text, "docs/lanes.md")) if it.kind == "requirement"]
    assert [it.title for it in needs] == [
        "Parcel lanes: support for sealed parcels must be announced to every other depot",
        "Parcel lanes: the label printer of each lane must be registered with the operator",
        "Parcel lanes: a depot that joins the network must keep a list of what must be sealed "
        "before midnight",
    ]


def test_a_line_of_thousands_of_marks_has_no_label() -> None:
    """Where a label begins is looked for among the first marks only."""
    assert label_of("|" + " " * 200 + "| **Pending**: the gate opens late") == "Pending"
    for mark in "*(-#|":
        assert label_of(mark * 3_000 + " Pending: the gate opens late") == ""
