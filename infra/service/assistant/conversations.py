"""Conversations with the assistant: each belongs to the person who began it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from agents.assistant.memory import user_namespace
from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.service.asking import agents
from infra.service.asking.agents import (
    BegunTurn,
    ConfirmationAnswer,
    ConversationDetail,
    check_text,
    enqueue_turn,
)
from infra.service.asking.stopping import StoppedConversation, stop_conversation
from infra.service.asking.turn_payload import AskedAssistant, TurnPayload
from infra.service.assistant.tools import declare_tools
from infra.service.foundation.database import ask
from infra.service.foundation.publishing import check_key, draw_key
from infra.service.foundation.time_zones import check_time_zone
from infra.store import turn_jobs
from projections.read import agents as read
from projections.read import memories
from projections.read.projects import list_project_ids
from projections.read.session import Conn
from schemas.envelope import SERVICE_WIDE
from schemas.ids import derive_id

COMMS = "comms"


@dataclass(frozen=True, slots=True)
class Asks:
    """Who asks: the person, the role that limits what tools may do, and which projects they see."""

    owner: str
    role: str
    may_see: Callable[[str], bool]

    def sees(self, project_id: str) -> bool:
        """Whether they see a chosen project; none is seen by everybody."""
        return not project_id or self.may_see(project_id)


async def check_project(settings: Settings, asks: Asks, project_id: str) -> None:
    """Raises NotFound for a chosen project that is not there, or that they see no more."""
    if not project_id:
        return
    is_there = project_id in await ask(settings, partial(list_project_ids, name_or_id=project_id))
    if not is_there or not asks.sees(project_id):
        raise NotFound(f"There is no project {project_id}.", code="unknown_project")


@dataclass(frozen=True, slots=True)
class MessageRequest:
    """A message to the assistant. ``conversation_id`` None: a new conversation. ``project_id`` is
    that of the chosen project, ``workflow`` the name of one of the owner's, ``time_zone`` an IANA
    name; each may be empty.
    """

    asks: Asks
    text: str
    conversation_id: str | None = None
    project_id: str = ""
    workflow: str = ""
    time_zone: str = ""
    key: str = field(default_factory=draw_key)


async def begin_message(settings: Settings, request: MessageRequest) -> BegunTurn:
    """Ask the assistant; it answers in the background, after all before it in the conversation.

    Where calls wait there, a plain yes or no decides about the only one; with anything else they
    are not made. The same key again is the same message. Raises Invalid, NotFound, Conflict.
    """
    text = check_text(settings, request.text)
    check_key(request.key)
    await _check_choices(settings, request)
    conversation_id = request.conversation_id or derive_id(
        "cnv", SERVICE_WIDE, request.asks.owner, request.key
    )
    if request.conversation_id is not None:
        await ask(settings, partial(check_own, request.asks, conversation_id))
        found = await ask(
            settings, partial(agents.find_message_decision, conversation_id, request.key, text)
        )
        if isinstance(found, BegunTurn):
            return found
        if found is not None:
            return await answer_own_confirmation(settings, found, request.asks)
    payload = TurnPayload(
        conversation_id=conversation_id,
        turn_id=derive_id("trn", conversation_id, request.key),
        text=text,
        role=request.asks.role,
        is_first=request.conversation_id is None,
        assistant=AskedAssistant(
            agent=COMMS,
            owner=request.asks.owner,
            project=request.project_id,
            workflow=request.workflow,
            time_zone=request.time_zone,
        ),
    )
    return await enqueue_turn(settings, SERVICE_WIDE, payload, payload.turn_id, request.asks.owner)


async def answer_own_confirmation(
    settings: Settings, answer: ConfirmationAnswer, asks: Asks
) -> BegunTurn:
    """Decide about a call that waits in a conversation of this person; it goes on.

    Raises NotFound, Conflict for one that is decided or too old, Forbidden, Invalid.
    """

    def question(tables: Conn) -> str:
        found = read.read_confirmation(tables, SERVICE_WIDE, answer.confirmation_id)
        if read.find_owner(tables, found.conversation_id) != asks.owner:
            raise read.unknown_confirmation(answer.confirmation_id)
        return read.find_chosen_project(tables, found.turn_id)

    project = await ask(settings, question)
    if answer.decision != "reject":
        await check_project(settings, asks, project)
    return await agents.decide_call(
        settings,
        SERVICE_WIDE,
        answer,
        declare_tools(settings, project).find,
        actor=asks.owner,
        role=asks.role,
    )


async def read_own_conversation(
    settings: Settings, asks: Asks, conversation_id: str
) -> ConversationDetail:
    """What was said in a conversation of this person, and its calls. Raises NotFound."""
    return await ask(settings, partial(whole_own_conversation, asks, conversation_id))


def whole_own_conversation(asks: Asks, conversation_id: str, tables: Conn) -> ConversationDetail:
    """Raises NotFound."""
    check_own(asks, conversation_id, tables)
    return agents.whole_conversation(tables, SERVICE_WIDE, conversation_id)


async def stop_own_conversation(
    settings: Settings, asks: Asks, conversation_id: str
) -> StoppedConversation:
    """End what the assistant does in a conversation of this person. Raises NotFound."""
    await ask(settings, partial(check_own, asks, conversation_id))
    return await stop_conversation(settings, conversation_id, actor=asks.owner)


def check_own(asks: Asks, conversation_id: str, tables: Conn) -> None:
    """Raises NotFound, in the same words, for a conversation that is not there, not theirs, or
    about a project that they see no more.
    """
    known = read.find_owner(tables, conversation_id) or turn_jobs.find_owner(
        tables, conversation_id
    )
    projects = read.list_chosen_projects(tables, conversation_id)
    if known != asks.owner or not all(map(asks.sees, projects)):
        raise read.unknown_conversation(conversation_id)


async def _check_choices(settings: Settings, request: MessageRequest) -> None:
    """Raises Invalid, NotFound."""
    await check_project(settings, request.asks, request.project_id)
    if request.time_zone:
        check_time_zone(request.time_zone)
    if request.workflow:
        namespace = user_namespace(request.asks.owner)
        look = partial(memories.read_workflow, owner=namespace, name=request.workflow)
        await ask(settings, look)
