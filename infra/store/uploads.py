"""Uploads that wait to be read: their encrypted content, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from projections.read.session import Conn, rows

CONTENT_DAYS = 2  # how long content stays that no job has read
FORGOTTEN_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUpload:
    """``content`` is encrypted with the key of ``key_id``; ``refused`` are documents, as JSON."""

    project_id: str
    key: str
    key_id: str
    content: bytes
    root: str | None
    refused: Sequence[dict[str, Any]]


def put_upload(connection: Conn, upload: NewUpload) -> int:
    """Keep an upload; which attempt under its key it is. One that was refused is replaced."""
    connection.execute(
        "INSERT INTO uploads AS u (project_id, trigger_key, size_bytes, key_id, content,"
        " root, refused) VALUES (%s, %s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (project_id, trigger_key) DO UPDATE SET attempt = u.attempt + 1,"
        " size_bytes = EXCLUDED.size_bytes, key_id = EXCLUDED.key_id,"
        " content = EXCLUDED.content, root = EXCLUDED.root, refused = EXCLUDED.refused,"
        " problem = NULL WHERE u.problem IS NOT NULL",
        (
            *(upload.project_id, upload.key, len(upload.content), upload.key_id, upload.content),
            *(upload.root, Jsonb(list(upload.refused))),
        ),
    )
    (kept,) = rows(
        connection,
        "SELECT attempt FROM uploads WHERE project_id = %s AND trigger_key = %s",
        *(upload.project_id, upload.key),
    )
    return int(kept["attempt"])


def note_job(connection: Conn, project_id: str, key: str, job_id: str) -> None:
    """The upload is read by this job."""
    connection.execute(
        "UPDATE uploads SET job_id = %s WHERE project_id = %s AND trigger_key = %s",
        (job_id, project_id, key),
    )


def find_content(connection: Conn, project_id: str, key: str) -> tuple[str, bytes] | None:
    """The id of the data key and the encrypted content; None when it is kept no more."""
    kept = rows(
        connection,
        "SELECT key_id, content FROM uploads WHERE project_id = %s AND trigger_key = %s"
        " AND content IS NOT NULL",
        *(project_id, key),
    )
    return next(((row["key_id"], bytes(row["content"])) for row in kept), None)


def find_outcome(connection: Conn, project_id: str, key: str) -> dict[str, Any] | None:
    """What came of an upload that was recorded; None before."""
    kept = rows(
        connection,
        "SELECT outcome FROM uploads WHERE project_id = %s AND trigger_key = %s",
        *(project_id, key),
    )
    return kept[0]["outcome"] if kept else None


def close_upload(
    connection: Conn,
    project_id: str,
    key: str,
    *,
    outcome: dict[str, Any] | None,
    problem: dict[str, Any] | None,
) -> None:
    """Note what came of an upload; its content is removed."""
    connection.execute(
        "UPDATE uploads SET content = NULL, outcome = %s, problem = %s"
        " WHERE project_id = %s AND trigger_key = %s",
        (
            *(Jsonb(outcome) if outcome else None, Jsonb(problem) if problem else None),
            *(project_id, key),
        ),
    )


def free_key(connection: Conn, project_id: str, key: str) -> None:
    """The idempotency key of a request may bring something else."""
    connection.execute("DELETE FROM api_requests WHERE scope = %s AND key = %s", (project_id, key))


def count_waiting_bytes(connection: Conn, project_id: str) -> tuple[int, int]:
    """The bytes that wait to be read: of this project, and of all."""
    (waiting,) = rows(
        connection,
        "SELECT coalesce(sum(size_bytes), 0)::bigint AS every, coalesce(sum(size_bytes)"
        " FILTER (WHERE project_id = %s), 0)::bigint AS own FROM uploads WHERE content IS NOT NULL",
        project_id,
    )
    return waiting["own"], waiting["every"]


def forget_uploads(connection: Conn, days: int) -> int:
    """Remove content that no job has read in time, and uploads that are older than ``days``."""
    emptied = connection.execute(
        "UPDATE uploads u SET content = NULL WHERE content IS NOT NULL"
        " AND created_at < now() - interval '1 day' * %s AND NOT EXISTS ("
        " SELECT 1 FROM orchestration_jobs j WHERE j.job_id = u.job_id AND j.status = 'leased')",
        (CONTENT_DAYS,),
    )
    removed = connection.execute(
        "DELETE FROM uploads WHERE ctid = ANY(ARRAY(SELECT ctid FROM uploads"
        " WHERE content IS NULL AND created_at < now() - interval '1 day' * %s LIMIT %s))",
        (max(days, CONTENT_DAYS), FORGOTTEN_AT_ONCE),
    )
    return emptied.rowcount + removed.rowcount
