"""Does turns of conversations with the agents: the graph over the log of the turn."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import infra.postgres
from infra.clock import SystemClock
from infra.errors import NotFound, Refusal, Unavailable
from infra.jobs.keeper import RunningJob
from infra.service.job_kind import Workplace, name_of
from infra.service.publishing import redactor_of
from infra.service.reading import ask
from infra.service.turn_log import TurnLog, TurnPlace
from infra.service.turn_payload import TurnPayload
from infra.settings import Settings
from projections.checksums import caught_up
from projections.core import CORE
from projections.read import agents as read
from projections.read.agents import TurnEvent
from schemas.events.agent import (
    AgentCitation,
    AgentEvent,
    RequestReceived,
    Responded,
)

if TYPE_CHECKING:
    from agents.models.call import ChatModel
    from agents.project.state import AgentState
    from agents.tools.tool import ToolRole
    from infra.service.agent_parts import TurnContext

HISTORY = 10  # messages of the conversation that the agents are shown
ANSWERED, WAITING = "answered", "waiting"
FAILED_SAID = "Something went wrong in this turn ({code}). Nothing more will happen; ask again."


async def run_agent_turn(
    place: Workplace, job: RunningJob, payload: TurnPayload
) -> Mapping[str, Any]:
    """Go through a turn up to its answer, or up to a question to a person."""
    lease, settings = job.lease, place.settings
    turn = TurnPlace(lease.project_id, payload.conversation_id, payload.turn_id, name_of(lease))
    may_be_known = not payload.is_first or lease.epoch > 1 or payload.given is not None
    known = await read_turn_events(settings, payload.turn_id, waits=may_be_known)
    if is_over(known):
        return {"status": ANSWERED, "turn_id": payload.turn_id}
    async with _open_log(settings, turn, known, f"{lease.job_id}|{lease.epoch}") as turn_log:
        if payload.given is not None:
            await turn_log.take_decision(**payload.given.model_dump())
        try:
            return await _perform(settings, turn_log, turn, payload)
        except Exception as error:
            is_last = lease.attempt >= lease.max_attempts
            if is_last or (isinstance(error, Refusal) and not isinstance(error, Unavailable)):
                code = _code_of(error)
                await turn_log.record_failure(code, FAILED_SAID.format(code=code))
            raise


async def _perform(
    settings: Settings, turn_log: TurnLog, turn: TurnPlace, payload: TurnPayload
) -> Mapping[str, Any]:
    from agents.project.confirmations import WaitsForConfirmation

    told: dict[str, Any] = {"turn_id": turn.turn_id}
    try:
        state = await run_turn(settings, turn_log, turn, payload.text, payload.role)
    except WaitsForConfirmation as waits:
        asked = waits.confirmation
        await turn_log.request_confirmation(
            confirmation_id=asked.confirmation_id,
            tool=asked.tool,
            arguments=json.dumps(asked.arguments, ensure_ascii=False, sort_keys=True),
            summary=asked.summary,
        )
        return told | {"status": WAITING, "confirmation_id": asked.confirmation_id}
    return told | {"status": ANSWERED, "iterations": state["iteration"]}


async def run_turn(
    settings: Settings, turn_log: TurnLog, turn: TurnPlace, text: str, role: str
) -> AgentState:
    """Go through the graph, up to the answer in the log. Raises what its parts raise."""
    from agents.project.graph import run_graph
    from infra.service.agent_parts import Surroundings, build_parts, read_context
    from infra.service.agent_tools import ServicePorts, open_tools

    await turn_log.record(RequestReceived, text=text, role=role)
    context = await read_context(settings, turn_log, turn, HISTORY)
    async with _open_model(settings, context.has_model) as model:
        around = Surroundings(
            turn=turn,
            role=cast("ToolRole", role),
            context=context,
            turn_log=turn_log,
            model=model,
            tools=open_tools(settings),
            ports=ServicePorts(settings),
            decisions=turn_log.list_decisions(),
        )
        state = await run_graph(build_parts(around), begin_state(text, context))
    await _respond(turn_log, state, context)
    return state


def begin_state(text: str, context: TurnContext) -> AgentState:
    from agents.project.state import MAX_ITERATIONS, SUPERVISOR, ProjectState

    return {
        "request": text,
        "project": ProjectState.model_validate(context.project),
        "current_agent": SUPERVISOR,
        "next_agent": "",
        "message_to_agent": "",
        "iteration": 0,
        "max_iterations": MAX_ITERATIONS,
        "results": [],
        "thoughts": [],
        "final_response": "",
        "should_end": False,
        "limit_reached": False,
        "chat_history": context.history,
    }


async def _respond(turn_log: TurnLog, state: AgentState, context: TurnContext) -> None:
    """The last event of the turn. Without a model the answer says so."""
    from agents.project.graph import find_best
    from agents.project.rule_answers import NO_MODEL

    best, text = find_best(state["results"]), state["final_response"]
    if not context.has_model and NO_MODEL not in text:
        text = f"{text}\n\n{NO_MODEL}"
    await turn_log.record(
        Responded,
        text=text,
        agent=best.agent if best else state["current_agent"],
        citations=[AgentCitation(**one.model_dump()) for one in best.citations] if best else [],
        engine=best.engine if best else ("model" if context.has_model else "rules"),
    )


@asynccontextmanager
async def _open_model(settings: Settings, is_wanted: bool) -> AsyncIterator[ChatModel | None]:
    """The model of a turn that began with one. None for a turn that began without."""
    if not is_wanted:
        yield None
        return
    from infra.service.models import open_model

    async with open_model(settings) as model:
        yield model


@asynccontextmanager
async def _open_log(
    settings: Settings, turn: TurnPlace, known: Sequence[TurnEvent], attempt: str
) -> AsyncIterator[TurnLog]:
    from connectors.runner import open_publish

    redactor = redactor_of(settings)
    async with open_publish(settings, SystemClock(), redactor) as publish:
        yield TurnLog(turn, known, redactor, publish, attempt)


async def read_turn_events(settings: Settings, turn_id: str, *, waits: bool) -> list[TurnEvent]:
    """The events of a turn; ``waits``: when the tables hold all that the log holds now."""
    if waits:
        conversations = replace(CORE, topics=(AgentEvent.topic,))
        with infra.postgres.connect(settings.conninfo, autocommit=True) as connection:
            await caught_up(conversations, settings, connection)
    return await ask(settings, lambda tables: read.turn_events(tables, turn_id))


def is_over(known: Sequence[TurnEvent]) -> bool:
    return any(each.event_type == Responded.type_name for each in known)


async def replay_turn(settings: Settings, turn_id: str) -> AgentState:
    """Run a turn again from its records alone; its state at the end. Nothing is made or told.

    Raises NotFound, RecordMissing for a record that the log does not hold.
    """
    known = await read_turn_events(settings, turn_id, waits=False)
    asked = next((each for each in known if each.event_type == RequestReceived.type_name), None)
    if asked is None:
        raise NotFound(f"There is no turn {turn_id}.", code="unknown_turn")
    turn = TurnPlace(asked.project_id, asked.conversation_id, turn_id, "")
    turn_log = TurnLog(turn, known, redactor_of(settings), publish=None)
    return await run_turn(settings, turn_log, turn, asked.data["text"], asked.data["role"])


def _code_of(error: Exception) -> str:
    return error.code if isinstance(error, Refusal) else "internal_error"
