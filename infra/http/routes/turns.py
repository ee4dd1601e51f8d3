"""Turns of conversations by their logs: read, replay, fork and compare them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import READERS, WRITERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.http.routes.chat import STREAMED, Accepts, Turn, answer_turn
from infra.service.asking import agent_turns, forks, turn_comparison, turn_events
from infra.service.asking.agent_turns import TurnCheckpoint
from infra.service.asking.forks import ForkRequest
from infra.service.asking.turn_comparison import TurnComparison
from projections.read import agents
from projections.read.agents import AskedTurn, TurnEvent
from projections.read.page import Page

router = APIRouter(route_class=Guarded, tags=["Chat"])
TURNS = "/v1/projects/{project}/turns"
ROOT = TURNS + "/{turn_id}"
TurnId = Annotated[str, Path(max_length=100)]
MOST_CHANGES = 20


class TurnFork(BaseModel):
    """``at`` is an event of the turn, by number or id; ``changes`` are values of that event by
    dotted path. ``wait`` False: the fork is only begun.
    """

    model_config = ConfigDict(extra="forbid")

    at: str = Field(min_length=1, max_length=100)
    changes: dict[str, Any] = Field(default={}, max_length=MOST_CHANGES)
    wait: bool = True


class TurnEvents(BaseModel):
    """All events of a turn, in their order."""

    events: list[TurnEvent]


@router.get(TURNS, responses=OF_ANY)
@allow(*READERS)
async def list_turns(
    api: ApiDep,
    project: Project,
    conversation: Annotated[str | None, Query(max_length=100)] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[AskedTurn]:
    """Turns of conversations by their questions, the newest first."""
    return await api.tables.ask(
        agents.list_turns, project, conversation=conversation, cursor=cursor, limit=limit
    )


@router.get(ROOT + "/events", responses=OF_ANY)
@allow(*READERS)
async def list_turn_events(api: ApiDep, project: Project, turn_id: TurnId) -> TurnEvents:
    """The log of a turn: what was asked, answered by models and tools, decided and told."""
    return TurnEvents(events=await turn_events.read_turn(api.settings, project, turn_id))


@router.get(ROOT + "/checkpoint", responses=OF_ANY)
@allow(*READERS)
async def replay_turn(api: ApiDep, project: Project, turn_id: TurnId) -> TurnCheckpoint:
    """The state of the agents at the end of an answered turn, run again from its records."""
    return await agent_turns.replay_turn(api.settings, project, turn_id)


@router.get(ROOT + "/comparison", responses=OF_ANY)
@allow(*READERS)
async def compare_turns(
    api: ApiDep,
    project: Project,
    turn_id: TurnId,
    other: Annotated[str, Query(max_length=100)],
) -> TurnComparison:
    """Two turns: the first event that is not the same, what they cost, which tools they called."""
    return await turn_comparison.compare_turns(api.settings, project, turn_id, other)


@router.post(ROOT + "/fork", response_model=Turn, responses=STREAMED | OF_ANY)
@allow(*WRITERS, writes=True)
async def fork_turn(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    turn_id: TurnId,
    body: TurnFork,
    accept: Accepts = None,
) -> Any:
    """Go on from an event of a turn otherwise, in a new conversation. What it does is done. Its
    answer comes as of a question. At event 0 the question is asked anew, without what was said
    before it and the documents that came with it.
    """
    request = ForkRequest(project, turn_id, body.at, body.changes, write.key, caller.role)
    turn = await forks.fork_turn(api.settings, request, actor=caller.name)
    return await answer_turn(api, caller, turn, accept, wait=body.wait)
