"""What the assistant remembers in a namespace, and the workflows that a user has named.

A memory is live unless it was forgotten or another one has taken its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows, select
from projections.read.viewer import Viewer, list_seen
from schemas.events.memory import MemoryKind

SKILLED = "agent:"  # before the name of an agent, in the namespace of its skills
MOST_LIVE = 1_000  # memories that are looked through for one question
STORED = "m.created_at IS NOT NULL AND m.forgotten_at IS NULL"
LIVE = (
    f"{STORED} AND NOT EXISTS (SELECT FROM memories n WHERE n.replaces = m.memory_id"
    " AND n.replaces <> '' AND n.namespace = m.namespace AND n.memory_id <> m.memory_id)"
)
MEMORIES = Listing(
    "memories",
    "m.memory_id, m.namespace, coalesce(m.edited_text, m.text) AS text, m.kind, m.metadata,"
    " m.created_at, coalesce(m.edited_at, m.created_at) AS updated_at, m.source_thread,"
    " m.source_turn",
    "memories m",
    {"m.created_at": "timestamptz", "m.memory_id": "text"},
)
NEWEST = (
    f"SELECT {MEMORIES.columns} FROM {MEMORIES.tables} WHERE m.namespace = ANY(%s) AND {LIVE}"
    " ORDER BY m.created_at DESC, m.memory_id DESC LIMIT %s"
)
OF_THREAD = (
    f"SELECT {MEMORIES.columns} FROM {MEMORIES.tables} WHERE m.namespace = %s"
    f" AND m.source_thread = %s AND {LIVE} ORDER BY m.created_at, m.memory_id"
)
ONE = f"SELECT {MEMORIES.columns} FROM {MEMORIES.tables} WHERE m.memory_id = %s AND {LIVE}"
# A memory with those that it has replaced, one after another.
CHAIN = """
    WITH RECURSIVE chain AS (
        SELECT memory_id, namespace, replaces FROM memories WHERE memory_id = ANY(%s)
        UNION
        SELECT m.memory_id, m.namespace, m.replaces FROM memories m
        JOIN chain c ON m.memory_id = c.replaces AND m.namespace = c.namespace
    )
    SELECT c.memory_id FROM chain c JOIN memories m USING (memory_id)
    WHERE m.forgotten_at IS NULL ORDER BY c.memory_id
"""
REMEMBERED = f"SELECT m.memory_id FROM memories m WHERE m.namespace = %s AND {STORED}"
USED = "SELECT memory_id FROM memories WHERE memory_id = ANY(%s)"
IDS = "SELECT memory_id FROM memories WHERE namespace = %s ORDER BY memory_id"
SKILLS = Listing(
    "skills",
    MEMORIES.columns,
    MEMORIES.tables,
    {"m.namespace": "text", "m.created_at": "timestamptz", "m.memory_id": "text"},
)
WORKFLOWS = Listing(
    "assistant_workflows",
    "w.name, w.prompt, w.tools, w.saved_at",
    "assistant_workflows w",
    {"w.name": "text"},
)
WORKFLOW_COUNT = "SELECT count(*) FROM assistant_workflows WHERE owner = %s AND NOT is_removed"


class MemoryRecord(ReadModel):
    """Something remembered. ``kind``: ``fact`` or ``skill``; ``metadata``: what else is known of
    it, such as its ``relation`` to earlier ones. ``source_thread`` and ``source_turn``: the
    conversation and turn it comes from; empty for what its owner has written down, and in lists for
    those who may not see that conversation.
    """

    memory_id: str
    namespace: str
    text: str
    kind: MemoryKind
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    source_thread: str
    source_turn: str


class NamedWorkflow(ReadModel):
    """A prompt with a name, and the tools that it may use."""

    name: str
    prompt: str
    tools: list[str]
    saved_at: datetime


def list_live(connection: Conn, namespaces: Sequence[str], limit: int) -> list[MemoryRecord]:
    """The newest live memories of the namespaces, at most 1,000."""
    return select(connection, MemoryRecord, NEWEST, list(namespaces), max(0, min(limit, MOST_LIVE)))


def list_of_thread(connection: Conn, namespace: str, thread: str) -> list[MemoryRecord]:
    """The live memories of a namespace that come from a conversation, oldest first."""
    return select(connection, MemoryRecord, OF_THREAD, namespace, thread)


def list_memories(
    connection: Conn,
    namespace: str,
    viewer: Viewer,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[MemoryRecord]:
    """A page of live memories of a namespace, newest first. Raises Refusal for a bad cursor."""
    conditions = [("m.namespace = %s", namespace), (LIVE,)]
    records, following = page_of(connection, MEMORIES, conditions, cursor, limit, backwards=True)
    return Page(items=_show(connection, viewer, records), next_cursor=following)


def list_skills(
    connection: Conn, viewer: Viewer, *, cursor: str | None = None, limit: int = PAGE
) -> Page[MemoryRecord]:
    """A page of what all agents have learnt, by agent. Raises Refusal for a bad cursor."""
    conditions = [("starts_with(m.namespace, %s)", SKILLED), (LIVE,)]
    records, following = page_of(connection, SKILLS, conditions, cursor, limit)
    return Page(items=_show(connection, viewer, records), next_cursor=following)


def _show(connection: Conn, viewer: Viewer, records: Sequence[Row]) -> list[MemoryRecord]:
    seen = list_seen(connection, viewer, (row["source_thread"] for row in records))
    hidden = {"source_thread": "", "source_turn": ""}
    return [
        MemoryRecord(**(row if row["source_thread"] in seen else row | hidden)) for row in records
    ]


def read_memory(
    connection: Conn, memory_id: str, namespace: str, *, with_skills: bool = False
) -> MemoryRecord:
    """A live memory of the namespace; ``with_skills``: or of an agent. Raises NotFound, in the
    same words for another's.
    """
    for memory in select(connection, MemoryRecord, ONE, memory_id):
        if memory.namespace == namespace or (with_skills and memory.namespace.startswith(SKILLED)):
            return memory
    raise NotFound(f"There is no memory {memory_id}.", code="unknown_memory")


def list_chain(connection: Conn, memory_ids: Sequence[str]) -> list[str]:
    """The ids of these memories, and of those that they have replaced, unless forgotten."""
    return [row["memory_id"] for row in rows(connection, CHAIN, list(memory_ids))]


def list_remembered(connection: Conn, namespace: str) -> list[str]:
    """The ids of all memories of a namespace that are not forgotten, replaced ones too."""
    return [row["memory_id"] for row in rows(connection, REMEMBERED, namespace)]


def list_ids(connection: Conn, namespace: str) -> list[str]:
    """The ids of all memories that a namespace has ever had."""
    return [row["memory_id"] for row in rows(connection, IDS, namespace)]


def count_workflows(connection: Conn, owner: str) -> int:
    return int(rows(connection, WORKFLOW_COUNT, owner)[0]["count"])


def list_used_ids(connection: Conn, memory_ids: Sequence[str]) -> set[str]:
    """Which of the ids belong to a memory, also to a forgotten one."""
    return {row["memory_id"] for row in rows(connection, USED, list(memory_ids))}


def list_workflows(
    connection: Conn, owner: str, *, cursor: str | None = None, limit: int = PAGE
) -> Page[NamedWorkflow]:
    """A page of the workflows of a namespace by name. Raises Refusal for a bad cursor."""
    conditions = [("w.owner = %s", owner), ("NOT w.is_removed",)]
    records, following = page_of(connection, WORKFLOWS, conditions, cursor, limit)
    return Page(items=[NamedWorkflow(**row) for row in records], next_cursor=following)


def read_workflow(connection: Conn, owner: str, name: str) -> NamedWorkflow:
    """Raises NotFound."""
    query = (
        f"SELECT {WORKFLOWS.columns} FROM {WORKFLOWS.tables}"
        " WHERE w.owner = %s AND w.name = %s AND NOT w.is_removed"
    )
    for workflow in select(connection, NamedWorkflow, query, owner, name):
        return workflow
    raise NotFound(f"You have no workflow {name}.", code="unknown_workflow")
