"""Decide about the ledger: each decision is published, and the ledger's answer is waited for.

A decision raises NotFound for an unknown target, Conflict, Forbidden or Invalid when the ledger
refuses it (the code is the ledger's reason), and Unavailable when nobody answers in time. What the
tables show to be refused is refused before it is published (`sent_decisions`). The same key again
returns the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from infra.platform.errors import Conflict, Unavailable
from infra.platform.settings import Settings
from infra.service.deciding.compensation import find_compensation
from infra.service.deciding.refusals import refusal_of
from infra.service.deciding.sent_decisions import (
    is_sent,
    judge,
    note_sent,
    url_of,
    wait_for_others,
)
from infra.service.foundation.database import ask, wait_for
from infra.service.foundation.publishing import draw_key, make_request, publish
from projections.read import people, proposals
from projections.read.decided import DecisionAnswer
from schemas.document_roles.public import DocumentRole
from schemas.envelope import Envelope
from schemas.events.hitl import (
    DECIDING,
    AtomDismissed,
    AtomReincluded,
    AtomUnverified,
    AtomVerified,
    ContradictionDecided,
    DocumentRoleDecided,
    MergeDecided,
    MergeUndone,
    PersonDecided,
    ProposalDecided,
    Role,
)
from schemas.ids import hitl_event_id

ANSWERED_WITHIN_S = 30.0
OTHERS_WITHIN_S = 10.0  # how long an earlier decision about the same is waited for
UNANSWERED = "decision_unanswered"  # recorded, so it is decided in time
MERGE_OPERATION = "mop_"  # how the id of a merge begins

Verdict = Literal["approve", "reject"]
Answer = Literal["accept", "decline", "withdraw"]
Resolution = Literal["a_wins", "b_wins", "both_valid", "reworded"]


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decides and why; ``expected_revision`` is what they saw, None: what the tables show.

    ``answer_within_s`` is how long the ledger's answer is waited for; 0: only a decision that
    was sent before is answered, so what is said does not depend on how fast the ledger is.
    """

    name: str
    role: Role = "owner"
    rationale: str = ""
    expected_revision: int | None = None
    key: str = field(default_factory=draw_key)
    answer_within_s: float = ANSWERED_WITHIN_S


async def review_merge(
    settings: Settings, review_id: str, by: Decider, verdict: Verdict
) -> DecisionAnswer:
    """Say whether the two atoms of a merge review are one."""
    return await _decide(
        settings, review_id, by, MergeDecided, merge_candidate_id=review_id, decision=verdict
    )


async def undo_merge(settings: Settings, merged_id: str, by: Decider) -> DecisionAnswer:
    """Take apart what was merged; ``merged_id`` is the merge's or that of the atom merged away."""
    if merged_id.startswith(MERGE_OPERATION):
        operation_id = merged_id
        merged_id = await ask(settings, lambda tables: people.loser_of(tables, operation_id))
    return await _decide(settings, merged_id, by, MergeUndone, atom_id=merged_id)


async def resolve_contradiction(
    settings: Settings, contradiction_id: str, by: Decider, resolution: Resolution
) -> DecisionAnswer:
    return await _decide(
        settings,
        contradiction_id,
        by,
        ContradictionDecided,
        contradiction_id=contradiction_id,
        decision="resolve",
        resolution_kind=resolution,
    )


async def escalate_contradiction(
    settings: Settings, contradiction_id: str, by: Decider, to: str | None = None
) -> DecisionAnswer:
    """Escalate a contradiction; it blocks artifacts until it is decided."""
    return await _decide(
        settings,
        contradiction_id,
        by,
        ContradictionDecided,
        contradiction_id=contradiction_id,
        decision="escalate",
        escalated_to=to,
    )


async def dismiss_contradiction(
    settings: Settings, contradiction_id: str, by: Decider
) -> DecisionAnswer:
    """Close a contradiction that is none."""
    return await _decide(
        settings,
        contradiction_id,
        by,
        ContradictionDecided,
        contradiction_id=contradiction_id,
        decision="dismiss",
    )


async def verify_atom(
    settings: Settings, atom_id: str, by: Decider, floor: float | None = None
) -> DecisionAnswer:
    """Pin an atom: no run removes it or lowers its confidence below ``floor`` (None: 0.90)."""
    return await _decide(settings, atom_id, by, AtomVerified, atom_id=atom_id, floor=floor)


async def unverify_atom(settings: Settings, atom_id: str, by: Decider) -> DecisionAnswer:
    return await _decide(settings, atom_id, by, AtomUnverified, atom_id=atom_id)


async def dismiss_atom(settings: Settings, atom_id: str, by: Decider) -> DecisionAnswer:
    """Let an atom count no more; no run brings it back."""
    return await _decide(settings, atom_id, by, AtomDismissed, atom_id=atom_id)


async def reinclude_atom(settings: Settings, atom_id: str, by: Decider) -> DecisionAnswer:
    """Restore a dismissed atom."""
    return await _decide(settings, atom_id, by, AtomReincluded, atom_id=atom_id)


async def set_document_role(
    settings: Settings, source_id: str, by: Decider, role: DocumentRole | None
) -> DecisionAnswer:
    """Give a document a role, whatever its names tell; None: the one that they tell.

    Its statements count as of such a document at once, and nothing is read again.
    """
    return await _decide(
        settings, source_id, by, DocumentRoleDecided, source_id=source_id, role=role
    )


async def answer_proposal(
    settings: Settings, proposal_id: str, by: Decider, verdict: Answer
) -> DecisionAnswer:
    """Decide as a member has proposed, or decline it, which needs a rationale; who has proposed it
    may withdraw it.

    Without ``expected_revision`` it is about what the member saw. Raises Conflict when that has
    changed since then.
    """
    proposal = await ask(settings, lambda tables: proposals.read_proposal(tables, proposal_id))
    seen = proposal.expected_revision if by.expected_revision is None else by.expected_revision
    event = ProposalDecided(
        proposal_id=proposal_id,
        decision=verdict,
        expected_revision=seen,
        actor_role=by.role,
        rationale=by.rationale,
    )
    fact = make_request(event, proposal.project_id, by.name, by.key)
    decision_id = hitl_event_id(proposal.project_id, str(fact.event_id))
    is_repeated = await is_sent(settings, decision_id)
    if not is_repeated:
        _check_answer(proposal, by, verdict)
    return await _send(settings, fact, proposal_id, by, is_repeated=is_repeated)


def _check_answer(proposal: proposals.Proposal, by: Decider, verdict: Answer) -> None:
    """Raises what the ledger would, as far as the tables show it."""
    code = None
    if proposal.state != "waiting":
        code = "not_waiting"
    elif verdict == "withdraw" and by.name != proposal.proposed_by:
        code = "not_own_proposal"
    if code is not None:
        detail = {"target_id": proposal.proposal_id, "state": proposal.state}
        raise refusal_of(code, proposal.proposal_id, now={}, later="", detail=detail)


async def undo_decision(settings: Settings, decision_id: str, by: Decider) -> DecisionAnswer:
    """Take a decision back by a new one that names it.

    Raises Conflict when it cannot be taken back, or when its target was decided about since.
    """
    undone = await ask(settings, lambda tables: people.read_decision(tables, decision_id))
    target_id, kind, fields = find_compensation(undone)
    if kind is AtomDismissed and not by.rationale:
        by = replace(by, rationale=f"takes {decision_id} back")
    return await _decide(settings, target_id, by, kind, undoes=decision_id, **fields)


async def _decide(
    settings: Settings,
    target_id: str,
    by: Decider,
    kind: type[PersonDecided],
    **fields: Any,
) -> DecisionAnswer:
    seen = await ask(settings, lambda tables: people.read_target(tables, target_id))
    shared = {"actor_role": by.role, "rationale": by.rationale}

    def make(revision: int) -> Envelope:
        event = kind.model_validate(fields | shared | {"expected_revision": revision})
        return make_request(event, seen.project_id, by.name, by.key)

    fact = make(seen.revision)  # its id does not depend on the revision
    decision_id = hitl_event_id(seen.project_id, str(fact.event_id))
    is_repeated = await is_sent(settings, decision_id)
    if not is_repeated:
        is_last = await wait_for_others(
            settings, target_id, decision_id, min(by.answer_within_s, OTHERS_WITHIN_S)
        )
        if by.expected_revision is None:
            seen = await ask(settings, lambda tables: people.read_target(tables, target_id))
        fact = make(seen.revision if by.expected_revision is None else by.expected_revision)
        await _refuse_early(settings, fact, is_last=is_last)
    return await _send(settings, fact, target_id, by, is_repeated=is_repeated)


async def _send(
    settings: Settings, fact: Envelope, target_id: str, by: Decider, *, is_repeated: bool
) -> DecisionAnswer:
    """The ledger's answer. Raises its refusal, and Unavailable without an answer in time."""
    project_id, event_id = fact.project_id, str(fact.event_id)
    decision_id, may_decide = hitl_event_id(project_id, event_id), by.role in DECIDING
    await note_sent(settings, decision_id, project_id, target_id, may_decide=may_decide)
    await publish(settings, [fact])
    answer = None
    if by.answer_within_s or is_repeated:
        answer = await wait_for(
            settings,
            lambda tables: people.find_answer(tables, event_id),
            timeout_s=by.answer_within_s,
        )
    if answer is None:
        recorded = {
            "target_id": target_id,
            "key": by.key,
            "event_id": event_id,
            "hitl_event_id": decision_id,
            "url": url_of(project_id, decision_id),
            "proposed": not may_decide and not isinstance(fact.event, ProposalDecided),
        }
        raise unanswered(recorded, by.answer_within_s)
    return check_outcome(answer)


async def _refuse_early(settings: Settings, fact: Envelope, *, is_last: bool) -> None:
    """Raises what the ledger would, before anything is published.

    ``is_last`` False: another decision about the target waits for its answer, and changes what the
    person saw.
    """
    assert isinstance(fact.event, PersonDecided)
    code, target = await judge(settings, fact.event)
    if code is None and is_last:
        return
    target_id = fact.event.target_id
    detail: dict[str, object] = {"target_id": target_id}
    if target is not None:
        detail |= {"revision": target.revision, "status": target.status}
    if code is None:
        raise Conflict(
            f"{target_id} was not decided: another decision about it waits for its answer, which"
            " changes what you saw. Look again then.",
            code="stale_revision",
            detail=detail,
        )
    later = ""
    if target is not None and target.last_decision and code == "decided_since":
        known = target.last_decision
        last = await ask(settings, lambda tables: people.find_decision(tables, known))
        later = f": {last.action} by {last.actor_id} ({known})" if last else ""
    raise refusal_of(code, target_id, now=detail, later=later, detail=detail)


def unanswered(recorded: Mapping[str, Any], patience_s: float) -> Unavailable:
    """It is in the log, and decided in time; ``recorded`` names it."""
    return Unavailable(
        f"The decision is recorded, but the ledger has not answered within {patience_s:.0f} s.",
        code=UNANSWERED,
        detail=recorded,
    )


def check_outcome(decision: DecisionAnswer) -> DecisionAnswer:
    """``decision`` when it was applied. Raises the ledger's reason, with the target as it is."""
    if decision.outcome != "refused":
        return decision
    records = [record for kept in decision.before_state.values() for record in kept]
    raise refusal_of(
        decision.refusal,
        decision.target_id,
        now=records[0] if records else {},
        later=_name_last(records),
        detail={"decision": decision.model_dump()},
        is_proposal=bool(decision.proposal_id),
    )


def _name_last(records: list[dict[str, Any]]) -> str:
    """The last decision about any of the records; nothing when they name none."""
    found = [
        (made["at"], f": {made['action']} by {made['actor']} ({made['hitl_event_id']})")
        for record in records
        if (made := record.get("resolution"))
    ]
    found += [
        (record["decided_at"], f": a decision by {record['decided_by']} ({decision_id})")
        for record in records
        if (decision_id := record.get("hitl_event_id"))
    ]
    return max(found)[1] if found else ""
