"""A person's decision becomes a change set without a turn.

The ledger, as the single writer, has the last word on every decision: who may decide, whether the
target still is what the person saw, and whether the decision can be carried out. What cannot is
recorded as refused, with the reason and the target as it is, and changes nothing. What a member
decides is recorded as proposed when it could be carried out (see ``proposals``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, TypeVar

from schemas.envelope import Envelope, Part
from schemas.events.hitl import (
    DECIDING,
    ContradictionDecided,
    DocumentRoleDecided,
    MergeDecided,
    MergeUndone,
    PersonDecided,
    ProposalDecided,
)
from schemas.events.ledger import EvidenceRow, HumanDecision, Resolution, Snapshot
from schemas.ids import hitl_event_id
from streams.ledger.people.decided_atoms import apply_to_atom
from streams.ledger.people.decided_contradictions import apply_to_contradiction
from streams.ledger.people.decided_documents import apply_to_document
from streams.ledger.people.decided_merges import apply_to_merge, undo_merge
from streams.ledger.people.proposals import AS_TOLD, decision_of, find_waiting, require_new
from streams.ledger.people.ruling import Refused, Ruling
from streams.ledger.summary import derive_summary
from streams.ledger.turns.changes import Changes, note
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.decisions import DueDecision
from streams.ledger.turns.draft import ChangeSetDraft
from streams.ledger.turns.state import LedgerState
from streams.stage import Table

P = TypeVar("P", bound=Part)
Outcome = Literal["applied", "refused", "proposed", "declined", "withdrawn"]


def decision_change_set(state: LedgerState, due: DueDecision) -> Envelope:
    """The one record that a decision leads to."""
    if isinstance(due.decided, ProposalDecided):
        return _decide_proposal(state, due, due.decided)
    draft = ChangeSetDraft(state, due)
    ruling = _make_ruling(draft.ledger, due)
    may_decide = due.decided.actor_role in DECIDING
    try:
        if not may_decide:
            require_new(state, draft.ledger.project, due.actor_id, due.decided, _names(due.decided))
        draft.apply(_apply(draft.ledger, ruling, due.decided))
    except Refused as refused:
        return _refuse(state, due, ruling, refused)
    if not may_decide:
        return _propose(state, due, ruling)
    return _record_effect(draft, due, ruling)


def _propose(state: LedgerState, due: DueDecision, ruling: Ruling) -> Envelope:
    """It could be carried out, and waits for somebody who may decide it."""
    return _record_without_effect(state, due, ruling, "hitl_proposed", "proposed")


def _decide_proposal(state: LedgerState, due: DueDecision, answer: ProposalDecided) -> Envelope:
    """The decision as it was proposed, under the name of who accepts it; or nothing but a no, of
    who may decide it, or of who has proposed it.
    """
    ruling = _make_ruling(ChangeSetDraft(state, due).ledger, due)
    proposal = find_waiting(state, due.cause.project_id, answer)
    if proposal is None:
        return _refuse(state, due, ruling, Refused("not_waiting"))
    proposed = replace(due, decided=decision_of(proposal, answer), proposal=proposal)
    if answer.decision == "withdraw":
        if proposal.actor_id != due.actor_id:
            return _refuse(state, proposed, ruling, Refused("not_own_proposal"))
        return _record_without_effect(state, proposed, ruling, "hitl_withdrawn", "withdrawn")
    if answer.actor_role not in DECIDING:
        return _refuse(state, proposed, ruling, Refused("role_may_only_propose"))
    if answer.decision == "decline":
        if not ruling.rationale:
            return _refuse(state, proposed, ruling, Refused("rationale_missing"))
        return _record_without_effect(state, proposed, ruling, "hitl_declined", "declined")
    return decision_change_set(state, proposed)


def refuse_as_undecided(state: LedgerState, due: DueDecision, reason: str) -> Envelope:
    """The answer to a decision that cannot be made, or whose effect fits into no record."""
    ruling = _make_ruling(ChangeSetDraft(state, due).ledger, due)
    return _refuse(state, due, ruling, Refused(reason))


def _apply(ledger: CurrentLedger, ruling: Ruling, decided: PersonDecided) -> Changes[None]:
    match decided:
        case MergeDecided():
            yield from apply_to_merge(ledger, ruling, decided)
        case MergeUndone():
            yield from undo_merge(ledger, ruling, decided)
        case ContradictionDecided():
            yield from apply_to_contradiction(ledger, ruling, decided)
        case DocumentRoleDecided():
            yield from apply_to_document(ledger, ruling, decided)
        case _:
            yield from apply_to_atom(ledger, ruling, decided)


def _make_ruling(ledger: CurrentLedger, due: DueDecision) -> Ruling:
    return Ruling(
        hitl_event_id=hitl_event_id(ledger.project, ledger.cause_id),
        actor_id=due.actor_id,
        at=ledger.at,
        rationale=due.decided.rationale.strip(),
        undoes=due.decided.undoes,
    )


def _record_effect(draft: ChangeSetDraft, due: DueDecision, ruling: Ruling) -> Envelope:
    action, decision, _ = _names(due.decided)
    resolution = Resolution(
        action=f"{action}:{decision}" if decision else action,
        actor=ruling.actor_id,
        rationale=ruling.rationale,
        at=ruling.at,
        hitl_event_id=ruling.hitl_event_id,
    )
    atoms = draft.made.atoms
    if not isinstance(due.decided, DocumentRoleDecided):  # which says nothing of its atoms
        for atom_id, atom in atoms.items():
            atoms[atom_id] = atom.model_copy(update={"resolution": resolution})
    target = due.decided.target_id
    undone = f"undoes {ruling.undoes}" if ruling.undoes else ""
    draft.lay(note("hitl_applied", target, ruling.hitl_event_id, resolution.action, undone))
    hitl = _record(due, ruling, "applied", _before(draft))
    event = draft.event(derive_summary(draft.ledger) if atoms else None, hitl)
    return due.cause.caused(event, lane="none", run_id=None)


def _refuse(state: LedgerState, due: DueDecision, ruling: Ruling, refused: Refused) -> Envelope:
    draft = ChangeSetDraft(state, due)
    draft.lay(note("hitl_refused", due.decided.target_id, ruling.hitl_event_id, refused.code))
    shown = _show(draft.ledger, [due.decided.target_id, *refused.records])
    hitl = _record(due, ruling, "refused", shown, refused.code)
    return due.cause.caused(draft.event(None, hitl), lane="none", run_id=None)


def _record_without_effect(
    state: LedgerState,
    due: DueDecision,
    ruling: Ruling,
    op: Literal["hitl_proposed", "hitl_declined", "hitl_withdrawn"],
    outcome: Literal["proposed", "declined", "withdrawn"],
) -> Envelope:
    draft = ChangeSetDraft(state, due)
    draft.lay(note(op, due.decided.target_id, ruling.hitl_event_id, _names(due.decided)[0]))
    hitl = _record(due, ruling, outcome, _show(draft.ledger, [due.decided.target_id]))
    return due.cause.caused(draft.event(None, hitl), lane="none", run_id=None)


def _record(
    due: DueDecision, ruling: Ruling, outcome: Outcome, before: Snapshot, refusal: str = ""
) -> HumanDecision:
    action, decision, target_type = _names(due.decided)
    proposal = due.proposal
    return HumanDecision(
        hitl_event_id=ruling.hitl_event_id,
        action=action,
        target_type=target_type,
        target_id=due.decided.target_id,
        decision=decision,
        outcome=outcome,
        rationale=ruling.rationale,
        actor_id=ruling.actor_id,
        actor_role=due.decided.actor_role,
        expected_revision=due.decided.expected_revision,
        refusal=refusal,
        undoes=ruling.undoes,
        floor=getattr(due.decided, "floor", None),
        escalated_to=getattr(due.decided, "escalated_to", None),
        proposal_id=proposal.hitl_event_id if proposal else None,
        proposed_by=proposal.actor_id if proposal else None,
        before=before,
    )


def _names(decided: PersonDecided) -> tuple[str, str, Any]:
    """Action, decision and target type, in the words of the event log."""
    match decided:
        case MergeDecided():
            return "merge_review", decided.decision, "merge_candidate"
        case ContradictionDecided():
            decision = decided.resolution_kind or decided.decision
            if decided.decision != "resolve":
                decision = decided.decision
            return "contradiction_resolution", decision, "contradiction"
        case ProposalDecided():
            return "proposal", decided.decision, "proposal"
        case DocumentRoleDecided():
            return "document_role", decided.role or AS_TOLD, "document"
        case _:
            return ACTIONS[decided.type_name], "", "atom"


ACTIONS = {
    "hitl.atom_verified": "atom_verification",
    "hitl.atom_unverified": "unverify",
    "hitl.atom_dismissed": "atom_dismissal",
    "hitl.atom_reincluded": "atom_reinclusion",
    "hitl.merge_undone": "unmerge",
}


def _before(draft: ChangeSetDraft) -> Snapshot:
    """Every record of the draft that was there, as it stood."""
    view, project, made = draft.ledger.state.view, draft.ledger.project, draft.made
    keys = [f"{one}|{other}" for one, other in made.mentions]
    return Snapshot(
        atoms=_list_known(view.atoms, project, made.atoms),
        evidence=_rows_before(draft),
        links=_list_known(view.links, project, made.links),
        mentions=_list_known(view.mentions, project, keys),
        merge_candidates=_list_known(view.merge_candidates, project, made.merge_candidates),
        contradictions=_list_known(view.contradictions, project, made.contradictions),
        document_roles=_list_known(view.document_roles, project, made.document_roles),
    )


def _list_known(table: Table[P], project: str, keys: Iterable[str]) -> list[P]:
    found = (table.get(f"{project}|{key}") for key in keys)
    return [record for record in found if record is not None]


def _rows_before(draft: ChangeSetDraft) -> list[EvidenceRow]:
    """The rows at the atoms that held them, which are parties of a merge when they moved."""
    parties = [
        atom_id
        for op in draft.made.merge_ops
        for atom_id in (op.winner_atom_id, op.loser_atom_id)
        if atom_id
    ]
    evidence_rows: list[EvidenceRow] = []
    for row in draft.made.evidence.values():
        held = (
            draft.ledger.state.evidence_row(draft.ledger.project, atom_id, row.evidence_id)
            for atom_id in dict.fromkeys((row.atom_id, *parties))
        )
        evidence_rows += [known for known in held if known]
    return evidence_rows


def _show(ledger: CurrentLedger, keys: list[str]) -> Snapshot:
    """The target and what else was the reason, as they are; nothing of what there is not."""
    view, project = ledger.state.view, ledger.project
    return Snapshot(
        atoms=_list_known(view.atoms, project, keys),
        merge_candidates=_list_known(view.merge_candidates, project, keys),
        contradictions=_list_known(view.contradictions, project, keys),
        document_roles=_list_known(view.document_roles, project, keys),
    )
