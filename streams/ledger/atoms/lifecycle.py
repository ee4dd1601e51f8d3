"""What follows when an atom stops being live: nothing may go on waiting for it."""

from __future__ import annotations

from schemas.events.ledger import AtomRecord, AtomStatus, ChangeOp
from streams.ledger.turns.draft import ChangeSetDraft
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
    draft: ChangeSetDraft,
    atom: AtomRecord,
    status: AtomStatus,
    reason: str,
    by: AtomRecord | None = None,
) -> AtomRecord:
    """The atom with a status that is not live; its open contradictions and merge reviews end."""
    changed: dict[str, object] = {"status": status, "status_reason": reason}
    if by and status == "merged":
        changed["merged_into"] = by.atom_id
    if by and status == "superseded":
        changed["superseded_by"] = by.atom_id
    draft.note(OP_OF_STATUS[status], atom.atom_id, by.atom_id if by else None, reason)
    after = draft.put_atom(atom, **changed)
    for contradiction in draft.contradictions_of(atom.atom_id):
        if contradiction.status in OPEN:
            draft.contradictions[contradiction.contradiction_id] = contradiction.model_copy(
                update={"status": "resolved", "rationale": SIDE_GONE, "updated_seq": draft.seq}
            )
            draft.unlink(contradiction.atom_a_id, contradiction.atom_b_id, "contradicts", SIDE_GONE)
            draft.note(
                "contradiction_closed", contradiction.contradiction_id, atom.atom_id, SIDE_GONE
            )
    for pair in draft.merge_candidates_of(atom.atom_id):
        if pair.state == "open":
            key = pair.merge_candidate_id
            draft.merge_candidates[key] = pair.model_copy(update={"state": "withdrawn"})
            draft.note("merge_candidate_closed", key, atom.atom_id, SIDE_GONE)
    if status != "merged" and reason != NEWER_FACT:
        _reopen_superseded(draft, after)
    return after


def _reopen_superseded(draft: ChangeSetDraft, answer: AtomRecord) -> None:
    """What the atom answered is open again, where somebody still asks it, and what it replaced as
    the newer fact holds again.
    """
    for link in draft.links_of(answer.atom_id):
        question = draft.atom(link.to_atom_id)
        if question is None or question.superseded_by != answer.atom_id:
            continue
        asked = any(not row.stale for row in draft.rows_of(question.atom_id))
        if question.status_reason in (ANSWERED, NEWER_FACT) and asked:
            draft.unlink(answer.atom_id, question.atom_id, "supersedes", ANSWER_GONE)
            draft.note("status_set", question.atom_id, None, ANSWER_GONE, "active")
            draft.put_atom(question, status="active", status_reason=ANSWER_GONE, superseded_by=None)
