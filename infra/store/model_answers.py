"""Answers of models, found by what was asked, before and after the projection shows their fact."""

from __future__ import annotations

from projections.read.session import Conn
from schemas.events.model_calls import AnswerRecorded


def find_answer(connection: Conn, request_hash: str) -> str | None:
    found = connection.execute(
        "SELECT answer FROM llm_answers WHERE request_hash = %(hash)s"
        " UNION ALL SELECT answer FROM model_answers WHERE request_hash = %(hash)s LIMIT 1",
        {"hash": request_hash},
    ).fetchone()
    return found[0] if found else None


def keep_answer(connection: Conn, event: AnswerRecorded) -> None:
    """The answer can be found at once; the row goes when the tables show the fact."""
    with connection.transaction():
        connection.execute(
            "INSERT INTO model_answers (request_hash, answer) VALUES (%s, %s)"
            " ON CONFLICT DO NOTHING",
            (event.request_hash, event.answer),
        )
        connection.execute(
            "DELETE FROM model_answers a WHERE EXISTS"
            " (SELECT 1 FROM llm_answers l WHERE l.request_hash = a.request_hash)"
        )
