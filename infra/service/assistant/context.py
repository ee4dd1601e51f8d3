"""What a message to the assistant begins with. It is recorded, so that whoever runs it again begins
alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict

from agents.assistant.memory import rank, user_namespace
from agents.assistant.providers import Provider
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from infra.platform.clock import SystemClock
from infra.platform.settings import Settings
from infra.service.asking.turn_events import wait_for_turns
from infra.service.asking.turn_log import TurnLog, TurnPlace
from infra.service.foundation.database import ask
from infra.service.models.models import has_model, has_research
from projections.read import agents as read
from projections.read import memories
from projections.read.session import Conn
from schemas.envelope import SERVICE_WIDE
from schemas.events.agent import RequestReceived

MOST_MESSAGES, MOST_CHARACTERS = 40, 60_000  # of the conversation that the agents are shown
MOST_MEMORIES, MOST_RECALLED = 1_000, 8
UTC = "UTC"


class AssistantContext(BaseModel):
    """``said`` are the messages of the conversation, oldest first. ``missing`` are the sentences of
    the providers that are not configured. ``project`` is the chosen one, empty where none is.
    """

    model_config = ConfigDict(frozen=True)

    said: list[dict[str, str]]
    now: datetime
    has_model: bool
    has_research: bool
    memories: list[str]
    missing: dict[str, str]
    workflow: dict[str, Any] | None
    asked_by: str
    project: dict[str, Any] = {}


async def read_context(
    settings: Settings,
    turn_log: TurnLog,
    turn: TurnPlace,
    asked: RequestReceived,
    providers: Mapping[str, Provider],
) -> AssistantContext:
    """The conversation, the time, what is remembered of its owner, and what there is to use."""

    def question(tables: Conn) -> Json:
        said = read.list_newest_messages(tables, turn.conversation_id, turn.turn_id, MOST_MESSAGES)
        found = memories.list_live(tables, [user_namespace(asked.owner)], MOST_MEMORIES)
        ranked = rank(asked.text, found, MOST_RECALLED)
        workflow = None
        if asked.workflow:
            workflow = memories.read_workflow(tables, user_namespace(asked.owner), asked.workflow)
        return {
            "said": _fit(said),
            "memories": [one.text for one in ranked],
            "workflow": workflow.model_dump(include={"name", "prompt", "tools"})
            if workflow
            else None,
        }

    async def make() -> Json:
        await wait_for_turns(settings)
        zone = ZoneInfo(asked.time_zone or UTC)
        return {
            **await ask(settings, question),
            "now": SystemClock().now().astimezone(zone).isoformat(),
            "has_model": has_model(settings),
            "has_research": has_research(settings),
            "missing": {one.name: one.missing for one in providers.values() if one.missing},
            "asked_by": turn.asked_by,
            "project": {"project_id": asked.project} if asked.project else {},
        }

    effects = RunEffects(turn_log, turn.turn_id, SERVICE_WIDE, "turn", 0)
    known = await effects.run("read", {"what": "context"}, make)
    return AssistantContext.model_validate(known)


def _fit(said: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The newest messages for which there is room."""
    room, kept = MOST_CHARACTERS, list[dict[str, str]]()
    for one in reversed(said):
        room -= len(one["content"])
        if room < 0:
            break
        kept.append(dict(one))
    return kept[::-1]
