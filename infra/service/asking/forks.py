"""Goes on from any event of a turn otherwise: with another answer, result, decision or question.

A fork is a turn of a new conversation. Up to the event it takes its answers from the other turn and
asks nobody; from there on all it does is its own, for whoever has asked for the fork.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from infra.platform.errors import Forbidden, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.asking.agents import BegunTurn, check_text, enqueue_turn
from infra.service.asking.call_checks import check_call
from infra.service.asking.turn_events import read_own_turn, read_turn
from infra.service.asking.turn_log import TURNS, TurnPlace, list_events
from infra.service.asking.turn_payload import AskedAssistant, Fork, TurnPayload
from infra.service.foundation.publishing import check_key, draw_key, redactor_of
from infra.service.runs.answers import as_text
from infra.service.runs.family import RunEvent
from infra.service.runs.forking import copy_until
from infra.store.jobs.worker import as_plain_json
from projections.read.agents import TurnEvent
from schemas.envelope import Event
from schemas.events.agent import (
    ConfirmationGiven,
    ConfirmationRequested,
    EffectRecorded,
    RequestReceived,
)
from schemas.ids import derive_id

if TYPE_CHECKING:
    from agents.tools.tool import Tool, ToolRole


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """``at`` is the number of an event of the turn, or its id; at 0 the question is asked anew,
    without what was said before it and the documents that came with it. ``changes`` are values of
    that event by dotted path. ``role`` is that of who forks.
    """

    project: str
    turn_id: str
    at: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    key: str = field(default_factory=draw_key)
    role: str = "owner"


async def fork_turn(settings: Settings, request: ForkRequest, *, actor: str) -> BegunTurn:
    """Begin a turn that goes on from an event of another one. The same key again is the same turn.

    It keeps the role of the other turn, since what tools may do follows from that. Raises NotFound,
    Invalid, Conflict, and Forbidden for a role that may do less.
    """
    from infra.service.asking.agent_tools import open_tools

    known = await read_turn(settings, request.project, request.turn_id)
    return await fork_events(settings, known, request, open_tools(settings).find, actor=actor)


async def fork_events(
    settings: Settings,
    known: list[TurnEvent],
    request: ForkRequest,
    find_tool: Callable[[str], Tool | None],
    *,
    actor: str,
) -> BegunTurn:
    """The same for a turn of any agents with these events, whose tools ``find_tool`` finds."""
    check_key(request.key)
    at = _find_event(known, request.at)
    changes = as_plain_json(request.changes, redactor_of(settings).text)
    events = list_events(known)
    copied = copy_until(TURNS, events, at, changes, actor)
    if changes:
        _check_decision(find_tool, events, copied[max(copied)], request.role)
    first = copied[0]
    assert isinstance(first, RequestReceived)
    project_id = known[0].project_id
    conversation_id = derive_id("cnv", project_id, "fork", request.key)
    asked = None
    if first.agent:
        conversation_id = derive_id("cnv", project_id, first.owner, "fork", request.key)
        names = AskedAssistant.model_fields
        asked = AskedAssistant(**{name: getattr(first, name) for name in names})
    payload = TurnPayload(
        conversation_id=conversation_id,
        turn_id=derive_id("trn", conversation_id, request.key),
        text=check_text(settings, first.text),
        role=_check_role(first.role, request.role),
        is_first=True,
        fork=Fork(turn_id=request.turn_id, at=at, changes=changes),
        assistant=asked,
    )
    return await enqueue_turn(settings, project_id, payload, payload.turn_id, actor)


async def read_copied(
    settings: Settings, payload: TurnPayload, turn: TurnPlace
) -> dict[int, Event]:
    """What the fork takes over from the other turn; who asks is who has asked for it."""
    fork, asked = payload.fork, payload.assistant
    assert fork is not None
    if asked is not None:
        known = await read_own_turn(settings, asked.owner, fork.turn_id)
    else:
        known = await read_turn(settings, turn.project_id, fork.turn_id)
    copied = copy_until(TURNS, list_events(known), fork.at, fork.changes, turn.asked_by)
    return {ordinal: _ask_as(event, turn) for ordinal, event in copied.items()}


def _ask_as(event: Event, turn: TurnPlace) -> Event:
    """What a turn reads first names who asks."""
    if not isinstance(event, EffectRecorded) or event.kind != "read":
        return event
    answer = json.loads(event.answer)
    if "asked_by" not in answer:
        return event
    return event.model_copy(update={"answer": as_text(answer | {"asked_by": turn.asked_by})})


def _find_event(known: list[TurnEvent], at: str) -> int:
    """The number of the event. Raises NotFound, Invalid."""
    if at.isdecimal() and len(at) <= 9:
        return int(at)
    try:
        event_id = UUID(at)
    except ValueError:
        raise Invalid(
            "Name an event by its number or its id.", code="event_invalid", detail={"at": at}
        ) from None
    for each in known:
        if each.event_id == event_id:
            return each.ordinal
    raise NotFound(f"The turn has no event {at}.", code="unknown_event", detail={"at": at})


def _check_role(asked_in: str, role: str) -> str:
    """The role of the turn. Raises Forbidden where who forks it may do less."""
    from agents.tools.box import RANKS

    if RANKS[cast("ToolRole", role)] < RANKS.get(cast("ToolRole", asked_in), 0):
        raise Forbidden(
            f"The turn was asked in the role {asked_in}, which may do more than {role}: ask anew.",
            code="role_not_allowed",
        )
    return asked_in or role


def _check_decision(
    find_tool: Callable[[str], Tool | None], events: list[RunEvent], changed: Event, role: str
) -> None:
    """A call is approved as by an answer to it: its tool is there, and its arguments fit."""
    if not isinstance(changed, ConfirmationGiven) or changed.decision == "reject":
        return
    for each in events:
        asked = each.event
        if (
            isinstance(asked, ConfirmationRequested)
            and asked.confirmation_id == changed.confirmation_id
        ):
            arguments = None if changed.arguments is None else json.loads(changed.arguments)
            check_call(find_tool(asked.tool), asked.tool, arguments, role)
