"""The report of a run: what had changed, what was read again, what was written again (06 §8).

A view over the tables and no table of its own: every figure is a fold of facts that are kept, so
the report of a run, of a merged pull request or of a folder, is the same whenever it is asked for.
Which pull request or push a delta is about, and between which commits, stands in its trigger's key.
"""

from __future__ import annotations

import re

from infra.errors import Refusal
from projections.read.session import Conn, Row, rows

DELTA_KEY = re.compile(
    r"delta\|(?P<repository>[^|#@]+)(?P<cause>#\d+|@push)\|(?P<before>\w*)\.\.(?P<after>\w+)"
)


def delta_report(connection: Conn, run_id: str) -> Row:
    """The run's report. Raises Refusal when there is no such run.

    ``settled_at`` and the sections are None until the artifacts have been written for its end.
    """
    found = rows(connection, "SELECT * FROM delta_reports WHERE run_id = %s", run_id)
    if not found:
        raise Refusal(f"There is no run {run_id}: see `cairn runs`.")
    return _told(found[0])


def deltas(connection: Conn, project_id: str) -> list[Row]:
    """The reports of all runs for merged pull requests and pushes, oldest first.

    Each has ``repository``, ``cause`` (``#4``, ``@push``), ``before`` and ``after`` besides.
    """
    found = rows(
        connection,
        "SELECT d.* FROM delta_reports d JOIN ingestion_runs r USING (run_id)"
        " WHERE d.project_id = %s AND d.trigger = 'delta' ORDER BY r.started_at, r.run_id",
        project_id,
    )
    return [_told(report) | _cause(report["trigger_key"]) for report in found]


def _told(report: Row) -> Row:
    if report["settled_at"] is not None:
        for name in ("sections_recomputed", "sections_kept"):
            report[name] = report[name] or []
    return report


def _cause(trigger_key: str) -> Row:
    named = DELTA_KEY.fullmatch(trigger_key)
    return named.groupdict() if named else {}
