"""Talk with the assistant: a conversation is its owner's alone, whatever project is chosen."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import READERS, WRITERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit
from infra.http.routes.chat import (
    STREAMED,
    Accepts,
    ConfirmationId,
    ConfirmationReply,
    ConversationId,
    Turn,
    answer_turn,
)
from infra.service.asking import agents
from infra.service.asking.agents import ConfirmationAnswer, ConversationDetail
from infra.service.asking.stopping import StoppedConversation
from infra.service.assistant import conversations
from infra.service.assistant.conversations import Asks, MessageRequest
from infra.store.tokens import Caller
from projections.read import agents as agents_read
from projections.read.agents import Conversation
from projections.read.page import Page

router = APIRouter(route_class=Guarded, tags=["Assistant"])
ROOT = "/v1/assistant"


class AssistantMessage(BaseModel):
    """``conversation_id`` goes on with a conversation; without it a new one begins. ``project`` is
    the id of the project to work on, ``workflow`` one of your own, ``time_zone`` an IANA
    name such as `Europe/Berlin`. ``wait`` False: the answer is only begun.
    """

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=agents.LONGEST_TEXT)
    conversation_id: str | None = Field(None, max_length=100)
    project: str = Field("", max_length=200)
    workflow: str = Field("", max_length=100)
    time_zone: str = Field("", max_length=100)
    wait: bool = True


def asks_of(caller: Caller) -> Asks:
    return Asks(caller.name, caller.role, caller.may_see)


@router.post(ROOT + "/messages", response_model=Turn, responses=STREAMED | OF_ANY)
@allow(*READERS, writes=True)
async def say_to_assistant(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    body: AssistantMessage,
    accept: Accepts = None,
) -> Any:
    """Ask the assistant. The answer comes when it is done, or frame by frame."""
    if body.project:
        await api.check_project(body.project, caller)
    request = MessageRequest(
        asks_of(caller),
        body.message,
        body.conversation_id,
        body.project,
        body.workflow,
        body.time_zone,
        write.key,
    )
    turn = await conversations.begin_message(api.settings, request)
    return await answer_turn(api, caller, turn, accept, wait=body.wait)


@router.get(ROOT + "/conversations", responses=OF_ANY)
@allow(*READERS)
async def list_own_conversations(
    api: ApiDep, caller: CallerDep, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Conversation]:
    """Your conversations with the assistant, the newest first."""
    return await api.tables.ask(
        agents_read.list_own_conversations, caller.viewer, cursor=cursor, limit=limit
    )


@router.get(ROOT + "/conversations/{conversation_id}", responses=OF_ANY)
@allow(*READERS)
async def read_own_conversation(
    api: ApiDep, caller: CallerDep, conversation_id: ConversationId
) -> ConversationDetail:
    """All that was said in a conversation of yours, and the calls in it with what was decided."""
    return await conversations.read_own_conversation(api.settings, asks_of(caller), conversation_id)


@router.post(ROOT + "/conversations/{conversation_id}/stop", responses=OF_ANY)
@allow(*READERS, writes=True)
async def stop_own_conversation(
    api: ApiDep, caller: CallerDep, conversation_id: ConversationId
) -> StoppedConversation:
    """End what the assistant does in a conversation of yours, and what waits there."""
    return await conversations.stop_own_conversation(api.settings, asks_of(caller), conversation_id)


@router.post(
    ROOT + "/confirmations/{confirmation_id}", response_model=Turn, responses=STREAMED | OF_ANY
)
@allow(*WRITERS, writes=True)
async def answer_own_confirmation(
    api: ApiDep,
    caller: CallerDep,
    confirmation_id: ConfirmationId,
    body: ConfirmationReply,
    accept: Accepts = None,
) -> Any:
    """Decide about a call that waits in a conversation of yours; the assistant goes on."""
    answer = ConfirmationAnswer(confirmation_id, body.decision, body.arguments, body.reason)
    turn = await conversations.answer_own_confirmation(api.settings, answer, asks_of(caller))
    return await answer_turn(api, caller, turn, accept, wait=body.wait)
