"""People decide about the ledger; the ledger's writer has the last word.

The answer is that it is recorded (202), and `Location` tells what becomes of it; with ``wait`` it
is the ledger's (200), unless the ledger takes longer. A decision about what has changed since
``expected_revision`` is refused (409), at once where the tables show it. What a member decides is a
proposal (202 with ``proposed``), which ``proposals`` lists and answers.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.http.access import DECIDERS, READERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep, Write, WriteDep
from infra.http.moments import read_since
from infra.http.parameters import (
    DEFAULT_LIMIT,
    OF_ANY,
    Cursor,
    Limit,
    Named,
    Project,
    UpdatedSince,
    View,
    Wait,
)
from infra.platform.errors import Invalid, NotFound, Unavailable
from infra.service.deciding import decisions as decide
from infra.service.deciding.decisions import UNANSWERED, Decider
from infra.service.deciding.sent_decisions import SubmittedDecision, read_sent, url_of
from infra.store.tokens import Caller
from projections.read import belonging, decision_list
from projections.read.decided import DecisionAnswer
from projections.read.page import Page
from schemas.events.hitl import Role

router = APIRouter(route_class=Guarded, tags=["Decisions"])
WAITS_S = 20.0
Id = Annotated[str, Path(max_length=100)]
Resolution = Literal["a_wins", "b_wins", "both_valid", "reworded"]


class DecisionRequest(BaseModel):
    """``expected_revision`` is the revision that was looked at; without it the present one."""

    model_config = ConfigDict(extra="forbid")

    rationale: str = Field("", max_length=4_000)
    expected_revision: int | None = Field(None, ge=0, le=2**31 - 1)


class Verification(DecisionRequest):
    """``floor``: the confidence below which no run lowers the atom; 0.90 without it."""

    floor: float | None = Field(None, ge=0, le=1)


class MergeDecision(DecisionRequest):
    decision: Literal["approve", "reject"]


class ContradictionDecision(DecisionRequest):
    """``resolution_kind`` belongs to ``resolve``, ``escalated_to`` to ``escalate``."""

    decision: Literal["resolve", "escalate", "dismiss"]
    resolution_kind: Resolution | None = None
    escalated_to: str | None = Field(None, max_length=200)


class RecordedDecision(BaseModel):
    """The decision is in the log; the ledger answers it in time, which ``url`` tells.

    ``proposed``: it is a member's, so it changes nothing until an owner or a product manager
    accepts it: see the proposals of the project.
    """

    event_id: str
    hitl_event_id: str
    url: str
    target_id: str
    key: str
    proposed: bool


DECIDED: dict[int | str, dict[str, Any]] = OF_ANY | {
    200: {"model": DecisionAnswer, "description": "The ledger has applied it."},
    202: {
        "model": RecordedDecision,
        "description": "It is recorded, and not answered yet, or it is a proposal that waits.",
    },
}


@router.post(
    "/v1/projects/{project}/merge-candidates/{review_id}/decision",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def decide_merge(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    review_id: Id,
    body: MergeDecision,
    wait: Wait = False,
) -> Any:
    """Say whether the two atoms of a pair in review are one."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, review_id)
    return await answer(
        decide.review_merge(api.settings, review_id, by, body.decision), by, review_id
    )


@router.post(
    "/v1/projects/{project}/merges/{merged_id}/undo",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def undo_merge(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    merged_id: Id,
    body: DecisionRequest,
    wait: Wait = False,
) -> Any:
    """Take a merge apart: by its id, or that of the atom that was merged away."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, merged_id)
    return await answer(decide.undo_merge(api.settings, merged_id, by), by, None)


@router.post(
    "/v1/projects/{project}/contradictions/{contradiction_id}/decision",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def decide_contradiction(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    contradiction_id: Id,
    body: ContradictionDecision,
    wait: Wait = False,
) -> Any:
    """Resolve a contradiction, hand it on, or close it as none."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, contradiction_id)
    return await answer(
        _decide_contradiction(api, contradiction_id, by, body), by, contradiction_id
    )


@router.post(
    "/v1/projects/{project}/atoms/{atom_id}/verify",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def verify_atom(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    atom_id: Id,
    body: Verification,
    wait: Wait = False,
) -> Any:
    """Pin an atom: no run removes it or lowers its confidence below the floor."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, atom_id)
    return await answer(decide.verify_atom(api.settings, atom_id, by, body.floor), by, atom_id)


@router.post(
    "/v1/projects/{project}/atoms/{atom_id}/unverify",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def unverify_atom(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    atom_id: Id,
    body: DecisionRequest,
    wait: Wait = False,
) -> Any:
    """Withdraw a verification."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, atom_id)
    return await answer(decide.unverify_atom(api.settings, atom_id, by), by, atom_id)


@router.post(
    "/v1/projects/{project}/atoms/{atom_id}/dismiss",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def dismiss_atom(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    atom_id: Id,
    body: DecisionRequest,
    wait: Wait = False,
) -> Any:
    """Let an atom count no more; no run brings it back. It needs a rationale."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, atom_id)
    return await answer(decide.dismiss_atom(api.settings, atom_id, by), by, atom_id)


@router.post(
    "/v1/projects/{project}/atoms/{atom_id}/reinclude",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def reinclude_atom(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    atom_id: Id,
    body: DecisionRequest,
    wait: Wait = False,
) -> Any:
    """Restore a dismissed atom."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, atom_id)
    return await answer(decide.reinclude_atom(api.settings, atom_id, by), by, atom_id)


@router.get("/v1/projects/{project}/hitl-events", responses=OF_ANY)
@allow(*READERS)
async def list_decisions(
    api: ApiDep,
    project: Project,
    target: Named = None,
    updated_since: UpdatedSince = None,
    view: View = "whole",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[DecisionAnswer]:
    """What people decided and what the ledger answered, in ledger order.

    A slim one has no ``before_state`` and no ``after_state``.
    """
    return await api.tables.ask(
        decision_list.list_decisions,
        project,
        target=target,
        updated_since=read_since(updated_since),
        is_slim=view == "slim",
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/projects/{project}/hitl-events/{hitl_event_id}", responses=OF_ANY)
@allow(*READERS)
async def read_decision(api: ApiDep, project: Project, hitl_event_id: Id) -> SubmittedDecision:
    """Whether the ledger has taken or refused a decision, or has not answered it yet."""
    found = await api.tables.ask(read_sent, project, hitl_event_id)
    if found is None:
        raise NotFound(f"The project has nothing called {hitl_event_id}.", code="unknown_id")
    return found


@router.post(
    "/v1/projects/{project}/hitl-events/{hitl_event_id}/undo",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def undo_decision(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    hitl_event_id: Id,
    body: DecisionRequest,
    wait: Wait = False,
) -> Any:
    """Take back a decision, unless another one about its target followed it."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, hitl_event_id)
    return await answer(decide.undo_decision(api.settings, hitl_event_id, by), by, None)


def decider(caller: Caller, write: Write, body: DecisionRequest, wait: bool) -> Decider:
    """Who decides: the person of the token."""
    return Decider(
        name=caller.name,
        role=cast(Role, caller.role),
        rationale=body.rationale,
        expected_revision=body.expected_revision,
        key=write.key,
        answer_within_s=WAITS_S if wait else 0.0,
    )


async def answer(deciding: Awaitable[DecisionAnswer], by: Decider, target_id: str | None) -> Any:
    """The ledger's answer, or that there is none yet or that it waits (202). Raises what deciding
    raises.

    The key may have been used outside of this API, for another target: then the answer is not ours.
    """
    try:
        decision = await deciding
    except Unavailable as error:
        if error.code != UNANSWERED:
            raise
        return _say_recorded(RecordedDecision.model_validate(error.detail))
    if target_id is not None and decision.target_id != target_id:
        raise Invalid(
            "This idempotency key was used for another decision: take a new one.",
            code="idempotency_key_reused",
        )
    if decision.outcome == "proposed":
        return _say_recorded(
            RecordedDecision(
                event_id=decision.event_id,
                hitl_event_id=decision.hitl_event_id,
                url=url_of(decision.project_id, decision.hitl_event_id),
                target_id=decision.target_id,
                key=by.key,
                proposed=True,
            )
        )
    return decision


def _say_recorded(recorded: RecordedDecision) -> Response:
    headers = {"location": recorded.url}
    return Response(recorded.model_dump_json(), 202, headers, "application/json")


async def _decide_contradiction(
    api: Api, contradiction_id: str, by: Decider, body: ContradictionDecision
) -> DecisionAnswer:
    if body.decision == "resolve":
        if body.resolution_kind is None:
            raise Invalid(
                "Say how it is resolved: resolution_kind is missing.",
                code="resolution_kind_missing",
            )
        return await decide.resolve_contradiction(
            api.settings, contradiction_id, by, body.resolution_kind
        )
    if body.decision == "escalate":
        return await decide.escalate_contradiction(
            api.settings, contradiction_id, by, body.escalated_to
        )
    return await decide.dismiss_contradiction(api.settings, contradiction_id, by)
