"""Talk with the agents of a project: ask, follow the answer, decide about calls, read it again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import EVERYONE, READERS, WRITERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.http.problems import NotOffered
from infra.http.sse import EventStream
from infra.platform.errors import DatabaseUnavailable, Unavailable
from infra.service.asking import agents, stopping
from infra.service.asking.agents import (
    BegunTurn,
    ChatRequest,
    ConfirmationAnswer,
    ConversationDetail,
    TurnAnswer,
    TurnFrame,
    TurnStatus,
)
from infra.service.asking.graphs import describe_agent_graph
from infra.service.asking.stopping import StoppedConversation
from infra.service.ingesting.handed_documents import (
    LONGEST_DOCUMENT,
    LONGEST_NAME,
    MOST_DOCUMENTS,
    HandedDocument,
)
from infra.service.reading import live_streams as streams
from infra.service.runs.frames import StopFinder
from infra.store.tokens import Caller
from projections.read import agents as agents_read
from projections.read.agents import Conversation
from projections.read.page import Page
from projections.read.streams import read_stream
from schemas.envelope import SERVICE_WIDE
from schemas.events.agent import ConfirmationDecision

router = APIRouter(route_class=Guarded, tags=["Chat"])
ROOT = "/v1/projects/{project}"
ConversationId = Annotated[str, Path(max_length=100)]
ConfirmationId = Annotated[str, Path(max_length=100)]
EVENT_STREAM = "text/event-stream"
ANSWERED_WITHIN_S = 110.0
TOLD = ("conversation_id", "turn_id", "job_id", "after")
Accepts = Annotated[str | None, Header(alias="Accept", include_in_schema=False)]
# The frames are told in words: a client made from the document takes the answer whole.
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"description": "How the turn stands; with `Accept: text/event-stream` its frames."},
}


class AttachedDocument(BaseModel):
    """A text with the name of its file, such as `minutes.md`."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    text: str = Field(min_length=1, max_length=LONGEST_DOCUMENT)


class ChatMessageRequest(BaseModel):
    """``conversation_id`` goes on with a conversation; without it a new one begins. ``wait``
    False: the turn is only begun. ``documents`` become sources of the project, which the answer
    names.
    """

    model_config = ConfigDict(extra="forbid")

    message: str = Field(min_length=1, max_length=agents.LONGEST_TEXT)
    conversation_id: str | None = Field(None, max_length=100)
    wait: bool = True
    documents: list[AttachedDocument] = Field(default=[], max_length=MOST_DOCUMENTS)


class ConfirmationReply(BaseModel):
    """``arguments`` are the changed ones of an ``edit``."""

    model_config = ConfigDict(extra="forbid")

    decision: ConfirmationDecision
    arguments: dict[str, Any] | None = None
    reason: str = Field("", max_length=1_000)
    wait: bool = True


class Turn(BaseModel):
    """How a turn stands: ``answered`` with its answer, ``failed``, ``waiting`` for a person who
    decides about calls, or ``running``. Its frames are on the stream with its id; those of this
    request are behind the place ``after``.
    """

    conversation_id: str
    turn_id: str
    job_id: str
    after: int
    status: TurnStatus
    answer: TurnAnswer | None = None
    waiting: list[agents.Confirmation] = []


class GraphEdge(BaseModel):
    source: str
    target: str
    is_conditional: bool


class Graph(BaseModel):
    """A graph: its nodes, which may follow which, and the same as a Mermaid text."""

    nodes: list[str]
    steps: list[tuple[str, str]]
    edges: list[GraphEdge]
    mermaid: str


async def answer_turn(
    api: Api, caller: Caller, turn: BegunTurn, accept: str | None, *, wait: bool
) -> Any:
    """The frames of a turn, or how it stands when it is done or waits for a person."""
    told = {name: getattr(turn, name) for name in TOLD}
    if not wait:
        return Turn(**told, status="running")
    batches = api.hub.follow(turn.turn_id, turn.after)
    if EVENT_STREAM in (accept or ""):
        stream = await api.tables.ask(read_stream, turn.turn_id)
        response = EventStream(batches, stream.epoch, partial(_is_allowed, api, caller, turn))
        response.headers["x-conversation-id"] = turn.conversation_id
        response.headers["x-turn-id"] = turn.turn_id
        return response
    try:
        async with asyncio.timeout(ANSWERED_WITHIN_S), aclosing(batches):
            last = await _wait_for_pause(batches, StopFinder(turn.decided))
    except TimeoutError:
        raise Unavailable(
            f"The turn is not done within {ANSWERED_WITHIN_S:.0f} s; it goes on. Ask again with the"
            " same key, or follow its stream.",
            code="turn_not_done",
            detail={"conversation_id": turn.conversation_id, "turn_id": turn.turn_id},
        ) from None
    if last is None:  # the service ends
        return Turn(**told, status="running")
    state = await agents.read_turn(api.settings, turn, last)
    return Turn(**told, status=state.status, answer=state.answer, waiting=state.waiting)


async def _wait_for_pause(
    batches: AsyncIterator[streams.Batch], stop: StopFinder
) -> TurnFrame | None:
    """The frame at which the turn ends or waits for a person; None where none comes any more."""
    async for batch in batches:
        for frame in batch.frames:
            if stop.stops_at(frame.name, frame.data):
                return TurnFrame(frame.seq, frame.name, json.loads(frame.data))
    return None


async def _is_allowed(api: Api, caller: Caller, turn: BegunTurn) -> bool:
    try:
        known = await api.callers.find_by_id(caller.token_id)
    except DatabaseUnavailable:  # nothing can be revoked now, nor does anything new come
        return True
    return known is not None and (turn.project_id == SERVICE_WIDE or known.may_see(turn.project_id))


@router.post(ROOT + "/chat", response_model=Turn, responses=STREAMED | OF_ANY)
@allow(*READERS, writes=True, takes_files=True)
async def say(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    body: ChatMessageRequest,
    accept: Accepts = None,
) -> Any:
    """Ask the agents. The answer comes when the turn is done, or frame by frame."""
    documents = tuple(HandedDocument(one.name, one.text) for one in body.documents)
    request = ChatRequest(
        project, body.message, body.conversation_id, write.key, caller.role, documents
    )
    turn = await agents.begin_turn(api.settings, request, actor=caller.name)
    return await answer_turn(api, caller, turn, accept, wait=body.wait)


@router.get(ROOT + "/conversations", responses=OF_ANY)
@allow(*READERS)
async def list_conversations(
    api: ApiDep, project: Project, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Conversation]:
    """Conversations, oldest first."""
    return await api.tables.ask(agents_read.list_conversations, project, cursor=cursor, limit=limit)


@router.get(ROOT + "/conversations/{conversation_id}", responses=OF_ANY)
@allow(*READERS)
async def read_conversation(
    api: ApiDep, project: Project, conversation_id: ConversationId
) -> ConversationDetail:
    """All that was said in a conversation, and the calls in it with what was decided of them."""
    return await api.tables.ask(agents.whole_conversation, project, conversation_id)


@router.post(ROOT + "/conversations/{conversation_id}/stop", responses=OF_ANY)
@allow(*READERS, writes=True)
async def stop_conversation(
    api: ApiDep, caller: CallerDep, project: Project, conversation_id: ConversationId
) -> StoppedConversation:
    """End what goes on in a conversation, also calls that wait; a viewer ends what they asked."""
    return await stopping.stop_conversation_of(
        api.settings, project, conversation_id, actor=caller.name, role=caller.role
    )


@router.post(
    ROOT + "/confirmations/{confirmation_id}", response_model=Turn, responses=STREAMED | OF_ANY
)
@allow(*WRITERS, writes=True)
async def answer_confirmation(
    api: ApiDep,
    caller: CallerDep,
    project: Project,
    confirmation_id: ConfirmationId,
    body: ConfirmationReply,
    accept: Accepts = None,
) -> Any:
    """Decide about a call that waits; the turn goes on, and its answer comes as of a question."""
    answer = ConfirmationAnswer(confirmation_id, body.decision, body.arguments, body.reason)
    turn = await agents.answer_confirmation(
        api.settings, project, answer, actor=caller.name, role=caller.role
    )
    return await answer_turn(api, caller, turn, accept, wait=body.wait)


@router.get("/v1/agents/graphs/{name}", responses=OF_ANY)
@allow(*EVERYONE)
async def read_graph(name: Annotated[str, Path(max_length=100)], accept: Accepts = None) -> Graph:
    """A graph of agents as it is compiled, never as a picture (501): `project`, `quality`, and of
    the assistant `comms`, `executor` and `provider`; of development a type of workflow.
    """
    if accept and "image/" in accept:
        raise NotOffered(
            "Graphs are not drawn as pictures here: take the Mermaid text.", code="graph_not_drawn"
        )
    graph = describe_agent_graph(name)
    return Graph(
        nodes=list(graph.nodes),
        steps=[(edge.source, edge.target) for edge in graph.edges],
        edges=[GraphEdge.model_validate(edge, from_attributes=True) for edge in graph.edges],
        mermaid=graph.mermaid,
    )
