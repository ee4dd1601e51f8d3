"""Jobs of turns of conversations: a turn that waits in the queue is on no topic yet."""

from __future__ import annotations

from typing import Any

from projections.read.session import Conn, Row, rows

GIVEN = "SELECT payload -> 'given' AS given FROM orchestration_jobs WHERE job_id = %s"
DECIDED_BY = (
    "SELECT job_id, project_id, payload FROM orchestration_jobs"
    " WHERE serial_key = %s AND payload -> 'given' ->> 'message_key' = %s"
)
KNOWN = (
    "SELECT 1 FROM orchestration_jobs WHERE project_id = %s AND serial_key = %s"
    " UNION ALL SELECT 1 FROM conversations WHERE project_id = %s AND conversation_id = %s LIMIT 1"
)


def list_decided_by(connection: Conn, conversation_id: str, message_key: str) -> list[Row]:
    """Jobs of the conversation that a decision has put in the queue, by the key of its message."""
    return rows(connection, DECIDED_BY, conversation_id, message_key)


def has_conversation(connection: Conn, project_id: str, conversation_id: str) -> bool:
    """Whether the project has this conversation, also where its first turn is only queued."""
    parameters = (project_id, conversation_id)
    return bool(rows(connection, KNOWN, *parameters, *parameters))


def read_given(connection: Conn, job_id: str) -> Any:
    """The decision that a job was queued with, as JSON."""
    (row,) = rows(connection, GIVEN, job_id)
    return row["given"]
