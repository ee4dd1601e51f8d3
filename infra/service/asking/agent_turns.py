"""Does turns of conversations with the agents: the graph over the log of the turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from infra.platform.errors import Conflict, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.asking.forks import read_copied
from infra.service.asking.turn_ends import abandon_calls
from infra.service.asking.turn_events import is_over, read_turn, read_turn_events
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.asking.turn_payload import TurnEnd, TurnPayload
from infra.service.foundation.database import ask, transact
from infra.service.foundation.job_kind import Workplace, name_of
from infra.service.foundation.publishing import redactor_of
from infra.service.ingesting.handed_documents import tell_kept
from infra.service.runs.checkpoints import make_saver, open_states
from infra.service.runs.driving import Paused, drive, replay
from infra.service.runs.opening import Opened, open_facts, open_run_model
from infra.service.runs.run_log import RunDiverged
from infra.store.jobs.keeper import RunningJob
from infra.store.jobs.lease import LeaseLost, check_held
from projections.read.agents import TurnEvent
from projections.read.session import ReadModel
from schemas.envelope import Actor
from schemas.events.agent import (
    AgentCitation,
    RequestReceived,
    Responded,
)

if TYPE_CHECKING:
    from agents.project.state import AgentState
    from agents.runs.saver import RunSaver
    from agents.tools.tool import ToolRole
    from infra.service.asking.agent_parts import TurnContext

HISTORY = 10  # messages of the conversation that the agents are shown
ANSWERED, WAITING, ENDED = "answered", "waiting", "ended"
STOPPED = "the conversation was stopped"
ENDED_SAID: Mapping[TurnEnd, str] = {
    "dead": "The turn has failed for good without an answer. Nothing more will happen; ask again.",
    "cancelled": "The turn was cancelled before it was answered. Nothing more will happen.",
}
FAILED_SAID = "Something went wrong in this turn ({code}). Nothing more will happen; ask again."
CHANGED_SAID = (
    "Cairn was updated while this turn waited, so the turn cannot go on where it stopped. Nothing"
    " more will happen; ask again."
)
FORK_CHANGED_SAID = (
    "Cairn was updated since the other turn, so this one cannot begin like it. Nothing more will"
    " happen; ask again."
)
CHANGE_UNFIT_SAID = (
    "What was changed does not fit what reads it, so the turn cannot go on. Nothing more will"
    " happen; fork again with another value."
)

Assist = Callable[
    [Settings, Mapping[str, str], TurnLog, TurnPlace, RequestReceived], Awaitable[object]
]


async def run_agent_turn(
    place: Workplace,
    job: RunningJob,
    payload: TurnPayload,
    assist: Assist,
    opened: Opened = open_facts,
) -> Mapping[str, Any]:
    """Go through a turn up to its answer, or up to a question to a person; ``assist`` goes through
    one of the assistant.
    """
    lease, settings = job.lease, place.settings
    turn = TurnPlace(lease.project_id, payload.conversation_id, payload.turn_id, name_of(lease))
    may_be_known = not payload.is_first or lease.epoch > 1 or payload.given is not None
    known = await read_turn_events(settings, payload.turn_id, waits=may_be_known)
    if is_over(known):
        await open_states(settings).drop(payload.turn_id)
        return {"status": ANSWERED, "turn_id": payload.turn_id}
    if payload.given is None and payload.ended is None and not payload.is_first:
        by = Actor(type="human", id=turn.asked_by)
        await transact(settings, partial(abandon_calls, payload=payload, by=by))
    async with opened(settings) as publish:
        attempt = f"{lease.job_id}|{lease.epoch}"
        check = partial(ask, settings, partial(check_held, lease=lease))
        turn_log = TurnLog(turn, known, redactor_of(settings), publish, attempt, check)
        if payload.ended is not None:
            return await _end(settings, turn_log, payload, payload.ended)
        if payload.given is not None:
            await turn_log.take_decision(**payload.given.model_dump(exclude={"message_key"}))
        try:
            if payload.fork is not None:
                turn_log.copy(await read_copied(settings, payload, turn))
            done = await _perform(place, turn_log, turn, payload, assist)
        except LeaseLost:
            raise  # whoever took the job away sees to its end
        except Exception as error:
            is_last = lease.attempt >= lease.max_attempts
            is_changed = payload.fork is not None and bool(payload.fork.changes)
            is_unfit = is_changed and isinstance(error, ValidationError)
            is_refused = isinstance(error, Refusal) and not isinstance(error, Unavailable)
            if is_last or is_refused or is_unfit:
                code = "change_unfit" if is_unfit else _code_of(error)
                said = CHANGE_UNFIT_SAID if is_unfit else FAILED_SAID
                if isinstance(error, RunDiverged):
                    said = FORK_CHANGED_SAID if payload.fork else CHANGED_SAID
                if turn_log.first is None:
                    turn_log.rewind()
                    await _begin(turn_log, payload)
                await turn_log.record_failure(code, said.format(code=code))
                await open_states(settings).drop(turn.turn_id)
            raise
        if done["status"] == ANSWERED:
            await open_states(settings).drop(turn.turn_id)
        return done


async def _begin(turn_log: TurnLog, payload: TurnPayload) -> RequestReceived:
    return await turn_log.begin(payload.text, payload.role, payload.fork, payload.assistant)


async def _perform(
    place: Workplace, turn_log: TurnLog, turn: TurnPlace, payload: TurnPayload, assist: Assist
) -> Mapping[str, Any]:
    from agents.project.state import STATE_TYPES

    settings = place.settings

    async def program() -> str:
        request = await _begin(turn_log, payload)
        if request.agent:
            await assist(settings, place.environ, turn_log, turn, request)
            return ANSWERED
        saver = make_saver(settings, turn_log, turn.turn_id, STATE_TYPES)
        await run_turn(settings, turn_log, turn, request, payload.attached, saver)
        return ANSWERED

    told: dict[str, Any] = {"turn_id": turn.turn_id}
    done = await drive(turn_log, program)
    if isinstance(done, Paused):
        waiting = [one.confirmation_id for one in done.confirmations]
        return told | {"status": WAITING, "confirmation_ids": waiting}
    return told | {"status": done}


async def _end(
    settings: Settings, turn_log: TurnLog, payload: TurnPayload, ended: TurnEnd
) -> Mapping[str, Any]:
    """The turn is over without an answer. Raises Unavailable where what its job still did came
    first: a job that is cancelled does not stop at once.
    """
    await _begin(turn_log, payload)
    for which in turn_log.list_open_questions() if payload.stopped_by else ():
        by = payload.stopped_by
        await turn_log.take_decision(which, decision="reject", reason=STOPPED, given_by=by)
    await turn_log.record_failure(f"turn_{ended}", ENDED_SAID[ended])
    await open_states(settings).drop(payload.turn_id)
    if not is_over(await read_turn_events(settings, payload.turn_id, waits=True)):
        raise Unavailable("The job of the turn has not stopped yet.", code="turn_goes_on")
    return {"status": ENDED, "turn_id": payload.turn_id}


async def run_turn(
    settings: Settings,
    turn_log: TurnLog,
    turn: TurnPlace,
    asked: RequestReceived,
    attached: Sequence[str] = (),
    saver: RunSaver | None = None,
) -> AgentState:
    """Go through the graph, up to the answer in the log. Raises what its parts raise.

    ``attached`` are the paths of the sources that came with a turn that begins now. With ``saver``
    it goes on at the step that was kept last.
    """
    from agents.project.graph import run_graph
    from agents.tools.registry import build_tools
    from infra.service.asking.agent_parts import (
        Surroundings,
        build_parts,
        read_context,
    )
    from infra.service.asking.agent_tools import ServicePorts

    context = await read_context(settings, turn_log, turn, HISTORY, attached)
    ports = ServicePorts(settings, can_research=context.has_research)
    async with open_run_model(
        settings, has_model=context.has_model, is_replay=turn_log.is_replay
    ) as model:
        around = Surroundings(
            turn=turn,
            role=cast("ToolRole", asked.role),
            context=context,
            turn_log=turn_log,
            model=model,
            tools=build_tools(ports),
            ports=ports,
            decisions=turn_log.list_decisions(),
        )
        begin = begin_state(asked.text, context, turn.project_id)
        state = await run_graph(build_parts(around), begin, saver)
    await _respond(turn_log, state, context.attached)
    return state


def begin_state(text: str, context: TurnContext, project_id: str) -> AgentState:
    """The state before the first step. The project is that of the turn, whatever was recorded."""
    from agents.project.state import MAX_ITERATIONS, SUPERVISOR, ProjectState

    return {
        "request": text,
        "project": ProjectState.model_validate(context.project | {"project_id": project_id}),
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


async def _respond(turn_log: TurnLog, state: AgentState, attached: Sequence[str]) -> None:
    """The last event of the turn. It names the sources that came with the message; where no model
    took part it says so.
    """
    from agents.project.graph import find_best
    from agents.project.rule_answers import NO_MODEL

    best, text = find_best(state["results"]), state["final_response"]
    if attached:
        text = f"{text}\n\n{tell_kept(attached)}"
    engines = {one.engine for one in state["thoughts"]} | {one.engine for one in state["results"]}
    if "model" not in engines and NO_MODEL not in text:
        text = f"{text}\n\n{NO_MODEL}"
    await turn_log.record(
        Responded,
        text=text,
        agent=best.agent if best else state["current_agent"],
        citations=[AgentCitation(**one.model_dump()) for one in best.citations] if best else [],
        engine=best.engine if best else state["thoughts"][-1].engine,
    )


class TurnCheckpoint(ReadModel):
    """The state of the graph at the end of a turn: ``results`` and ``thoughts`` have grown with
    each step, all else is what came last. ``events`` were told again to the letter, but for
    questions and decisions; ``log_sha256`` is that of their contents.
    """

    request: str
    project: dict[str, Any]
    current_agent: str
    next_agent: str
    message_to_agent: str
    iteration: int
    max_iterations: int
    results: list[dict[str, Any]]
    thoughts: list[dict[str, Any]]
    final_response: str
    should_end: bool
    limit_reached: bool
    chat_history: list[dict[str, str]]
    events: int
    log_sha256: str


async def replay_turn(settings: Settings, project: str, turn_id: str) -> TurnCheckpoint:
    """See `replay_events`. Raises NotFound, too."""
    return await replay_events(settings, await read_turn(settings, project, turn_id))


async def replay_events(settings: Settings, known: Sequence[TurnEvent]) -> TurnCheckpoint:
    """Run an answered turn again from its records alone. Nobody is asked, nothing is made or told.

    Raises Conflict for a turn without an answer, with a record that is missing, or that would tell
    something else now.
    """

    async def program(turn_log: TurnLog, turn: TurnPlace) -> AgentState:
        return await run_turn(settings, turn_log, turn, await turn_log.begin("", ""))

    return TurnCheckpoint.model_validate(await replay_log(settings, known, program))


async def replay_log(
    settings: Settings,
    known: Sequence[TurnEvent],
    program: Callable[[TurnLog, TurnPlace], Awaitable[Mapping[str, Any]]],
) -> dict[str, Any]:
    """The state to which a program of any agents comes from the records of an answered turn alone,
    with how many ``events`` were told again and their ``log_sha256``. Raises as `replay_events`.
    """
    if known[-1].event_type != Responded.type_name or known[-1].data["error"]:
        raise Conflict("The turn has no answer, so it has no end.", code="turn_not_answered")
    first = known[0]
    turn = TurnPlace(first.project_id, first.conversation_id, first.turn_id, "")
    turn_log = TurnLog(turn, known, redactor_of(settings), publish=None)
    state = await replay(turn_log, lambda: program(turn_log, turn))
    events, log_sha256 = turn_log.describe_replay()
    told: dict[str, Any] = to_jsonable_python(dict(state))
    return told | {"events": events, "log_sha256": log_sha256}


def _code_of(error: Exception) -> str:
    return error.code if isinstance(error, Refusal) else "internal_error"
