"""Loops of generation: how each went, why it ended, and the stream that shows its items."""

from __future__ import annotations

from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row
from schemas.ids import loop_id

LOOPS = Listing(
    "generation loops",
    "l.project_id, l.artifact_seq, l.phase, l.stop_reason, l.items, l.errors, l.calls,"
    " l.calls_ratio, l.gaps_remaining, l.engine",
    "generation_loops l",
    {"(-l.artifact_seq)": "bigint", "l.phase": "text"},
)


class GenerationLoop(ReadModel):
    """One loop. ``items`` are those of its list afterwards, made anew or kept.

    ``stream_id`` names the stream that shows what it has made. ``calls_ratio`` are the calls for
    each item that was asked for. A loop of engine ``model`` has worded what one of
    ``heuristic`` has made.
    """

    stream_id: str
    artifact_seq: int
    phase: str
    stop_reason: str
    items: int
    errors: int
    calls: int
    calls_ratio: float
    gaps_remaining: list[str]
    engine: str


def list_loops(
    connection: Conn,
    project_id: str,
    *,
    phase: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[GenerationLoop]:
    """A page of loops, newest first. Raises Refusal for a bad cursor."""
    conditions: list[Condition] = [("l.project_id = %s", project_id)]
    if phase is not None:
        conditions.append(("l.phase = %s", phase))
    records, following = page_of(connection, LOOPS, conditions, cursor, limit)
    return Page(items=[_loop_of(row) for row in records], next_cursor=following)


def list_loops_of_answer(connection: Conn, project_id: str, event_id: str) -> list[GenerationLoop]:
    """The loops that the answer of this id tells of, by phase."""
    answer = "l.artifact_seq = (SELECT p.artifact_seq FROM artifact_positions p"
    answer += " WHERE p.project_id = l.project_id AND p.updated_from_event_id = %s)"
    conditions: list[Condition] = [("l.project_id = %s", project_id), (answer, event_id)]
    return [_loop_of(row) for row in page_of(connection, LOOPS, conditions)[0]]


def _loop_of(row: Row) -> GenerationLoop:
    stream_id = loop_id(row.pop("project_id"), row["artifact_seq"], row["phase"])
    return GenerationLoop(stream_id=stream_id, **row)
