"""Decisions as they are listed: in words, and with whether they can be taken back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from projections.read.decision_words import describe, describe_act, sides_of
from projections.read.session import Conn, ReadModel, Row, rows
from projections.read.undoing import find_obstacles

COLUMNS = """
    hitl_event_id, event_id, project_id, ledger_seq, action, decision, target_type, target_id,
    outcome, refusal, rationale, actor_id, actor_role, expected_revision, before_state, after_state,
    occurred_at, undoes, floor, escalated_to, proposal_id, proposed_by
"""
BY_ID = f"SELECT {COLUMNS} FROM ledger_hitl_events WHERE hitl_event_id = ANY(%s)"


class DecisionAnswer(ReadModel):
    """What the ledger answered to a decision; states hold the records that it touched.

    ``outcome``: applied, refused, proposed (by a member, so it changed nothing and waits), or
    declined (a proposal that was not accepted) or withdrawn (by who had proposed it). ``summary``
    says it in a sentence. ``undoable``:
    nothing stands on it, so it can be taken back; else ``undo_refusal`` says why not.
    """

    hitl_event_id: str
    event_id: str
    project_id: str
    ledger_seq: int
    action: str
    decision: str | None
    target_type: str
    target_id: str
    outcome: str
    refusal: str
    rationale: str
    actor_id: str
    actor_role: str
    expected_revision: int
    before_state: dict[str, Any]
    after_state: dict[str, Any] | None
    occurred_at: datetime
    undoes: str | None
    floor: float | None
    escalated_to: str | None
    proposal_id: str | None
    proposed_by: str | None
    summary: str
    undoable: bool
    undo_refusal: str


def complete(connection: Conn, records: Sequence[Row]) -> list[DecisionAnswer]:
    """The rows of `COLUMNS` as answers, in their order."""
    obstacles = find_obstacles(connection, records)
    later_ids = [each.later_id for each in obstacles.values() if each.later_id]
    later = rows(connection, BY_ID, later_ids) if later_ids else []
    titles = titles_of(connection, [*records, *later])
    acts = {row["hitl_event_id"]: describe_act(row, titles).rstrip(",") for row in later}
    answers = []
    for row in records:
        obstacle = obstacles.get(row["hitl_event_id"])
        refusal = obstacle.reason if obstacle else ""
        if obstacle and obstacle.later_id in acts:
            refusal += f": {acts[obstacle.later_id]}"
        summary = describe(row, titles)
        answers.append(
            DecisionAnswer(**row, summary=summary, undoable=obstacle is None, undo_refusal=refusal)
        )
    return answers


def titles_of(connection: Conn, records: Iterable[Row]) -> dict[str, str]:
    """The titles of the atoms and the paths of the documents that decisions are about, by id."""
    wanted = sorted({each for row in records for each in sides_of(row) if each})
    if not wanted:
        return {}
    query = """
        SELECT atom_id AS id, title FROM ledger_atoms WHERE atom_id = ANY(%s)
        UNION ALL SELECT source_id, path FROM sources WHERE source_id = ANY(%s) AND path IS NOT NULL
    """
    return {row["id"]: row["title"] for row in rows(connection, query, wanted, wanted)}
