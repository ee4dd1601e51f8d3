"""Tickets, comments and a thread from item to ledger: who said it, and what is settled."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from connectors.feeder import FeedOrder, InFlightWindow
from connectors.publishing import ItemPublisher, StoredSource, publish_items, source_id_of
from connectors.service_items import DeletedItem, Remark, ServiceItem
from schemas.envelope import Actor, Envelope
from schemas.events.ledger import AtomRecord
from schemas.events.source import SourceInfo, SourceType
from tests.connectors.redactors import REDACTOR
from tests.whole.changing import Project
from tests.worlds import PROJECT

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def by(who: str, body: str, minute: int = 0, role: str | None = None) -> Remark:
    return Remark(str(minute), who, role, AT + timedelta(minutes=minute), body)


def an_item(kind: SourceType, path: str, *remarks: Remark, **fields: object) -> ServiceItem:
    chat = kind == "chat_thread"
    given = {"labels": ()} | fields
    return ServiceItem(
        service="slack" if chat else "github",
        root="slack/T1/C1"
        if chat
        else f"github/acme/shop/{'comments' if '/' in path else 'issues'}",
        path=path,
        source_type=kind,
        title="#shop, 2026-11-02" if chat else "Uploads fail",
        about="Uploads fail" if kind == "comment" else None,
        remarks=remarks,
        changed_at=max(at for it in remarks if (at := it.edited_at or it.at)),
        revision_ref="1",
        **given,  # type: ignore[arg-type]  # fields of the item, by name
    )


def facts_of(*items: ServiceItem | DeletedItem, key: str = "page") -> list[Envelope]:
    """What one page puts on the log; what is told to be gone was held until now."""
    facts: list[Envelope] = []

    async def publish(envelopes: Sequence[Envelope]) -> None:
        facts.extend(envelopes)

    going = {source_id_of(PROJECT, item) for item in items if isinstance(item, DeletedItem)}

    async def find_stored(
        project_id: str, source_ids: Collection[str]
    ) -> Mapping[str, StoredSource]:
        return {source: StoredSource("hash") for source in source_ids if source in going}

    async def nobody(project_id: str, root: str, under: str) -> Sequence[SourceInfo]:
        return []

    window = InFlightWindow(max_records=2**31, max_bytes=2**60)
    publisher = ItemPublisher(
        publish, lambda content, owner: ("key", content), find_stored, nobody, window, REDACTOR
    )
    order = FeedOrder(PROJECT, key, Actor(), AT, lanes=("deep",))
    asyncio.run(publish_items(items, order, publisher))
    return facts


def atoms(project: Project) -> dict[str, AtomRecord]:
    return {atom.title: atom for atom in project.ledger.atoms.values()}


QUESTION = "Should failed uploads be retried by the gateway?"
DECISION = "We will go with three retries of failed uploads in the gateway."
TICKET = an_item("issue", "12", by("kim", QUESTION, 0, "reporter"))
COMMENT = an_item("comment", "12/comments/345", by("lee", DECISION, 9, "member"))


def test_a_comment_answers_its_tickets_question_and_the_evidence_says_who_spoke():
    for order in ((TICKET, COMMENT), (COMMENT, TICKET)):
        project = Project().given(facts_of(order[0], key="1")).given(facts_of(order[1], key="2"))
        question, decision = atoms(project)[QUESTION], atoms(project)[DECISION.rstrip(".")]
        assert (question.status, question.superseded_by) == ("superseded", decision.atom_id)
        (row,) = project.ledger.evidence_of(PROJECT, decision.atom_id)
        assert (row.speaker, row.speaker_role) == ("lee", "member")
        assert row.stated_at == AT + timedelta(minutes=9)
        assert row.snippet == DECISION


def test_a_thread_closes_its_own_question():
    thread = an_item("chat_thread", "1.000100", by("p_1", QUESTION), by("p_2", DECISION, 2))
    project = Project().given(facts_of(thread))
    assert atoms(project)[QUESTION].status_reason == "answered"
    (row,) = project.ledger.evidence_of(PROJECT, atoms(project)[QUESTION].atom_id)
    assert row.speaker == "[PERSON:p_1]"


def test_a_new_label_has_nothing_read_again():
    project = Project().given(facts_of(TICKET, key="1"))
    before, atom = project.read(), atoms(project)[QUESTION]
    labelled = an_item("issue", "12", by("kim", QUESTION, 0, "reporter"), labels=("bug",))
    project.given(facts_of(labelled, key="2"))
    assert project.read() == before
    assert atoms(project)[QUESTION].status == atom.status
    assert any(not row.stale for row in project.ledger.evidence_of(PROJECT, atom.atom_id))


def test_a_question_whose_answer_was_deleted_is_open_again():
    project = Project().given(facts_of(TICKET, key="1")).given(facts_of(COMMENT, key="2"))
    gone = DeletedItem("github", COMMENT.root, COMMENT.path, AT + timedelta(hours=1))
    project.given(facts_of(gone, key="3"))
    question, decision = atoms(project)[QUESTION], atoms(project)[DECISION.rstrip(".")]
    assert decision.status == "obsolete"
    assert (question.status, question.status_reason) == ("active", "answer_gone")
    assert [link.active for link in project.ledger.links.values()] == [False]
