"""What the assistant has done, by the logs of its turns: run again, forked, compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from infra.platform.settings import Settings
from infra.service.asking.agent_turns import replay_log
from infra.service.asking.agents import BegunTurn
from infra.service.asking.forks import ForkRequest, fork_events
from infra.service.asking.turn_comparison import TurnComparison, compare_events
from infra.service.asking.turn_events import read_own_turn, unknown_turn
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.assistant.conversations import Asks, check_project
from infra.service.assistant.tools import declare_tools
from infra.service.foundation.database import ask
from projections.read.agents import TurnEvent, list_chosen_projects
from projections.read.session import ReadModel


class AssistantCheckpoint(ReadModel):
    """The state of the comms agent at the end of a message: ``messages`` have grown with each step,
    all else is what came last. ``mem0_user_id`` is whose memories it may see. ``events`` were told
    again to the letter, but for questions and decisions; ``log_sha256`` is that of their contents.
    """

    query: str
    messages: list[dict[str, Any]]
    current_datetime: str | None
    mem0_user_id: str | None
    memories: list[str]
    memories_stored: bool
    conversation_id: str | None
    bound: list[str]
    round: int
    ended: str
    engine: str
    objections: list[str]
    events: int
    log_sha256: str


async def replay_own_turn(
    settings: Settings, environ: Mapping[str, str], asks: Asks, turn_id: str
) -> AssistantCheckpoint:
    """Run an answered message of this person again from its records alone. Nobody is asked, nothing
    is made or told. Raises NotFound, Conflict.
    """
    from infra.service.assistant.program import run_assistant

    async def program(turn_log: TurnLog, turn: TurnPlace) -> Mapping[str, Any]:
        asked = await turn_log.begin("", "")
        return await run_assistant(settings, environ, turn_log, turn, asked, saves=False)

    known = await read_own_events(settings, asks, turn_id)
    return AssistantCheckpoint.model_validate(await replay_log(settings, known, program))


async def fork_own_turn(settings: Settings, request: ForkRequest, asks: Asks) -> BegunTurn:
    """Begin a message that goes on from an event of another one of this person; see `fork_turn`."""
    known = await read_own_events(settings, asks, request.turn_id)
    project = _project_of(known)
    await check_project(settings, asks, project)
    tools = declare_tools(settings, project)
    return await fork_events(settings, known, request, tools.find, actor=asks.owner)


async def compare_own_turns(settings: Settings, asks: Asks, a: str, b: str) -> TurnComparison:
    """Two messages of this person, event by event. Raises NotFound."""
    return compare_events(
        await read_own_events(settings, asks, a), await read_own_events(settings, asks, b)
    )


async def read_own_events(settings: Settings, asks: Asks, turn_id: str) -> list[TurnEvent]:
    """The events of a message of this person. Raises NotFound, in the same words for one of others
    and for one in a conversation about a project that they see no more.
    """
    known = await read_own_turn(settings, asks.owner, turn_id)
    look = partial(list_chosen_projects, conversation_id=known[0].conversation_id)
    if not all(map(asks.sees, await ask(settings, look))):  # it may quote what was said before
        raise unknown_turn(turn_id)
    return known


def _project_of(known: Sequence[TurnEvent]) -> str:
    return str(known[0].data.get("project") or "")
