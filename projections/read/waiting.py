"""What waits for a person, and what it holds up."""

from __future__ import annotations

from projections.read.session import Conn, Row, rows


def queue(connection: Conn, project_id: str) -> list[Row]:
    """Disputes, the gravest first, merge reviews, held removals, verified atoms without evidence.

    The first two wait since the deep run that queued them. ``blocks`` are the artifacts that cannot
    become ``stable`` before, ``detail`` says what a run has left to a person.
    """
    return rows(
        connection,
        "SELECT q.kind, q.target_id, q.severity, q.status, q.since_seq, q.queued_seq, q.detail,"
        " a.title AS title_a, b.title AS title_b,"
        " (SELECT coalesce(array_agg(x.number || ' ' || x.title"
        "   ORDER BY x.artifact_type, x.number), '{}') FROM artifacts x"
        "   WHERE x.project_id = q.project_id"
        "   AND q.target_id = ANY(x.blocked_by)) AS blocks"
        " FROM hitl_queue q LEFT JOIN ledger_atoms a ON a.atom_id = q.atom_a_id"
        " LEFT JOIN ledger_atoms b ON b.atom_id = q.atom_b_id WHERE q.project_id = %s"
        " ORDER BY q.kind, array_position(ARRAY['high', 'medium', 'low'], q.severity), q.since_seq,"
        " q.target_id",
        project_id,
    )
