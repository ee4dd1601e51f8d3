"""Jobs of consultations and brainstorms: what waits in the queue is on no other topic yet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from projections.read.session import Conn, ReadModel, select

COLUMNS = "j.job_id, j.project_id, j.status, j.payload, j.last_error, j.created_by, j.created_at"
OF_CONSULTATION = (
    f"SELECT {COLUMNS} FROM orchestration_jobs j"
    " WHERE j.job_type = 'consultation' AND j.idempotency_key = %s"
    " ORDER BY j.created_seq DESC LIMIT 1"
)
OF_BRAINSTORM = (
    f"SELECT {COLUMNS} FROM orchestration_jobs j"
    " WHERE j.job_type = 'brainstorm' AND j.serial_key = %s ORDER BY j.created_seq"
)


class TalkJob(ReadModel):
    """A job with what it was asked to do. ``last_error``: of its last attempt, if that failed."""

    job_id: str
    project_id: str
    status: str
    payload: dict[str, Any]
    last_error: str | None
    created_by: str
    created_at: datetime

    @property
    def has_failed(self) -> bool:
        """Whether it is tried no more."""
        return self.status in ("dead", "cancelled")


def find_consultation_job(connection: Conn, consultation_id: str) -> TalkJob | None:
    return next(iter(select(connection, TalkJob, OF_CONSULTATION, consultation_id)), None)


def list_brainstorm_jobs(connection: Conn, brainstorm_id: str) -> list[TalkJob]:
    """The jobs of a session, the oldest first."""
    return select(connection, TalkJob, OF_BRAINSTORM, brainstorm_id)
