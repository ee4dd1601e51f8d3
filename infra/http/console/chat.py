"""Talk with the agents of a project: ask, watch the turn, decide about its calls."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from infra.http.access import READERS, WRITERS
from infra.http.console.calls import Field, fill_fields, list_fields, read_arguments
from infra.http.console.overview import follow_stream
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.platform.errors import Invalid, NotFound
from infra.service.asking import agents
from infra.service.asking.agent_tools import find_agent_tool
from infra.service.asking.agents import ChatRequest, Confirmation, ConfirmationAnswer
from infra.service.ingesting.handed_documents import HANDED, HandedDocument, name_pasted
from projections.read import agents as agents_read
from projections.read.agents import Conversation
from projections.read.page import Page

pages = Pages()
SHOWN = 50
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


@pages.show("/projects/{project}/chat", *READERS)
async def list_conversations(visit: PageContext) -> Response:
    """The conversations, newest first, and the form of a new one."""
    return visit.show(
        "chat.html", listed=await _conversations(visit), whole=None, waiting=[], turn=None
    )


async def _show_said(visit: PageContext) -> Response:
    """The page that a message was sent from."""
    conversation_id = visit.form.get("conversation")
    if conversation_id:
        return await _show_conversation(visit, conversation_id)
    return await list_conversations(visit)


@pages.act("/projects/{project}/chat", *READERS, page=_show_said)
async def say(visit: PageContext) -> Response:
    """Ask the agents; the page of the conversation shows the turn as it goes on."""
    conversation_id = visit.form.get("conversation") or None
    documents = _read_documents(visit)
    request = ChatRequest(
        visit.project_id,
        visit.form.get("message", "").strip() or (HANDED if documents else ""),
        conversation_id,
        visit.form["key"],
        visit.caller.role,
        documents,
    )
    turn = await agents.begin_turn(visit.api.settings, request, actor=visit.caller.name)
    at = ("projects", visit.project_id, "chat", turn.conversation_id)
    return visit.go(*at, turn=turn.turn_id, decided=turn.decided)


def _read_documents(visit: PageContext) -> tuple[HandedDocument, ...]:
    """The text that was chosen or pasted to be a source, if one was."""
    text = visit.form.get("document", "")
    if not text.strip():
        return ()
    name = visit.form.get("document_name", "").strip() or name_pasted("", text)
    return (HandedDocument(name, text),)


@pages.show("/projects/{project}/chat/{conversation}", *READERS)
async def show_conversation(visit: PageContext) -> Response:
    """What was said, the calls that wait, and, with ``turn``, the turn that is under way.

    ``decided`` is the confirmation after whose answer the turn goes on.
    """
    return await _show_conversation(visit, visit.part("conversation"))


async def _show_conversation(visit: PageContext, conversation_id: str) -> Response:
    turn = visit.asked("turn")
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
        waiting=[_call(visit, it) for it in whole.waiting] if whole else [],
        turn=None if answered or waits else turn,
        decided=visit.asked("decided") or "",
        conversation_id=conversation_id,
    )


@pages.show("/projects/{project}/chat/{conversation}/turns/{turn}", *READERS)
async def follow_turn(visit: PageContext) -> Response:
    """The frames of a turn as they come."""
    return await follow_stream(visit, visit.part("turn"))


@pages.act("/projects/{project}/chat/{conversation}/confirm", *WRITERS, page=show_conversation)
async def confirm(visit: PageContext) -> Response:
    """Approve or reject a call that waits; the turn goes on."""
    decision = visit.form.get("decision", "")
    if decision not in ("approve", "reject"):
        raise Invalid("A call is approved or rejected.", code="invalid_request")
    asked = visit.form.get("confirmation", "")
    return await _answer(visit, ConfirmationAnswer(asked, decision, None, _reason(visit)))


@pages.act("/projects/{project}/chat/{conversation}/edit", *WRITERS, page=show_conversation)
async def edit_call(visit: PageContext) -> Response:
    """Approve a call that waits with other arguments."""
    asked = visit.form.get("confirmation", "")
    whole = await visit.ask(agents.whole_conversation, visit.project_id, visit.part("conversation"))
    name = next((it.tool for it in whole.waiting if it.confirmation_id == asked), "")
    tool = find_agent_tool(visit.api.settings, name)
    arguments = read_arguments(tool.arguments, visit.form) if tool else {}
    return await _answer(visit, ConfirmationAnswer(asked, "edit", arguments, _reason(visit)))


async def _answer(visit: PageContext, answer: ConfirmationAnswer) -> Response:
    turn = await agents.answer_confirmation(
        visit.api.settings,
        visit.project_id,
        answer,
        actor=visit.caller.name,
        role=visit.caller.role,
    )
    at = ("projects", visit.project_id, "chat", turn.conversation_id)
    return visit.go(*at, turn=turn.turn_id, decided=turn.decided)


def _reason(visit: PageContext) -> str:
    return visit.form.get("reason", "")[:MOST_REASON]


def _call(visit: PageContext, asked: Confirmation) -> WaitingCall:
    tool = find_agent_tool(visit.api.settings, asked.tool)
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


async def _conversations(visit: PageContext) -> Page[Conversation]:
    found: Page[Conversation] = await visit.ask(
        agents_read.list_conversations,
        visit.project_id,
        newest_first=True,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return found
