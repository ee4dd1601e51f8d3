"""Talk with the assistant: each sees their own conversations, and nobody else's."""

from __future__ import annotations

from functools import partial

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
from infra.http.console.tracing import TYPES, TurnTrace, trace_turns
from infra.http.routes.assistant import asks_of
from infra.platform.errors import NotFound
from infra.service.asking.agent_tools import AgentTool
from infra.service.asking.agents import Confirmation, ConfirmationAnswer, ConversationDetail
from infra.service.assistant import conversations
from infra.service.assistant import memories as service
from infra.service.assistant.conversations import MessageRequest
from infra.service.assistant.tools import find_agent_tool
from projections.read import agents as agents_read
from projections.read import memories
from projections.read.memories import MemoryRecord

pages = Pages()
PLACE = "/assistant"
SHOWN, WORKFLOWS_SHOWN = 50, 100


@pages.show(PLACE, *READERS)
async def list_own_conversations(visit: PageContext) -> Response:
    """Your conversations, newest first, and the form of a new one."""
    return await _show_talk(visit, None, "")


async def _show_said(visit: PageContext) -> Response:
    """The page that a message was sent from."""
    conversation_id = visit.form.get("conversation")
    if conversation_id:
        return await _show_conversation(visit, conversation_id)
    return await list_own_conversations(visit)


@pages.act(PLACE, *READERS, page=_show_said)
async def say_to_assistant(visit: PageContext) -> Response:
    """Ask the assistant; the page of the conversation shows the turn as it goes on."""
    request = MessageRequest(
        asks_of(visit.caller),
        visit.form.get("message", "").strip(),
        visit.form.get("conversation") or None,
        visit.form.get("project", ""),
        visit.form.get("workflow", ""),
        visit.form.get("time_zone", ""),
        visit.form["key"],
    )
    turn = await conversations.begin_message(visit.api.settings, request)
    return go_to_turn(visit, ("assistant",), turn)


@pages.show(PLACE + "/{conversation}", *READERS)
async def show_own_conversation(visit: PageContext) -> Response:
    """What was said and done, the calls that wait, and, with ``turn``, the one under way."""
    return await _show_conversation(visit, visit.part("conversation"))


async def _show_conversation(visit: PageContext, conversation_id: str) -> Response:
    whole = None
    try:
        whole = await _read(visit, conversation_id)
    except NotFound:  # a new one is shown once its first turn has told something
        if visit.asked("turn") is None:
            raise
        await visit.ask(partial(conversations.check_own, asks_of(visit.caller), conversation_id))
    return await _show_talk(visit, whole, conversation_id)


async def _show_talk(
    visit: PageContext, whole: ConversationDetail | None, conversation_id: str
) -> Response:
    at = find_under_way(visit, whole)
    own = service.namespace_of(visit.caller)
    traces = dict[str, TurnTrace]()
    stored = list[MemoryRecord]()
    if whole:
        events = await visit.ask(agents_read.list_steps, conversation_id, TYPES)
        traces = trace_turns(events)
        stored = await visit.ask(memories.list_of_thread, own, conversation_id)
    last = traces[whole.messages[-1].turn_id] if whole else TurnTrace(visit.asked("project") or "")
    listed = await visit.ask(
        agents_read.list_own_conversations,
        visit.caller.viewer,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    workflows = await visit.ask(memories.list_workflows, own, limit=WORKFLOWS_SHOWN)
    return visit.show(
        "assistant.html",
        listed=listed,
        whole=whole,
        waiting=[fill_call(visit, it, await _find_tool(visit, it)) for it in at.waiting],
        at=at,
        conversation_id=conversation_id,
        traces=traces,
        stored=stored,
        last=last,
        workflows=workflows.items,
        named={it.project_id: it.name for it in visit.projects},
    )


@pages.show(PLACE + "/{conversation}/turns/{turn}", *READERS)
async def follow_own_turn(visit: PageContext) -> Response:
    """The frames of a turn as they come."""
    return await follow_stream(visit, visit.part("turn"))


@pages.act(PLACE + "/{conversation}/stop", *READERS, page=show_own_conversation)
async def stop_assistant(visit: PageContext) -> Response:
    """End what goes on in the conversation."""
    stopped = await conversations.stop_own_conversation(
        visit.api.settings, asks_of(visit.caller), visit.part("conversation")
    )
    return go_to_stopped(visit, ("assistant",), stopped)


@pages.act(PLACE + "/{conversation}/confirm", *WRITERS, page=show_own_conversation)
async def confirm_own_call(visit: PageContext) -> Response:
    """Approve or reject a call that waits; the assistant goes on."""
    return await _answer(visit, read_decision(visit))


@pages.act(PLACE + "/{conversation}/edit", *WRITERS, page=show_own_conversation)
async def edit_own_call(visit: PageContext) -> Response:
    """Approve a call that waits with other arguments."""
    asked = find_edited(visit, await _read(visit, visit.part("conversation")))
    tool = await _find_tool(visit, asked) if asked else None
    return await _answer(visit, read_edit(visit, tool))


async def _answer(visit: PageContext, answer: ConfirmationAnswer) -> Response:
    turn = await conversations.answer_own_confirmation(
        visit.api.settings, answer, asks_of(visit.caller)
    )
    return go_to_turn(visit, ("assistant",), turn)


async def _read(visit: PageContext, conversation_id: str) -> ConversationDetail:
    """Raises NotFound, in the same words for a conversation of somebody else."""
    return await conversations.read_own_conversation(
        visit.api.settings, asks_of(visit.caller), conversation_id
    )


async def _find_tool(visit: PageContext, asked: Confirmation) -> AgentTool | None:
    project = await visit.ask(agents_read.find_chosen_project, asked.turn_id)
    return find_agent_tool(visit.api.settings, project, asked.tool)
