"""Jobs of turns of conversations: a turn that waits in the queue is on no topic yet."""

from __future__ import annotations

from typing import Any

from projections.read.agents import OVER
from projections.read.session import Conn, ReadModel, Row, rows, select

GIVEN = "SELECT payload -> 'given' AS given FROM orchestration_jobs WHERE job_id = %s"
DECIDED_BY = (
    "SELECT job_id, project_id, payload FROM orchestration_jobs"
    " WHERE serial_key = %s AND payload -> 'given' ->> 'message_key' = %s"
)
OWNER = (
    "SELECT payload -> 'assistant' ->> 'owner' AS owner FROM orchestration_jobs"
    " WHERE serial_key = %s AND job_type = 'agent_turn' AND payload ? 'assistant' LIMIT 1"
)
_ANSWER = OVER.format(turn="j.payload ->> 'turn_id'")
UNANSWERED = (
    "SELECT j.job_id, j.project_id, j.created_by, j.payload FROM orchestration_jobs j"
    " WHERE j.serial_key = %s AND j.job_type = 'agent_turn'"
    f" AND NOT EXISTS ({_ANSWER}) ORDER BY j.created_seq"
)
KNOWN = (
    "SELECT 1 FROM orchestration_jobs WHERE project_id = %s AND serial_key = %s"
    " UNION ALL SELECT 1 FROM conversations WHERE project_id = %s AND conversation_id = %s LIMIT 1"
)


class TurnJob(ReadModel):
    """A job of a turn, with what it was asked to do."""

    job_id: str
    project_id: str
    created_by: str
    payload: dict[str, Any]

    @property
    def is_end(self) -> bool:
        """Whether it only ends the turn."""
        return "ended" in self.payload


def list_decided_by(connection: Conn, conversation_id: str, message_key: str) -> list[Row]:
    """Jobs of the conversation that a decision has put in the queue, by the key of its message."""
    return rows(connection, DECIDED_BY, conversation_id, message_key)


def list_unanswered(connection: Conn, conversation_id: str) -> list[TurnJob]:
    """The jobs of all turns of a conversation that have no answer, oldest first."""
    return select(connection, TurnJob, UNANSWERED, conversation_id)


def has_conversation(connection: Conn, project_id: str, conversation_id: str) -> bool:
    """Whether the project has this conversation, also where its first turn is only queued."""
    parameters = (project_id, conversation_id)
    return bool(rows(connection, KNOWN, *parameters, *parameters))


def find_owner(connection: Conn, conversation_id: str) -> str | None:
    """Whose conversation with the assistant it is whose first message is only queued."""
    found = rows(connection, OWNER, conversation_id)
    return found[0]["owner"] if found else None


def read_given(connection: Conn, job_id: str) -> Any:
    """The decision that a job was queued with, as JSON."""
    (row,) = rows(connection, GIVEN, job_id)
    return row["given"]
