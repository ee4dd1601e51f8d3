"""What the oracle has advised, and the sessions in which ideas become designs."""

from __future__ import annotations

from datetime import datetime

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.development_talk import BrainstormRole

CONSULTATIONS = Listing(
    "oracle_consultations",
    "c.consultation_id AS id, c.problem, c.context_files, c.advice, c.model,"
    " c.input_tokens + c.output_tokens AS tokens, c.cost_usd, c.asked_by, c.workflow_id,"
    " c.created_at",
    "oracle_consultations c",
    {"c.created_at": "timestamptz", "c.consultation_id": "text"},
)
SESSIONS = Listing(
    "brainstorm_sessions",
    "s.brainstorm_id AS id, s.project_id, s.title, s.started_by, s.started_at,"
    " (SELECT count(*) FROM brainstorm_messages m WHERE m.brainstorm_id = s.brainstorm_id)"
    " AS messages,"
    " (SELECT d.file_name FROM brainstorm_designs d WHERE d.brainstorm_id = s.brainstorm_id"
    " ORDER BY d.number DESC LIMIT 1) AS design,"
    " (SELECT max(h.created_at) FROM brainstorm_handoffs h"
    " WHERE h.brainstorm_id = s.brainstorm_id) AS handed_off_at",
    "brainstorm_sessions s",
    {"s.started_at": "timestamptz", "s.brainstorm_id": "text"},
)
MESSAGES = (
    "SELECT m.number, m.role, m.text, m.author, m.model, m.created_at FROM brainstorm_messages m"
    " WHERE m.brainstorm_id = %s AND m.request_key <> %s"
    " ORDER BY m.number, m.role = 'brainstormer', m.created_at, m.request_key"
)
DESIGN = (
    "SELECT d.file_name, d.markdown, d.design_hash, d.created_at FROM brainstorm_designs d"
    " WHERE d.brainstorm_id = %s AND d.request_key <> %s ORDER BY d.number DESC LIMIT 1"
)
HANDOFFS = (
    "SELECT h.brainstorm_id, h.idea, h.file_name, h.design, h.design_hash, h.workflow_id,"
    " h.handed_off_by, h.created_at FROM brainstorm_handoffs h WHERE h.brainstorm_id = %s"
)
ANSWERED = (
    "SELECT m.request_key FROM brainstorm_messages m"
    " WHERE m.brainstorm_id = %s AND m.role = 'brainstormer'"
)


class OracleConsultation(ReadModel):
    """Advice on a problem. ``asked_by`` is a person or an agent, then ``workflow_id`` its run;
    ``cost_usd`` None: the price is not known.
    """

    id: str
    problem: str
    context_files: list[str]
    advice: str
    model: str
    tokens: int
    cost_usd: float | None
    asked_by: str
    workflow_id: str
    created_at: datetime


class BrainstormSession(ReadModel):
    """``design`` is the name of its document, if there is one; ``handed_off_at`` when it was last
    handed on.
    """

    id: str
    project_id: str
    title: str
    started_by: str
    started_at: datetime
    messages: int
    design: str | None
    handed_off_at: datetime | None


class BrainstormMessage(ReadModel):
    """``number`` counts the questions that were answered; ``author`` and ``model`` say who."""

    number: int
    role: BrainstormRole
    text: str
    author: str
    model: str
    created_at: datetime


class BrainstormDesign(ReadModel):
    file_name: str
    markdown: str
    design_hash: str
    created_at: datetime


class BrainstormHandoff(ReadModel):
    """A design that was handed on: ``idea`` and ``design`` are what a workflow begins with;
    ``workflow_id`` is that workflow, empty where none was begun.
    """

    brainstorm_id: str
    idea: str
    file_name: str
    design: str
    design_hash: str
    workflow_id: str
    handed_off_by: str
    created_at: datetime


def list_consultations(
    connection: Conn, *, cursor: str | None = None, limit: int = PAGE
) -> Page[OracleConsultation]:
    """A page of consultations, newest first. Raises Refusal for a bad cursor."""
    records, following = page_of(
        connection, CONSULTATIONS, [("true",)], cursor, limit, backwards=True
    )
    return Page(items=[OracleConsultation(**row) for row in records], next_cursor=following)


def find_consultation(connection: Conn, consultation_id: str) -> OracleConsultation | None:
    query = f"SELECT {CONSULTATIONS.columns} FROM {CONSULTATIONS.tables} WHERE consultation_id = %s"
    return next(iter(select(connection, OracleConsultation, query, consultation_id)), None)


def list_brainstorms(
    connection: Conn, *, cursor: str | None = None, limit: int = PAGE
) -> Page[BrainstormSession]:
    """A page of sessions, newest first. Raises Refusal for a bad cursor."""
    records, following = page_of(connection, SESSIONS, [("true",)], cursor, limit, backwards=True)
    return Page(items=[BrainstormSession(**row) for row in records], next_cursor=following)


def find_brainstorm(connection: Conn, brainstorm_id: str) -> BrainstormSession | None:
    query = f"SELECT {SESSIONS.columns} FROM {SESSIONS.tables} WHERE s.brainstorm_id = %s"
    return next(iter(select(connection, BrainstormSession, query, brainstorm_id)), None)


def read_brainstorm(connection: Conn, brainstorm_id: str) -> BrainstormSession:
    """Raises NotFound."""
    session = find_brainstorm(connection, brainstorm_id)
    if session is None:
        raise NotFound(f"There is no brainstorm {brainstorm_id}.", code="unknown_brainstorm")
    return session


def list_messages(
    connection: Conn, brainstorm_id: str, but_of: str = ""
) -> list[BrainstormMessage]:
    """All that was written in a session, in order, but what the request ``but_of`` has led to."""
    return select(connection, BrainstormMessage, MESSAGES, brainstorm_id, but_of)


def find_design(connection: Conn, brainstorm_id: str, but_of: str = "") -> BrainstormDesign | None:
    """The design document as it was written last, by another request than ``but_of``."""
    return next(iter(select(connection, BrainstormDesign, DESIGN, brainstorm_id, but_of)), None)


def list_handoffs(connection: Conn, brainstorm_id: str) -> list[BrainstormHandoff]:
    query = f"{HANDOFFS} ORDER BY h.created_at, h.request_key"
    return select(connection, BrainstormHandoff, query, brainstorm_id)


def find_handoff(
    connection: Conn, brainstorm_id: str, request_key: str
) -> BrainstormHandoff | None:
    query = f"{HANDOFFS} AND h.request_key = %s"
    return next(
        iter(select(connection, BrainstormHandoff, query, brainstorm_id, request_key)), None
    )


def list_answered_keys(connection: Conn, brainstorm_id: str) -> set[str]:
    """The keys of the requests of a session that have an answer."""
    return {str(row["request_key"]) for row in rows(connection, ANSWERED, brainstorm_id)}
