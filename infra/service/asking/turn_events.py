"""The events of turns, as the tables hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from infra.platform import postgres
from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from projections.checksums import caught_up
from projections.core import CORE
from projections.read import agents as read
from projections.read.agents import TurnEvent
from projections.read.projects import find_project
from schemas.envelope import SERVICE_WIDE
from schemas.events.agent import AgentEvent, Responded


async def read_turn(settings: Settings, project: str, turn_id: str) -> list[TurnEvent]:
    """The events of a turn of this project. Raises NotFound."""
    project_id = await ask(settings, partial(find_project, name_or_id=project))
    known = await read_turn_events(settings, turn_id, waits=False)
    if not known or known[0].project_id != project_id:
        raise unknown_turn(turn_id)
    return known


async def read_own_turn(settings: Settings, owner: str, turn_id: str) -> list[TurnEvent]:
    """The events of a turn of the assistant that this person has asked. Raises NotFound."""
    known = await read_turn_events(settings, turn_id, waits=False)
    if not known or known[0].project_id != SERVICE_WIDE or known[0].data.get("owner") != owner:
        raise unknown_turn(turn_id)
    return known


def unknown_turn(turn_id: str) -> NotFound:
    return NotFound(
        f"There is no turn {turn_id}.", code="unknown_turn", detail={"turn_id": turn_id}
    )


async def read_turn_events(settings: Settings, turn_id: str, *, waits: bool) -> list[TurnEvent]:
    """The events of a turn; ``waits``: when the tables hold all that the log holds now."""
    if waits:
        await wait_for_turns(settings)
    return await ask(settings, lambda tables: read.list_turn_events(tables, turn_id))


async def wait_for_turns(settings: Settings) -> None:
    """Return when the tables hold all that the log of conversations holds now."""
    conversations = replace(CORE, topics=(AgentEvent.topic,))
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        await caught_up(conversations, settings, connection)


def is_over(known: Sequence[TurnEvent]) -> bool:
    return any(each.event_type == Responded.type_name for each in known)
