"""The ledger as it was: at a sequence number, or at a time, and what reflection refused.

Every change of an atom left its whole record under its sequence number; the ledger as of *n* is the
last record of each atom up to *n*. Nothing is replayed for it.
"""

from __future__ import annotations

from datetime import datetime

from infra.errors import Refusal
from projections.read.queries import Conn, Order, Row, like_of, ordered, rows
from schemas.events.ledger import LIVE


def head(connection: Conn, project_id: str) -> int:
    """The last ``ledger_seq`` the tables hold; 0 when there is none yet."""
    found = connection.execute(
        "SELECT coalesce(max(ledger_seq), 0) FROM ledger_change_sets WHERE project_id = %s",
        (project_id,),
    ).fetchone()
    return int(found[0]) if found else 0


def sequence_at(connection: Conn, project_id: str, at: datetime) -> int:
    """The last ``ledger_seq`` recorded at or before ``at``; 0 when there is none yet."""
    found = connection.execute(
        "SELECT coalesce(max(ledger_seq), 0) FROM ledger_change_sets"
        " WHERE project_id = %s AND recorded_at <= %s",
        (project_id, at),
    ).fetchone()
    return int(found[0]) if found else 0


def atoms_as_of(
    connection: Conn,
    project_id: str,
    ledger_seq: int,
    *,
    kind: str | None = None,
    status: str | None = None,
    order: Order = "worth",
    limit: int | None = None,
) -> list[Row]:
    """The atoms as they stood after change set ``ledger_seq``.

    ``status`` and ``order`` as for `projections.read.queries.atoms`. Raises Refusal for a sequence
    that is not there.
    """
    last = head(connection, project_id)
    if not 0 <= ledger_seq <= last:
        raise Refusal(f"The ledger goes from 0 to {last}: there is no sequence {ledger_seq}.")
    wanted = sorted(LIVE) if status is None else [status]
    found = rows(
        connection,
        "SELECT ledger_seq, record FROM (SELECT DISTINCT ON (atom_id) atom_id, ledger_seq,"
        " record FROM ledger_atom_history WHERE project_id = %s AND ledger_seq <= %s"
        " ORDER BY atom_id, ledger_seq DESC) h"
        " WHERE record->>'kind' = coalesce(%s, record->>'kind')"
        " AND (%s OR record->>'status' = ANY(%s))",
        *(project_id, ledger_seq, kind, status == "all", wanted),
    )
    changed = {row["record"]["atom_id"]: row["ledger_seq"] for row in found}
    return [
        {"as_of_seq": ledger_seq, "changed_seq": changed[record["atom_id"]], **record}
        for record in ordered([row["record"] for row in found], order)[:limit]
    ]


def rejections(
    connection: Conn,
    project_id: str,
    *,
    code: str | None = None,
    kind: str | None = None,
    source: str | None = None,
    limit: int | None = None,
) -> list[Row]:
    """Refused candidates, and candidates that lost rows, with the rule of each refusal.

    ``code`` is a rule (``R7``) or its code (``low_confidence``); ``source`` a glob over paths.
    """
    return rows(
        connection,
        "SELECT r.candidate_id, r.run_id, r.batch_no, r.lane, r.kind, r.title, r.rejected, s.path,"
        " r.chunk_id, r.source_id, r.findings, r.rejected_rows, r.candidate"
        " FROM ledger_rejections r LEFT JOIN sources s USING (source_id)"
        " WHERE r.project_id = %s AND r.kind = coalesce(%s, r.kind)"
        " AND (%s::text IS NULL OR s.path LIKE %s)"
        " AND (%s::text IS NULL OR EXISTS (SELECT 1 FROM jsonb_array_elements(r.findings"
        "   || jsonb_path_query_array(r.rejected_rows, '$[*].findings[*]')) f"
        "   WHERE %s IN (f->>'rule', f->>'code')))"
        " ORDER BY s.path, r.run_id, r.candidate_id" + (f" LIMIT {int(limit)}" if limit else ""),
        *(project_id, kind, source, like_of(source or ""), code, code),
    )
