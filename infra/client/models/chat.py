# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Chat are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from infra.client.connection import Model
from infra.client.models.chat_parts import (
    AttachedDocument,
    ChatMessage,
    Confirmation,
    GraphEdge,
    TurnAnswer,
)


class ChatMessageRequest(Model):
    """``conversation_id`` goes on with a conversation; without it a new one begins. ``wait``
    False: the turn is only begun. ``documents`` become sources of the project, which the answer
    names.
    """

    message: str
    conversation_id: str | None = None
    wait: bool = True
    documents: list[AttachedDocument] = []


class ConfirmationReply(Model):
    """``arguments`` are the changed ones of an ``edit``."""

    decision: Literal["approve", "edit", "reject"]
    arguments: dict[str, Any] | None = None
    reason: str = ""
    wait: bool = True


class Conversation(Model):
    conversation_id: str
    project_id: str
    title: str
    started_by: str
    started_at: datetime
    updated_at: datetime


class ConversationDetail(Model):
    """A conversation with all that was said, the calls that wait for a person, and those about
    which one has decided: who did, and with which arguments where they were changed.
    """

    conversation: Conversation
    messages: list[ChatMessage]
    waiting: list[Confirmation]
    decided: list[Confirmation]


class Graph(Model):
    """A graph: its nodes, which may follow which, and the same as a Mermaid text."""

    nodes: list[str]
    steps: list[tuple[str, str]]
    edges: list[GraphEdge]
    mermaid: str


class Turn(Model):
    """How a turn stands: ``answered`` with its answer, ``failed``, ``waiting`` for a person who
    decides about a call, or ``running``. Its frames are on the stream with its id; those of this
    request are behind the place ``after``.
    """

    conversation_id: str
    turn_id: str
    job_id: str
    after: int
    status: str
    answer: TurnAnswer | None = None
    waiting: list[Confirmation] = []


class TurnCheckpoint(Model):
    """The state of the graph at the end of a turn: ``results`` and ``thoughts`` have grown with
    each step, all else is what came last.
    """

    request: str
    project: dict[str, Any]
    current_agent: str
    next_agent: str
    message_to_agent: str
    iteration: int
    max_iterations: int
    results: list[dict[str, Any]]
    thoughts: list[dict[str, Any]]
    final_response: str
    should_end: bool
    limit_reached: bool
    chat_history: list[dict[str, str]]
