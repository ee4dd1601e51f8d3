"""What follows when an atom stops being live: nothing may go on waiting for it."""

from __future__ import annotations

from schemas.events.ledger import AtomRecord, AtomStatus, ChangeOp
from streams.ledger.turns.changes import Changes, end_link, note, put_atom
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.state import OPEN

SIDE_GONE = "side_gone"
LOST = "contradiction_resolved"
ANSWERED = "answered"
NEWER_FACT = "newer_fact"
REPLACED = "document_replaced"
ANSWER_GONE = "answer_gone"
OP_OF_STATUS: dict[AtomStatus, ChangeOp] = {
    "merged": "atom_merged",
    "superseded": "atom_superseded",
    "obsolete": "atom_obsoleted",
    "dismissed": "atom_dismissed",
}


def has_lost(atom: AtomRecord) -> bool:
    """Whether a person resolved a contradiction against it, or its document was replaced: only a
    new source brings it back, or the end of a run in which its document holds.
    """
    return atom.status == "superseded" and atom.status_reason in (LOST, REPLACED)


def retire(
    ledger: CurrentLedger,
    atom: AtomRecord,
    status: AtomStatus,
    reason: str,
    by: AtomRecord | None = None,
) -> Changes[AtomRecord]:
    """The atom with a status that is not live; its open contradictions and merge reviews end."""
    changed: dict[str, object] = {"status": status, "status_reason": reason}
    if by and status == "merged":
        changed["merged_into"] = by.atom_id
    if by and status == "superseded":
        changed["superseded_by"] = by.atom_id
    yield note(OP_OF_STATUS[status], atom.atom_id, by.atom_id if by else None, reason)
    after = yield from put_atom(ledger, atom, **changed)
    for contradiction in ledger.contradictions_of(atom.atom_id):
        if contradiction.status in OPEN:
            yield contradiction.model_copy(
                update={"status": "resolved", "rationale": SIDE_GONE, "updated_seq": ledger.seq}
            )
            yield from end_link(
                ledger, contradiction.atom_a_id, contradiction.atom_b_id, "contradicts", SIDE_GONE
            )
            yield note(
                "contradiction_closed", contradiction.contradiction_id, atom.atom_id, SIDE_GONE
            )
    for pair in ledger.merge_candidates_of(atom.atom_id):
        if pair.state == "open":
            key = pair.merge_candidate_id
            yield pair.model_copy(update={"state": "withdrawn"})
            yield note("merge_candidate_closed", key, atom.atom_id, SIDE_GONE)
    if status != "merged" and reason != NEWER_FACT:
        yield from _reopen_superseded(ledger, after)
    return after


def _reopen_superseded(ledger: CurrentLedger, answer: AtomRecord) -> Changes[None]:
    """What the atom answered is open again, where somebody still asks it, and what it replaced as
    the newer fact holds again.
    """
    for link in ledger.links_of(answer.atom_id):
        question = ledger.atom(link.to_atom_id)
        if question is None or question.superseded_by != answer.atom_id:
            continue
        asked = any(not row.stale for row in ledger.rows_of(question.atom_id))
        if question.status_reason in (ANSWERED, NEWER_FACT) and asked:
            yield from end_link(ledger, answer.atom_id, question.atom_id, "supersedes", ANSWER_GONE)
            yield note("status_set", question.atom_id, None, ANSWER_GONE, "active")
            yield from put_atom(
                ledger, question, status="active", status_reason=ANSWER_GONE, superseded_by=None
            )
