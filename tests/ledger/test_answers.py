"""An open question is closed by what answers it in the same text: it stays, with who answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from schemas.events.atom import Judged, Relation
from tests.ledger.story import Chunk, Story, a_run, judged, story

QUESTION = judged("Should failed uploads be retried?", kind="unknown", polarity=None)


def answer(to: Judged = QUESTION, **fields: Any) -> Judged:
    relation = Relation(to=to.candidate.candidate_id, link_type="supersedes")
    return judged("Failed uploads are retried three times", relations=[relation], **fields)


def told(*accepted: Judged) -> Story:
    return story(a_run(Chunk("c1", accepted)))


def test_an_answered_question_stays_and_leads_to_its_answer():
    ledger = told(QUESTION, answer())
    asked, answered = ledger.atom(QUESTION.candidate.title), ledger.atom(answer().candidate.title)
    assert (asked.status, asked.status_reason) == ("superseded", "answered")
    assert asked.superseded_by == answered.atom_id
    (link,) = ledger.view.links.values()
    assert (link.from_atom_id, link.to_atom_id) == (answered.atom_id, asked.atom_id)
    assert (link.link_type, link.active) == ("supersedes", True)
    assert ledger.view.evidence_of("prj_test", asked.atom_id)


def test_nothing_but_a_question_is_closed_by_a_hint():
    claim = judged("Uploads go through the gateway")
    ledger = told(claim, answer(claim))
    assert ledger.atom(claim.candidate.title).status == "active"
    assert [change.reason for change in ledger.ops("link_removed")] == ["refused_not_by_hint"]


def test_a_question_of_another_reading_is_not_closed_by_its_candidate():
    ledger = story(a_run(Chunk("c1", [QUESTION]), Chunk("c2", [answer()])))
    assert ledger.atom(QUESTION.candidate.title).status == "active"


def test_a_question_asked_again_without_its_answer_is_open_again():
    first = a_run(Chunk("c1", [QUESTION, answer()]))
    again = a_run(Chunk("c9", [QUESTION], source_id="src_b"), trigger="t2")
    assert story(first, again).atom(QUESTION.candidate.title).status == "active"


def test_who_spoke_stands_with_the_evidence_in_the_ledger():
    row = QUESTION.rows[0].model_copy(update={"speaker": "kim", "speaker_role": "member"})
    ledger = told(QUESTION.model_copy(update={"rows": [row]}))
    (held,) = ledger.view.evidence_of("prj_test", ledger.atom(QUESTION.candidate.title).atom_id)
    assert (held.speaker, held.speaker_role) == ("kim", "member")


ASKED_AT = datetime(2026, 11, 2, tzinfo=UTC)
DECISION = "We will go with three retries for failed uploads"


def said(title: str, kind: str, by: str, minute: int) -> Judged:
    at = ASKED_AT + timedelta(minutes=minute)
    atom = judged(title, kind=kind, polarity=None)
    rows = [row.model_copy(update={"speaker": by, "stated_at": at}) for row in atom.rows]
    return atom.model_copy(update={"rows": rows})


def a_ticket(*atoms: Judged, order: int = 1, about: str = "Uploads fail") -> Story:
    """A question in a ticket, and what was said in its comments, each a source of its own."""
    paths = [("Uploads fail",), *((f"Re: {about}", "lee") for _ in atoms[1:])]
    chunks = [
        Chunk(f"c{n}", [atom], source_id=f"src_{n}", path=path)
        for n, (atom, path) in enumerate(zip(atoms, paths, strict=True))
    ]
    return story(a_run(*chunks[::order]))


@pytest.mark.parametrize("order", [1, -1])
def test_a_decision_in_a_later_comment_closes_the_question_whichever_is_read_first(order: int):
    asked = said("Should failed uploads have retries?", "unknown", "kim", 0)
    ledger = a_ticket(asked, said(DECISION, "decision", "lee", 9), order=order)
    question, decision = ledger.atom(asked.candidate.title), ledger.atom(DECISION)
    assert (question.status, question.superseded_by) == ("superseded", decision.atom_id)
    assert [link.link_type for link in ledger.view.links.values()] == ["supersedes"]


@pytest.mark.parametrize(
    ("by", "minute", "title", "about"),
    [
        ("kim", 9, DECISION, "Uploads fail"),  # who asked
        ("lee", -9, DECISION, "Uploads fail"),  # before it was asked
        ("lee", 9, "We will go with PostgreSQL", "Uploads fail"),  # about something else
        ("lee", 9, DECISION, "Exports fail"),  # in another conversation
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_nothing_else_closes_it(by: str, minute: int, title: str, about: str, order: int):
    asked = said("Should failed uploads have retries?", "unknown", "kim", 0)
    ledger = a_ticket(asked, said(title, "decision", by, minute), order=order, about=about)
    assert ledger.atom(asked.candidate.title).status == "active"


def test_the_ledger_folded_anew_closes_it_as_well():
    asked = said("Should failed uploads have retries?", "unknown", "kim", 0)
    ledger = a_ticket(asked)
    ledger.refold()
    answer = Chunk(
        "c9", [said(DECISION, "decision", "lee", 9)], source_id="s9", path=("Re: Uploads fail",)
    )
    ledger.given(a_run(answer, trigger="t2"))
    assert ledger.atom(asked.candidate.title).status == "superseded"
