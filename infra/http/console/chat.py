"""Talk with the agents of a project: ask, watch the turn, decide about its calls."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import READERS, WRITERS
from infra.http.console.overview import follow_stream
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.talking import (
    fill_call,
    find_edited,
    find_under_way,
    go_to_stopped,
    go_to_turn,
    read_decision,
    read_edit,
)
from infra.platform.errors import NotFound
from infra.service.asking import agents
from infra.service.asking.agent_tools import find_agent_tool
from infra.service.asking.agents import ChatRequest, ConfirmationAnswer, ConversationDetail
from infra.service.asking.stopping import stop_conversation_of
from infra.service.ingesting.handed_documents import HANDED, HandedDocument, name_pasted
from projections.read import agents as agents_read
from projections.read.agents import Conversation
from projections.read.page import Page

pages = Pages()
PLACE = "/projects/{project}/chat"
SHOWN = 50


@pages.show(PLACE, *READERS)
async def list_conversations(visit: PageContext) -> Response:
    """The conversations, newest first, and the form of a new one."""
    return await _show_talk(visit, None, "")


async def _show_said(visit: PageContext) -> Response:
    """The page that a message was sent from."""
    conversation_id = visit.form.get("conversation")
    if conversation_id:
        return await _show_conversation(visit, conversation_id)
    return await list_conversations(visit)


@pages.act(PLACE, *READERS, page=_show_said)
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
    return go_to_turn(visit, _place(visit), turn)


def _read_documents(visit: PageContext) -> tuple[HandedDocument, ...]:
    """The text that was chosen or pasted to be a source, if one was."""
    text = visit.form.get("document", "")
    if not text.strip():
        return ()
    name = visit.form.get("document_name", "").strip() or name_pasted("", text)
    return (HandedDocument(name, text),)


@pages.show(PLACE + "/{conversation}", *READERS)
async def show_conversation(visit: PageContext) -> Response:
    """What was said, the calls that wait, and, with ``turn``, the turn that is under way."""
    return await _show_conversation(visit, visit.part("conversation"))


async def _show_conversation(visit: PageContext, conversation_id: str) -> Response:
    whole = None
    try:
        whole = await visit.ask(agents.whole_conversation, visit.project_id, conversation_id)
    except NotFound:  # a new one is shown once its first turn has told something
        if visit.asked("turn") is None:
            raise
    return await _show_talk(visit, whole, conversation_id)


async def _show_talk(
    visit: PageContext, whole: ConversationDetail | None, conversation_id: str
) -> Response:
    at = find_under_way(visit, whole)
    tools = {it.tool: find_agent_tool(visit.api.settings, it.tool) for it in at.waiting}
    return visit.show(
        "chat.html",
        listed=await _conversations(visit),
        whole=whole,
        waiting=[fill_call(visit, it, tools[it.tool]) for it in at.waiting],
        at=at,
        conversation_id=conversation_id,
    )


@pages.show(PLACE + "/{conversation}/turns/{turn}", *READERS)
async def follow_turn(visit: PageContext) -> Response:
    """The frames of a turn as they come."""
    return await follow_stream(visit, visit.part("turn"))


@pages.act(PLACE + "/{conversation}/stop", *READERS, page=show_conversation)
async def stop(visit: PageContext) -> Response:
    """End what goes on in the conversation."""
    stopped = await stop_conversation_of(
        visit.api.settings,
        visit.project_id,
        visit.part("conversation"),
        actor=visit.caller.name,
        role=visit.caller.role,
    )
    return go_to_stopped(visit, _place(visit), stopped)


@pages.act(PLACE + "/{conversation}/confirm", *WRITERS, page=show_conversation)
async def confirm(visit: PageContext) -> Response:
    """Approve or reject a call that waits; the turn goes on."""
    return await _answer(visit, read_decision(visit))


@pages.act(PLACE + "/{conversation}/edit", *WRITERS, page=show_conversation)
async def edit_call(visit: PageContext) -> Response:
    """Approve a call that waits with other arguments."""
    whole = await visit.ask(agents.whole_conversation, visit.project_id, visit.part("conversation"))
    asked = find_edited(visit, whole)
    tool = find_agent_tool(visit.api.settings, asked.tool) if asked else None
    return await _answer(visit, read_edit(visit, tool))


async def _answer(visit: PageContext, answer: ConfirmationAnswer) -> Response:
    turn = await agents.answer_confirmation(
        visit.api.settings,
        visit.project_id,
        answer,
        actor=visit.caller.name,
        role=visit.caller.role,
    )
    return go_to_turn(visit, _place(visit), turn)


def _place(visit: PageContext) -> tuple[str, ...]:
    return ("projects", visit.project_id, "chat")


async def _conversations(visit: PageContext) -> Page[Conversation]:
    found: Page[Conversation] = await visit.ask(
        agents_read.list_conversations,
        visit.project_id,
        newest_first=True,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return found
