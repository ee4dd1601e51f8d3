"""Conversations with the agents: what was said, and every event of a turn."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.errors import NotFound
from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows, select

CONVERSATIONS = Listing(
    "conversations",
    "conversation_id, project_id, title, started_by, started_at, updated_at",
    "conversations",
    {"started_at": "timestamptz", "conversation_id": "text"},
)
ONE = f"SELECT {CONVERSATIONS.columns} FROM conversations WHERE conversation_id = %s"
MESSAGES = """
    SELECT turn_id, role, author, content, citations, engine, error, said_at
    FROM conversation_messages WHERE conversation_id = %s ORDER BY said_at, turn_id, ordinal
"""
NEWEST = """
    SELECT role, content FROM (
        SELECT role, content, said_at, turn_id, ordinal FROM conversation_messages
        WHERE conversation_id = %s AND turn_id <> %s
        ORDER BY said_at DESC, turn_id DESC, ordinal DESC LIMIT %s
    ) newest ORDER BY said_at, turn_id, ordinal
"""
EVENTS = """
    SELECT turn_id, ordinal, project_id, conversation_id, event_type, data, occurred_at,
        updated_from_event_id AS event_id
    FROM agent_events WHERE turn_id = %s ORDER BY ordinal
"""
ANSWER = """
    SELECT turn_id, conversation_id, content, author, citations, engine, error, said_at
    FROM conversation_messages WHERE turn_id = %s AND role = 'assistant'
"""
CONFIRMATION = """
    SELECT confirmation_id, project_id, conversation_id, turn_id, tool, arguments, summary,
        requested_at, decision, changed_arguments, reason, given_by, given_at
    FROM confirmations
"""
PROJECT = "SELECT project_id, name, description, vision FROM projects WHERE project_id = %s"
KINDS = """
    SELECT kind, count(*)::int AS atoms FROM ledger_atoms
    WHERE project_id = %s AND status IN ('active', 'draft') GROUP BY kind ORDER BY kind
"""


class Conversation(ReadModel):
    conversation_id: str
    project_id: str
    title: str
    started_by: str
    started_at: datetime
    updated_at: datetime


class SaidMessage(ReadModel):
    """What a person or an agent said; ``engine`` and ``error`` are those of an answer."""

    turn_id: str
    role: str
    author: str
    content: str
    citations: list[dict[str, Any]]
    engine: str | None
    error: str
    said_at: datetime


class TurnAnswer(ReadModel):
    turn_id: str
    conversation_id: str
    content: str
    author: str
    citations: list[dict[str, Any]]
    engine: str | None
    error: str
    said_at: datetime


class TurnEvent(ReadModel):
    """An event of a turn as the log has it."""

    turn_id: str
    ordinal: int
    project_id: str
    conversation_id: str
    event_type: str
    data: dict[str, Any]
    occurred_at: datetime
    event_id: Any


class Confirmation(ReadModel):
    """A call that waits for a person, or what was decided of it."""

    confirmation_id: str
    project_id: str
    conversation_id: str
    turn_id: str
    tool: str
    arguments: dict[str, Any]
    summary: str
    requested_at: datetime
    decision: str | None
    changed_arguments: dict[str, Any] | None
    reason: str | None
    given_by: str | None
    given_at: datetime | None


def conversations(
    connection: Conn, project_id: str, *, cursor: str | None = None, limit: int = PAGE
) -> Page[Conversation]:
    """A page of conversations, oldest first. Raises Refusal for a bad cursor."""
    conditions = [("project_id = %s", project_id)]
    found, following = page_of(connection, CONVERSATIONS, conditions, cursor, limit)
    return Page(items=[Conversation(**row) for row in found], next_cursor=following)


def conversation(connection: Conn, project_id: str, conversation_id: str) -> Conversation:
    """Raises NotFound, also for a conversation of another project."""
    found = next(iter(select(connection, Conversation, ONE, conversation_id)), None)
    if found is None or found.project_id != project_id:
        raise NotFound(
            f"There is no conversation {conversation_id}.",
            code="unknown_conversation",
            detail={"conversation_id": conversation_id},
        )
    return found


def messages(connection: Conn, conversation_id: str) -> list[SaidMessage]:
    """All that was said, in its order."""
    return select(connection, SaidMessage, MESSAGES, conversation_id)


def newest_messages(
    connection: Conn, conversation_id: str, before_turn: str, limit: int
) -> list[dict[str, str]]:
    """The newest messages of other turns, oldest first."""
    return rows(connection, NEWEST, conversation_id, before_turn, limit)


def turn_events(connection: Conn, turn_id: str) -> list[TurnEvent]:
    return select(connection, TurnEvent, EVENTS, turn_id)


def turn_answer(connection: Conn, turn_id: str) -> TurnAnswer | None:
    return next(iter(select(connection, TurnAnswer, ANSWER, turn_id)), None)


def confirmation(connection: Conn, project_id: str, confirmation_id: str) -> Confirmation:
    """Raises NotFound."""
    query = f"{CONFIRMATION} WHERE confirmation_id = %s AND project_id = %s"
    for found in select(connection, Confirmation, query, confirmation_id, project_id):
        return found
    raise NotFound(
        f"There is no confirmation {confirmation_id}.",
        code="unknown_confirmation",
        detail={"confirmation_id": confirmation_id},
    )


def open_confirmations(connection: Conn, conversation_id: str) -> list[Confirmation]:
    """Those of a conversation that nobody has decided about, oldest first."""
    query = f"{CONFIRMATION} WHERE conversation_id = %s AND decision IS NULL ORDER BY requested_at"
    return select(connection, Confirmation, query, conversation_id)


def project_state(connection: Conn, project_id: str) -> dict[str, Any]:
    """What agents know of a project before they ask: its name, and its live atoms by kind."""
    (project,) = rows(connection, PROJECT, project_id)
    counts = rows(connection, KINDS, project_id)
    return project | {"counts_by_kind": {row["kind"]: row["atoms"] for row in counts}}
