"""What members propose: one queue for all who may decide it, and for members what became of it."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter

from infra.http.access import DECIDERS, LEADERS, READERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Named, Project, Wait
from infra.http.routes.decisions import DECIDED, DecisionRequest, Id, answer, decider
from infra.service.deciding import decisions as decide
from projections.read import belonging, proposals
from projections.read.decided import DecisionAnswer
from projections.read.page import Page
from projections.read.proposals import Proposal

router = APIRouter(route_class=Guarded, tags=["Decisions"])
State = Literal["waiting", "accepted", "declined", "withdrawn", "all"]


class ProposalAnswer(DecisionRequest):
    """To decline needs a ``rationale``; without one an accepted decision has the proposal's.

    Without ``expected_revision`` it is accepted as the member saw it, and refused (409) when that
    has changed.
    """

    decision: Literal["accept", "decline"]


@router.get("/v1/projects/{project}/proposals", responses=OF_ANY)
@allow(*READERS)
async def list_proposals(
    api: ApiDep,
    project: Project,
    state: State = "waiting",
    target: Named = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Proposal]:
    """What members propose and why, in ledger order; what waits unless ``state`` says otherwise."""
    wanted = None if state == "all" else state
    return await api.tables.ask(
        proposals.list_proposals, project, state=wanted, target=target, cursor=cursor, limit=limit
    )


@router.get("/v1/projects/{project}/proposals/{proposal_id}", responses=OF_ANY)
@allow(*READERS)
async def read_proposal(api: ApiDep, project: Project, proposal_id: Id) -> Proposal:
    """One proposal, with the answer to it once there is one."""
    await api.tables.ask(belonging.check_belongs, project, proposal_id)
    return await api.tables.ask(proposals.read_proposal, proposal_id)


@router.post(
    "/v1/projects/{project}/proposals/{proposal_id}/decision",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*LEADERS, writes=True)
async def decide_proposal(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    proposal_id: Id,
    body: ProposalAnswer,
    wait: Wait = False,
) -> Any:
    """Decide as it was proposed, under both names, or decline it."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, proposal_id)
    deciding = decide.answer_proposal(api.settings, proposal_id, by, body.decision)
    return await answer(deciding, by, None)


@router.post(
    "/v1/projects/{project}/proposals/{proposal_id}/withdrawal",
    response_model=DecisionAnswer,
    responses=DECIDED,
)
@allow(*DECIDERS, writes=True)
async def withdraw_proposal(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    proposal_id: Id,
    body: DecisionRequest,
    wait: Wait = False,
) -> Any:
    """Take back what one has proposed oneself, as long as it waits; 403 for what others have."""
    by = decider(caller, write, body, wait)
    await api.tables.ask(belonging.check_belongs, project, proposal_id)
    deciding = decide.answer_proposal(api.settings, proposal_id, by, "withdraw")
    return await answer(deciding, by, None)
