"""An atom is no surer than how the documents it comes from stand."""

from __future__ import annotations

import pytest

from schemas.events.atom import Judged
from tests.ledger.story import Chunk, Story, a_row, a_run, judged, story

FACT = "The queue keeps its messages for seven days"


def said(status: str | None, *, draft: bool, at: int = 0) -> Judged:
    attributes = {"document_status": status} if status else {}
    row = a_row("The queue keeps its messages for seven days.", at)
    hint = "draft" if draft else "active"
    return judged(FACT, kind="claim", rows=[row], status=hint, attributes=attributes)


def state(told: Story) -> tuple[str, str | None]:
    atom = told.atom(FACT)
    return atom.status, atom.attributes.get("document_status")


def test_what_a_later_reading_of_its_only_source_says_counts() -> None:
    told = story(
        a_run(Chunk("c1", [said("accepted", draft=False)])),
        a_run(Chunk("c2", [said("superseded", draft=True, at=900)]), trigger="t2"),
    )
    assert state(told) == ("draft", "superseded")
    assert told.atom(FACT).status_reason == "document_superseded"
    again = a_run(Chunk("c3", [said("accepted", draft=False, at=1_800)]), trigger="t3")
    assert state(told.given(again)) == ("active", "accepted")


def test_of_several_sources_the_one_that_stands_best_counts() -> None:
    told = story(
        a_run(Chunk("c1", [said("proposed", draft=True)])),
        a_run(Chunk("c2", [said(None, draft=False)], source_id="src_b"), trigger="t2"),
    )
    assert state(told) == ("active", None)
    worse = Chunk("c3", [said("rejected", draft=True)], source_id="src_c")
    assert state(told.given(a_run(worse, trigger="t3"))) == ("active", None)


def test_two_proposals_are_no_decision() -> None:
    told = story(
        a_run(Chunk("c1", [said("proposed", draft=True)])),
        a_run(Chunk("c2", [said("proposed", draft=True)], source_id="src_b"), trigger="t2"),
    )
    assert state(told) == ("draft", "proposed")


def from_a(role: str) -> Judged:
    row = a_row("The queue keeps its messages for seven days.", 0)
    return judged(FACT, kind="claim", rows=[row], attributes={"origin": role})


@pytest.mark.parametrize(("first", "second"), [("guide", "readme"), ("readme", "guide")])
def test_the_best_role_of_its_documents_counts_whichever_was_read_first(
    first: str, second: str
) -> None:
    told = story(
        a_run(Chunk("c1", [from_a(first)])),
        a_run(Chunk("c2", [from_a(second)], source_id="src_b"), trigger="t2"),
    )
    assert told.atom(FACT).attributes["origin"] == "readme"


def told_by(**marks: str) -> Judged:
    row = a_row("The queue keeps its messages for seven days.", 0)
    marks = {f"feature_{name}".removesuffix("_name"): value for name, value in marks.items()}
    return judged(FACT, kind="claim", rows=[row], attributes=marks)


CARD = {"name": "Queues", "place": "card", "state": "done", "group": "Storage"}
PLAN = {"name": "Week-long queues", "place": "plan", "state": "planned"}


@pytest.mark.parametrize(("first", "second"), [({}, CARD), (CARD, {}), (CARD, PLAN), (PLAN, CARD)])
def test_the_feature_of_the_surest_place_stays_whichever_was_read_first(
    first: dict[str, str], second: dict[str, str]
) -> None:
    told = story(
        a_run(Chunk("c1", [told_by(**first)])),
        a_run(Chunk("c2", [told_by(**second)], source_id="src_b"), trigger="t2"),
    )
    attributes = told.atom(FACT).attributes

    assert attributes["feature"] == "Queues"
    assert attributes["feature_place"] == "card"
    assert attributes["feature_state"] == "done"
    assert attributes["feature_group"] == "Storage"


def test_a_plan_whose_only_source_says_later_that_it_is_there_is_done() -> None:
    shipped = PLAN | {"state": "done"}
    told = story(
        a_run(Chunk("c1", [told_by(**PLAN)])),
        a_run(Chunk("c2", [told_by(**shipped)]), trigger="t2"),
    )
    assert told.atom(FACT).attributes["feature_state"] == "done"
