"""Conversations with the agents: what was said, and every event of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows, select
from projections.read.viewer import Viewer

CONVERSATIONS = Listing(
    "conversations",
    "conversation_id, project_id, title, started_by, started_at, updated_at",
    "conversations",
    {"started_at": "timestamptz", "conversation_id": "text"},
)
TURNS = Listing(
    "turns",
    "q.turn_id, q.conversation_id, q.author AS asked_by, q.sent_at AS asked_at,"
    " q.content AS question, a.author AS answered_by, a.engine, coalesce(a.error, '') AS error",
    "conversation_messages q LEFT JOIN conversation_messages a"
    " ON a.turn_id = q.turn_id AND a.role = 'assistant'",
    {"q.sent_at": "timestamptz", "q.turn_id": "text"},
)
ONE = f"SELECT {CONVERSATIONS.columns} FROM conversations WHERE conversation_id = %s"
OWNER = "SELECT owner FROM conversations WHERE conversation_id = %s AND owner <> ''"
CHOSEN = "SELECT data ->> 'project' AS project FROM agent_events WHERE turn_id = %s AND ordinal = 0"
ALL_CHOSEN = (
    "SELECT DISTINCT data ->> 'project' AS project FROM agent_events"
    " WHERE conversation_id = %s AND ordinal = 0 AND data ->> 'project' <> '' ORDER BY project"
)
MESSAGES = """
    SELECT turn_id, role, author, content, citations, engine, error, sent_at
    FROM conversation_messages WHERE conversation_id = %s ORDER BY sent_at, turn_id, ordinal
"""
NEWEST = """
    SELECT role, content FROM (
        SELECT role, content, sent_at, turn_id, ordinal FROM conversation_messages
        WHERE conversation_id = %s AND turn_id <> %s
        ORDER BY sent_at DESC, turn_id DESC, ordinal DESC LIMIT %s
    ) newest ORDER BY sent_at, turn_id, ordinal
"""
EVENTS = """
    SELECT turn_id, ordinal, project_id, conversation_id, event_type, data, occurred_at,
        updated_from_event_id AS event_id
    FROM agent_events WHERE turn_id = %s ORDER BY ordinal
"""
# What is long in an event, and shown to nobody, stays behind.
STEPS = """
    SELECT turn_id, ordinal, project_id, conversation_id, event_type,
        data - '{notes,answer,arguments,summary}'::text[] AS data, occurred_at,
        updated_from_event_id AS event_id
    FROM agent_events WHERE conversation_id = %s AND event_type = ANY(%s) ORDER BY turn_id, ordinal
"""
THREAD = """
    SELECT notes FROM agent_handoffs
    WHERE thread = %s AND turn_id <> %s AND finished_at IS NOT NULL
    ORDER BY finished_at DESC, turn_id DESC, finished_ordinal DESC LIMIT 1
"""
COUNT = "SELECT count(*)::int AS events FROM agent_events WHERE turn_id = %s"
ANSWER = """
    SELECT turn_id, conversation_id, content, author, citations, engine, error, sent_at
    FROM conversation_messages WHERE turn_id = %s AND role = 'assistant'
"""
CONFIRMATION = """
    SELECT confirmation_id, project_id, conversation_id, turn_id, tool, arguments, summary,
        requested_at, decision, changed_arguments, reason, given_by, given_at
    FROM confirmations
"""
OVER = "SELECT FROM conversation_messages m WHERE m.turn_id = {turn} AND m.role = 'assistant'"
OPEN = f"decision IS NULL AND NOT EXISTS ({OVER.format(turn='confirmations.turn_id')})"
DECIDED = """
    SELECT coalesce(max(f.seq), -1) AS seq FROM stream_frames f
    WHERE f.stream_id = %s AND f.name = 'confirmation_requested'
        AND coalesce((f.data::jsonb ->> 'more')::int, 0) = 0
        AND EXISTS (SELECT FROM stream_frames n WHERE n.stream_id = f.stream_id AND n.seq > f.seq)
"""
EXPIRED = f"""
    SELECT confirmation_id, project_id, conversation_id, turn_id FROM confirmations
    WHERE requested_at < %s AND {OPEN} ORDER BY requested_at
"""
# A job of its own ends such a turn, once. Whatever else goes on with the turn may still answer it.
UNANSWERED = f"""
    SELECT j.project_id, j.status, j.created_by, j.payload FROM orchestration_jobs j
    WHERE j.job_type = 'agent_turn' AND j.status IN ('dead', 'cancelled')
        AND NOT EXISTS ({OVER.format(turn="j.payload ->> 'turn_id'")})
        AND NOT EXISTS (
            SELECT FROM orchestration_jobs o
            WHERE o.serial_key = j.serial_key AND o.payload ->> 'turn_id' = j.payload ->> 'turn_id'
                AND (o.status IN ('queued', 'leased', 'failed') OR o.payload ? 'ended')
        )
    ORDER BY j.created_seq
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


class ChatMessage(ReadModel):
    """What a person or an agent said; ``engine`` and ``error`` are those of an answer."""

    turn_id: str
    role: str
    author: str
    content: str
    citations: list[dict[str, Any]]
    engine: str | None
    error: str
    sent_at: datetime


class AskedTurn(ReadModel):
    """A turn by its question; ``answered_by`` None: it has no answer yet."""

    turn_id: str
    conversation_id: str
    asked_by: str
    asked_at: datetime
    question: str
    answered_by: str | None
    engine: str | None
    error: str


class TurnAnswer(ReadModel):
    turn_id: str
    conversation_id: str
    content: str
    author: str
    citations: list[dict[str, Any]]
    engine: str | None
    error: str
    sent_at: datetime


class TurnEvent(ReadModel):
    """An event of a turn as the log has it."""

    turn_id: str
    ordinal: int
    project_id: str
    conversation_id: str
    event_type: str
    data: dict[str, Any]
    occurred_at: datetime
    event_id: UUID


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


class ExpiredConfirmation(ReadModel):
    """A call about which nobody has decided in time."""

    confirmation_id: str
    project_id: str
    conversation_id: str
    turn_id: str


class UnansweredTurn(ReadModel):
    """A job of a turn that has ended without the turn's answer, and what it was asked to do."""

    project_id: str
    status: Literal["dead", "cancelled"]
    created_by: str
    payload: dict[str, Any]


def list_conversations(
    connection: Conn,
    project_id: str,
    *,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Conversation]:
    """A page of conversations, oldest first unless said. Raises Refusal for a bad cursor."""
    conditions = [("project_id = %s", project_id)]
    records, following = page_of(
        connection, CONVERSATIONS, conditions, cursor, limit, backwards=newest_first
    )
    return Page(items=[Conversation(**row) for row in records], next_cursor=following)


def list_turns(
    connection: Conn,
    project_id: str,
    *,
    viewer: Viewer | None = None,
    conversation: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[AskedTurn]:
    """A page of turns, the newest first; with ``viewer`` those of the assistant that they may see.

    Raises Refusal for a bad cursor.
    """
    conditions: list[Condition] = [("q.project_id = %s", project_id), ("q.role = 'user'",)]
    if viewer is not None:
        conditions += viewer.conditions("q.conversation_id")
    if conversation is not None:
        conditions.append(("q.conversation_id = %s", conversation))
    records, following = page_of(connection, TURNS, conditions, cursor, limit, backwards=True)
    return Page(items=[AskedTurn(**row) for row in records], next_cursor=following)


def read_conversation(connection: Conn, project_id: str, conversation_id: str) -> Conversation:
    """Raises NotFound, also for a conversation of another project."""
    first = next(iter(select(connection, Conversation, ONE, conversation_id)), None)
    if first is None or first.project_id != project_id:
        raise unknown_conversation(conversation_id)
    return first


def unknown_conversation(conversation_id: str) -> NotFound:
    """The same words for one that is not there and for one that is not theirs."""
    return NotFound(
        f"There is no conversation {conversation_id}.",
        code="unknown_conversation",
        detail={"conversation_id": conversation_id},
    )


def find_owner(connection: Conn, conversation_id: str) -> str | None:
    """Whose conversation with the assistant it is; None where it is none."""
    return next((row["owner"] for row in rows(connection, OWNER, conversation_id)), None)


def list_chosen_projects(connection: Conn, conversation_id: str) -> list[str]:
    """The projects that were chosen for messages of a conversation with the assistant."""
    return [row["project"] for row in rows(connection, ALL_CHOSEN, conversation_id)]


def find_chosen_project(connection: Conn, turn_id: str) -> str:
    """The project that was chosen for a message to the assistant; empty where none was."""
    projects = (row["project"] for row in rows(connection, CHOSEN, turn_id))
    return str(next(projects, "") or "")


def list_own_conversations(
    connection: Conn, viewer: Viewer, *, cursor: str | None = None, limit: int = PAGE
) -> Page[Conversation]:
    """A page of a person's conversations with the assistant that they may see, newest first."""
    conditions = viewer.conditions("conversations.conversation_id")
    records, following = page_of(
        connection, CONVERSATIONS, conditions, cursor, limit, backwards=True
    )
    return Page(items=[Conversation(**row) for row in records], next_cursor=following)


def list_messages(connection: Conn, conversation_id: str) -> list[ChatMessage]:
    """All that was said, in its order."""
    return select(connection, ChatMessage, MESSAGES, conversation_id)


def list_newest_messages(
    connection: Conn, conversation_id: str, before_turn: str, limit: int
) -> list[dict[str, str]]:
    """The newest messages of other turns, oldest first."""
    return rows(connection, NEWEST, conversation_id, before_turn, limit)


def read_thread(connection: Conn, thread: str, before_turn: str) -> list[dict[str, Any]]:
    """The notes of the last work in a thread of agents, of another turn; empty where none is."""
    for row in rows(connection, THREAD, thread, before_turn):
        notes: list[dict[str, Any]] = row["notes"]
        return notes
    return []


def list_turn_events(connection: Conn, turn_id: str) -> list[TurnEvent]:
    return select(connection, TurnEvent, EVENTS, turn_id)


def list_steps(connection: Conn, conversation_id: str, types: Sequence[str]) -> list[TurnEvent]:
    """The events of these types in a conversation, turn by turn, without what is long in them."""
    return select(connection, TurnEvent, STEPS, conversation_id, list(types))


def count_turn_events(connection: Conn, turn_id: str) -> int:
    """How many the tables hold of a turn: its first ones."""
    (row,) = rows(connection, COUNT, turn_id)
    return int(row["events"])


def find_turn_answer(connection: Conn, turn_id: str) -> TurnAnswer | None:
    return next(iter(select(connection, TurnAnswer, ANSWER, turn_id)), None)


def read_confirmation(connection: Conn, project_id: str, confirmation_id: str) -> Confirmation:
    """Raises NotFound."""
    row = find_confirmation(connection, confirmation_id)
    if row is None or row.project_id != project_id:
        raise unknown_confirmation(confirmation_id)
    return row


def unknown_confirmation(confirmation_id: str) -> NotFound:
    """The same words for one that is not there and for one that is not theirs."""
    return NotFound(
        f"There is no confirmation {confirmation_id}.",
        code="unknown_confirmation",
        detail={"confirmation_id": confirmation_id},
    )


def find_confirmation(connection: Conn, confirmation_id: str) -> Confirmation | None:
    query = f"{CONFIRMATION} WHERE confirmation_id = %s AND requested_at IS NOT NULL"
    return next(iter(select(connection, Confirmation, query, confirmation_id)), None)


def list_open_confirmations(connection: Conn, conversation_id: str) -> list[Confirmation]:
    """Those of a conversation that nobody has decided about, of turns that go on, oldest first."""
    query = f"{CONFIRMATION} WHERE conversation_id = %s AND {OPEN} ORDER BY requested_at"
    return select(connection, Confirmation, query, conversation_id)


def list_decided_confirmations(connection: Conn, conversation_id: str) -> list[Confirmation]:
    """Those of a conversation about which somebody has decided, in the order of the decisions."""
    query = (
        f"{CONFIRMATION} WHERE conversation_id = %s AND decision IS NOT NULL"
        " AND requested_at IS NOT NULL ORDER BY given_at, confirmation_id"
    )
    return select(connection, Confirmation, query, conversation_id)


def list_expired_confirmations(connection: Conn, before: datetime) -> list[ExpiredConfirmation]:
    """Those requested before then, of turns that still wait, oldest first."""
    return select(connection, ExpiredConfirmation, EXPIRED, before)


def list_unanswered_turns(connection: Conn) -> list[UnansweredTurn]:
    """Turns that nobody goes on with, though they have no answer, oldest first."""
    return select(connection, UnansweredTurn, UNANSWERED)


def find_last_decided_frame(connection: Conn, turn_id: str) -> int:
    """The place of the last pause of a turn behind which it went on; -1 where there is none."""
    (row,) = rows(connection, DECIDED, turn_id)
    return int(row["seq"])


def read_project_state(connection: Conn, project_id: str) -> dict[str, Any]:
    """What agents know of a project before they ask: its name, and its live atoms by kind."""
    (project,) = rows(connection, PROJECT, project_id)
    counts = rows(connection, KINDS, project_id)
    return project | {"counts_by_kind": {row["kind"]: row["atoms"] for row in counts}}
