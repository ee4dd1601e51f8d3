"""What the assistant has done for you, by the logs of its turns: read, replay, fork and compare."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from infra.http.access import READERS, WRITERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit
from infra.http.routes.assistant import asks_of
from infra.http.routes.chat import STREAMED, Accepts, Turn, answer_turn
from infra.http.routes.turns import TurnEvents, TurnFork, TurnId
from infra.service.asking.forks import ForkRequest
from infra.service.asking.turn_comparison import TurnComparison
from infra.service.assistant import logs
from infra.service.assistant.logs import AssistantCheckpoint
from projections.read import agents
from projections.read.agents import AskedTurn
from projections.read.page import Page
from schemas.envelope import SERVICE_WIDE

router = APIRouter(route_class=Guarded, tags=["Assistant"])
TURNS = "/v1/assistant/turns"
ROOT = TURNS + "/{turn_id}"


@router.get(TURNS, responses=OF_ANY)
@allow(*READERS)
async def list_own_turns(
    api: ApiDep,
    caller: CallerDep,
    conversation: Annotated[str | None, Query(max_length=100)] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[AskedTurn]:
    """Your messages to the assistant, the newest first."""
    return await api.tables.ask(
        agents.list_turns,
        SERVICE_WIDE,
        viewer=caller.viewer,
        conversation=conversation,
        cursor=cursor,
        limit=limit,
    )


@router.get(ROOT + "/events", responses=OF_ANY)
@allow(*READERS)
async def list_own_turn_events(api: ApiDep, caller: CallerDep, turn_id: TurnId) -> TurnEvents:
    """The log of a message of yours: what models and tools answered, was decided and told."""
    return TurnEvents(events=await logs.read_own_events(api.settings, asks_of(caller), turn_id))


@router.get(ROOT + "/checkpoint", responses=OF_ANY)
@allow(*READERS)
async def replay_own_turn(api: ApiDep, caller: CallerDep, turn_id: TurnId) -> AssistantCheckpoint:
    """The state of the assistant at the end of a message, run again from its records."""
    return await logs.replay_own_turn(api.settings, api.environ, asks_of(caller), turn_id)


@router.get(ROOT + "/comparison", responses=OF_ANY)
@allow(*READERS)
async def compare_own_turns(
    api: ApiDep, caller: CallerDep, turn_id: TurnId, other: Annotated[str, Query(max_length=100)]
) -> TurnComparison:
    """Two messages of yours: where they part, what they cost, which tools they called."""
    return await logs.compare_own_turns(api.settings, asks_of(caller), turn_id, other)


@router.post(ROOT + "/fork", response_model=Turn, responses=STREAMED | OF_ANY)
@allow(*WRITERS, writes=True)
async def fork_own_turn(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    turn_id: TurnId,
    body: TurnFork,
    accept: Accepts = None,
) -> Any:
    """Go on from an event of a message otherwise, in a new conversation. What it does is done."""
    request = ForkRequest("", turn_id, body.at, body.changes, write.key, caller.role)
    turn = await logs.fork_own_turn(api.settings, request, asks_of(caller))
    return await answer_turn(api, caller, turn, accept, wait=body.wait)
