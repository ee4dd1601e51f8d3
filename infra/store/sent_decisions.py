"""Decisions that were published and that the ledger may not have answered yet."""

from __future__ import annotations

from projections.read.session import Conn, ReadModel, rows

TARGETS = {
    "atm": "SELECT status, revision, resolution->>'hitl_event_id' AS last_decision,"
    " verified_by AS decided_by FROM ledger_atoms WHERE atom_id = %s",
    "ctr": "SELECT status, revision, hitl_event_id AS last_decision, decided_by"
    " FROM ledger_contradictions WHERE contradiction_id = %s",
    "src": "SELECT coalesce(g.role, '') AS status, coalesce(g.revision, 0) AS revision,"
    " g.hitl_event_id AS last_decision, g.decided_by FROM sources s"
    " LEFT JOIN ledger_document_roles g USING (source_id) WHERE s.source_id = %s",
    "mrg": "SELECT state AS status, revision, hitl_event_id AS last_decision, decided_by"
    " FROM ledger_merge_candidates WHERE merge_candidate_id = %s",
}
_PENDING = (
    "SELECT s.hitl_event_id FROM sent_decisions s WHERE s.target_id = %s AND s.may_decide"
    " AND s.hitl_event_id <> %s AND s.sent_at > now() - interval '1 second' * %s AND NOT EXISTS"
    " (SELECT 1 FROM ledger_hitl_events h WHERE h.hitl_event_id = s.hitl_event_id) LIMIT 1"
)


class KnownTarget(ReadModel):
    """What is decided about, as the tables show it."""

    status: str
    revision: int
    last_decision: str | None
    decided_by: str | None


def has_pending(connection: Conn, target_id: str, decision_id: str, within_s: float) -> bool:
    """Whether another decision about the target was sent within that time and waits."""
    return bool(rows(connection, _PENDING, target_id, decision_id, within_s))


def find_target(connection: Conn, target_id: str) -> KnownTarget | None:
    targets = rows(connection, TARGETS[target_id.partition("_")[0]], target_id)
    return next((KnownTarget(**row) for row in targets), None)


def is_sent(connection: Conn, decision_id: str) -> bool:
    query = "SELECT 1 AS one FROM sent_decisions WHERE hitl_event_id = %s"
    return bool(rows(connection, query, decision_id))


def note_sent(
    connection: Conn, decision_id: str, project_id: str, target_id: str, *, may_decide: bool
) -> None:
    connection.execute(
        "INSERT INTO sent_decisions (hitl_event_id, project_id, target_id, may_decide)"
        " VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        (decision_id, project_id, target_id, may_decide),
    )


def find_sent_target(connection: Conn, project_id: str, decision_id: str) -> str | None:
    """What a decision of the project is about; None for one that nobody has sent."""
    query = "SELECT target_id FROM sent_decisions WHERE project_id = %s AND hitl_event_id = %s"
    return next(
        (row["target_id"] for row in rows(connection, query, project_id, decision_id)), None
    )


def forget_sent(connection: Conn, days: int) -> int:
    """Remove notes of decisions that were sent so long ago; how many."""
    removed = connection.execute(
        "DELETE FROM sent_decisions WHERE sent_at < now() - interval '1 day' * %s", (days,)
    )
    return removed.rowcount
