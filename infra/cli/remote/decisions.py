"""Decisions over HTTP: the token says who decides, and the ledger's answer is waited for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from infra.cli.remote.asking import adopt, ask_about, look_until_there
from infra.client.client import Client
from infra.client.models.decisions import (
    ContradictionDecision,
    DecisionAnswer,
    MergeDecision,
    ProposalAnswer,
    Reasons,
    RecordedDecision,
    Verification,
)
from infra.client.models.decisions import Decision as Answered
from infra.platform.errors import Invalid, Refusal
from infra.platform.settings import Settings
from infra.service.deciding.decisions import (
    Answer,
    Decider,
    Decision,
    Resolution,
    Verdict,
    check_outcome,
    unanswered,
)

Deciding = Callable[[Client, str], Answered | RecordedDecision]


async def review_merge(
    settings: Settings, review_id: str, by: Decider, verdict: Verdict
) -> Decision:
    body = MergeDecision(decision=verdict, **_reasons(by))
    return await _decide(
        settings,
        review_id,
        by,
        lambda client, known: client.decide_merge(known, review_id, body, wait=True, key=by.key),
    )


async def undo_merge(settings: Settings, merged_id: str, by: Decider) -> Decision:
    body = Reasons(**_reasons(by))
    return await _decide(
        settings,
        merged_id,
        by,
        lambda client, known: client.undo_merge(known, merged_id, body, wait=True, key=by.key),
    )


async def answer_proposal(
    settings: Settings, proposal_id: str, by: Decider, verdict: Answer
) -> Decision:
    def deciding(client: Client, known: str) -> Answered | RecordedDecision:
        if verdict == "withdraw":
            own = Reasons(**_reasons(by))
            return client.withdraw_proposal(known, proposal_id, own, wait=True, key=by.key)
        body = ProposalAnswer(decision=verdict, **_reasons(by))
        return client.decide_proposal(known, proposal_id, body, wait=True, key=by.key)

    return await _decide(settings, proposal_id, by, deciding)


async def undo_decision(settings: Settings, decision_id: str, by: Decider) -> Decision:
    body = Reasons(**_reasons(by))
    return await _decide(
        settings,
        decision_id,
        by,
        lambda client, known: client.undo_decision(known, decision_id, body, wait=True, key=by.key),
    )


async def resolve_contradiction(
    settings: Settings, contradiction_id: str, by: Decider, resolution: Resolution
) -> Decision:
    body = ContradictionDecision(decision="resolve", resolution_kind=resolution, **_reasons(by))
    return await _decide_contradiction(settings, contradiction_id, by, body)


async def escalate_contradiction(
    settings: Settings, contradiction_id: str, by: Decider, to: str | None = None
) -> Decision:
    body = ContradictionDecision(decision="escalate", escalated_to=to, **_reasons(by))
    return await _decide_contradiction(settings, contradiction_id, by, body)


async def dismiss_contradiction(settings: Settings, contradiction_id: str, by: Decider) -> Decision:
    body = ContradictionDecision(decision="dismiss", **_reasons(by))
    return await _decide_contradiction(settings, contradiction_id, by, body)


async def verify_atom(
    settings: Settings, atom_id: str, by: Decider, floor: float | None = None
) -> Decision:
    body = Verification(floor=floor, **_reasons(by))
    return await _decide(
        settings,
        atom_id,
        by,
        lambda client, known: client.verify_atom(known, atom_id, body, wait=True, key=by.key),
    )


async def unverify_atom(settings: Settings, atom_id: str, by: Decider) -> Decision:
    body = Reasons(**_reasons(by))
    return await _decide(
        settings,
        atom_id,
        by,
        lambda client, known: client.unverify_atom(known, atom_id, body, wait=True, key=by.key),
    )


async def dismiss_atom(settings: Settings, atom_id: str, by: Decider) -> Decision:
    body = Reasons(**_reasons(by))
    return await _decide(
        settings,
        atom_id,
        by,
        lambda client, known: client.dismiss_atom(known, atom_id, body, wait=True, key=by.key),
    )


async def reinclude_atom(settings: Settings, atom_id: str, by: Decider) -> Decision:
    body = Reasons(**_reasons(by))
    return await _decide(
        settings,
        atom_id,
        by,
        lambda client, known: client.reinclude_atom(known, atom_id, body, wait=True, key=by.key),
    )


async def _decide_contradiction(
    settings: Settings, contradiction_id: str, by: Decider, body: ContradictionDecision
) -> Decision:
    def deciding(client: Client, known: str) -> Answered | RecordedDecision:
        return client.decide_contradiction(known, contradiction_id, body, wait=True, key=by.key)

    return await _decide(settings, contradiction_id, by, deciding)


async def _decide(settings: Settings, target_id: str, by: Decider, deciding: Deciding) -> Decision:
    """Raises what the ledger refuses, with its decision in the detail as it is here."""
    if by.role != "owner":
        raise Invalid("Over HTTP the token says the role: leave --role out.", code="role_of_token")

    def decide(client: Client, project_id: str) -> Decision:
        try:
            answer = deciding(client, project_id)
        except Refusal as error:
            if decision := error.detail.get("decision"):
                error.detail["decision"] = asdict(adopt(Decision, decision))
            raise
        if isinstance(answer, RecordedDecision):
            return check_outcome(
                adopt(Decision, _await_answer(client, project_id, answer, by.answer_within_s))
            )
        return adopt(Decision, answer)

    return await ask_about(settings, target_id, decide)


def _await_answer(
    client: Client, project_id: str, recorded: RecordedDecision, patience_s: float
) -> DecisionAnswer:
    """The ledger's answer to what is recorded. Raises Unavailable when it does not come in time."""

    def look() -> DecisionAnswer | None:
        return client.read_decision(project_id, recorded.hitl_event_id).answer

    answer = look_until_there(look, patience_s)
    if answer is None:
        raise unanswered(recorded.model_dump(), patience_s)
    return answer


def _reasons(by: Decider) -> dict[str, Any]:
    return {"rationale": by.rationale, "expected_revision": by.expected_revision}
