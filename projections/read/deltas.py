"""The report of a run: what had changed, what was read again, what was written again.

A view over the tables and no table of its own: every figure is a fold of facts that are kept, so
the report of a run, of a merged pull request or of a folder, is the same whenever it is asked for.
Which pull request or push a delta is about, and between which commits, stands in its trigger's key.
"""

from __future__ import annotations

import re

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows

DELTA_KEY = re.compile(
    r"delta\|(?P<repository>[^|#@]+)(?P<cause>#\d+|@push)\|(?P<before>\w*)\.\.(?P<after>\w+)"
)


class SectionPlace(ReadModel):
    artifact_type: str
    artifact_id: str
    section_id: str


class DeltaReport(ReadModel):
    """What had changed for a run, and what it read and wrote again.

    ``settled_at`` and the sections are None until the artifacts have been written for its end.
    """

    run_id: str
    project_id: str
    trigger: str
    trigger_key: str
    root: str
    lane: str
    status: str
    files_added: list[str]
    files_modified: list[str]
    files_removed: list[str]
    files_renamed: list[str]
    chunks_reextracted: int
    chunks_reanchored: int
    atoms_touched: int
    atom_changes: dict[str, int]
    sections_recomputed: list[SectionPlace] | None
    sections_kept: list[SectionPlace] | None
    settled_at: int | None


class Delta(DeltaReport):
    """The report of a merged pull request or push: ``cause`` is ``#4`` or ``@push``."""

    repository: str | None = None
    cause: str | None = None
    before: str | None = None
    after: str | None = None


DELTAS = Listing(
    "deltas",
    "d.*",
    "delta_reports d JOIN ingestion_runs r USING (run_id)",
    {"coalesce(r.started_at, 'infinity')": "timestamptz", "r.run_id": "text"},
)


def read_delta_report(connection: Conn, run_id: str) -> DeltaReport:
    """The run's report. Raises Refusal when there is no such run."""
    records = rows(connection, "SELECT * FROM delta_reports WHERE run_id = %s", run_id)
    if not records:
        raise NotFound(f"There is no run {run_id}.", code="unknown_run")
    return DeltaReport(**_with_sections(records[0]))


def list_deltas(
    connection: Conn, project_id: str, *, cursor: str | None = None, limit: int = PAGE
) -> Page[Delta]:
    """A page of the reports of merged pull requests and pushes, oldest first. Raises Refusal."""
    conditions: list[Condition] = [("d.project_id = %s", project_id), ("d.trigger = 'delta'",)]
    records, following = page_of(connection, DELTAS, conditions, cursor, limit)
    items = [Delta(**_with_sections(row), **_cause(row["trigger_key"])) for row in records]
    return Page(items=items, next_cursor=following)


def _with_sections(report: Row) -> Row:
    if report["settled_at"] is not None:
        for name in ("sections_recomputed", "sections_kept"):
            report[name] = report[name] or []
    return report


def _cause(trigger_key: str) -> Row:
    named = DELTA_KEY.fullmatch(trigger_key)
    return named.groupdict() if named else {}
