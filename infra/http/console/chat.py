"""Talk with the agents of a project: ask, watch the turn, decide about its calls."""

from __future__ import annotations

from starlette.responses import Response

from infra.errors import Invalid, NotFound
from infra.http.access import READERS, WRITERS
from infra.http.console.overview import follow_stream
from infra.http.console.pages import Pages, Visit
from infra.service import agents
from infra.service import http_questions as ask
from infra.service.agents import ChatRequest, ConfirmationAnswer

pages = Pages()
SHOWN = 50


@pages.show("/projects/{project}/chat", *READERS)
async def list_conversations(visit: Visit) -> Response:
    """The conversations, newest first, and the form of a new one."""
    return visit.show("chat.html", listed=await _conversations(visit), whole=None, turn=None)


@pages.act("/projects/{project}/chat", *READERS)
async def say(visit: Visit) -> Response:
    """Ask the agents; the page of the conversation shows the turn as it goes on."""
    conversation_id = visit.form.get("conversation") or None
    request = ChatRequest(
        visit.project_id,
        visit.form.get("message", ""),
        conversation_id,
        visit.form["key"],
        visit.caller.role,
    )
    turn = await agents.begin_turn(visit.api.settings, request, actor=visit.caller.name)
    at = ("projects", visit.project_id, "chat", turn.conversation_id)
    return visit.go(*at, turn=turn.turn_id, decided=turn.decided)


@pages.show("/projects/{project}/chat/{conversation}", *READERS)
async def show_conversation(visit: Visit) -> Response:
    """What was said, the calls that wait, and, with ``turn``, the turn that is under way.

    ``decided`` is the confirmation after whose answer the turn goes on.
    """
    conversation_id, turn = visit.part("conversation"), visit.asked("turn")
    whole = None
    try:
        whole = await visit.ask(agents.whole_conversation, visit.project_id, conversation_id)
    except NotFound:  # a new one is shown once its first turn has told something
        if turn is None:
            raise
    answered = whole and any(it.turn_id == turn and it.role != "user" for it in whole.messages)
    waits = whole and any(it.turn_id == turn for it in whole.waiting)
    return visit.show(
        "chat.html",
        listed=await _conversations(visit),
        whole=whole,
        turn=None if answered or waits else turn,
        decided=visit.asked("decided") or "",
        conversation_id=conversation_id,
    )


@pages.show("/projects/{project}/chat/{conversation}/turns/{turn}", *READERS)
async def follow_turn(visit: Visit) -> Response:
    """The frames of a turn as they come."""
    return await follow_stream(visit, visit.part("turn"))


@pages.act("/projects/{project}/chat/{conversation}/confirm", *WRITERS)
async def confirm(visit: Visit) -> Response:
    """Approve or reject a call that waits; the turn goes on."""
    decision = visit.form.get("decision", "")
    if decision not in ("approve", "reject"):
        raise Invalid("A call is approved or rejected.", code="invalid_request")
    answer = ConfirmationAnswer(
        visit.form.get("confirmation", ""), decision, None, visit.form.get("reason", "")[:1_000]
    )
    turn = await agents.answer_confirmation(
        visit.api.settings,
        visit.project_id,
        answer,
        actor=visit.caller.name,
        role=visit.caller.role,
    )
    at = ("projects", visit.project_id, "chat", turn.conversation_id)
    return visit.go(*at, turn=turn.turn_id, decided=turn.decided)


async def _conversations(visit: Visit) -> ask.Page[ask.Conversation]:
    found: ask.Page[ask.Conversation] = await visit.ask(
        ask.list_conversations,
        visit.project_id,
        newest_first=True,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return found
