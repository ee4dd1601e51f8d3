"""What pages of conversations have in common: the turn that is under way, and the calls that wait
for whoever looks at them, each with its form.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from infra.http.console.calls import Field, fill_fields, list_fields, read_arguments
from infra.http.console.page_context import PageContext
from infra.platform.errors import Invalid
from infra.service.asking.agent_tools import AgentTool
from infra.service.asking.agents import (
    BegunTurn,
    Confirmation,
    ConfirmationAnswer,
    ConversationDetail,
)
from infra.service.asking.stopping import StoppedConversation

MOST_REASON = 1_000


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call that waits. ``approvers`` are the roles that may have it made; ``fields`` are its
    arguments, as they were sent where ``is_changed``, since a change of them was refused.
    ``reason`` is what was sent with an answer that was refused.
    """

    asked: Confirmation
    approvers: tuple[str, ...]
    may_approve: bool
    fields: list[Field]
    is_changed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class UnderWay:
    """``turn`` is the one that goes on, empty where none does. ``decided`` is the confirmation
    after whose answer it goes on; it is shown up to its next pause before other calls of it are.
    """

    turn: str
    decided: str
    waiting: list[Confirmation]


def find_under_way(visit: PageContext, whole: ConversationDetail | None) -> UnderWay:
    """Where the turn of the address stands; ``whole`` None: it is the first one, and told nothing
    yet.
    """
    turn, decided = visit.asked("turn") or "", visit.asked("decided") or ""
    answered = whole and any(it.turn_id == turn and it.role != "user" for it in whole.messages)
    waiting = whole.waiting if whole else []
    if answered or (not decided and any(it.turn_id == turn for it in waiting)):
        turn = ""
    return UnderWay(turn, decided, [it for it in waiting if it.turn_id != turn])


def fill_call(visit: PageContext, asked: Confirmation, tool: AgentTool | None) -> WaitingCall:
    """A call with its form; ``tool`` None: it is gone since."""
    schema = tool.arguments if tool else {}
    is_sent = bool(visit.problem) and visit.form.get("confirmation") == asked.confirmation_id
    is_changed = is_sent and "decision" not in visit.form
    approvers = tool.callers if tool else ()
    return WaitingCall(
        asked,
        approvers,
        visit.caller.role in approvers,
        fill_fields(schema, visit.form) if is_changed else list_fields(schema, asked.arguments),
        is_changed,
        _reason(visit) if is_sent else "",
    )


def read_decision(visit: PageContext) -> ConfirmationAnswer:
    """Whether a call is made as it was asked for. Raises Invalid."""
    decision = visit.form.get("decision", "")
    if decision not in ("approve", "reject"):
        raise Invalid("A call is approved or rejected.", code="invalid_request")
    asked = visit.form.get("confirmation", "")
    return ConfirmationAnswer(asked, decision, None, _reason(visit))


def find_edited(visit: PageContext, whole: ConversationDetail) -> Confirmation | None:
    """The call that the form changes; None where it waits no more."""
    asked = visit.form.get("confirmation", "")
    return next((it for it in whole.waiting if it.confirmation_id == asked), None)


def read_edit(visit: PageContext, tool: AgentTool | None) -> ConfirmationAnswer:
    """That a call is made with other arguments."""
    arguments = read_arguments(tool.arguments, visit.form) if tool else {}
    asked = visit.form.get("confirmation", "")
    return ConfirmationAnswer(asked, "edit", arguments, _reason(visit))


def go_to_turn(visit: PageContext, place: tuple[str, ...], turn: BegunTurn) -> Response:
    """Lead to the page of a conversation, which shows the turn as it goes on; ``place`` is that of
    all of its kind.
    """
    return visit.go(*place, turn.conversation_id, turn=turn.turn_id, decided=turn.decided)


def go_to_stopped(
    visit: PageContext, place: tuple[str, ...], stopped: StoppedConversation
) -> Response:
    """Lead back to a conversation, which shows how its last turn ends, if one was stopped."""
    at = (*place, visit.part("conversation"))
    return visit.go(*at, turn=stopped.turns[-1]) if stopped.turns else visit.go(*at)


def _reason(visit: PageContext) -> str:
    return visit.form.get("reason", "")[:MOST_REASON]
