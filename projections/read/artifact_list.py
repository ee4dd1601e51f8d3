"""Artifacts of every type by id, with their versions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from infra.platform.errors import NotFound
from projections.read.artifacts import CitingSection, add_places
from projections.read.atoms import find_time
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, like_holding, rows, select

SUMMARY = (
    "a.artifact_id, a.artifact_type, coalesce(a.number, '') AS number, a.title, a.artifact_state,"
    " a.version, a.quality_tier, a.lane, a.engine, a.run_id, a.input_ledger_seq, a.content_hash,"
    " a.created_at, a.updated_at"
)
ARTIFACTS = Listing(
    "artifacts",
    SUMMARY,
    "artifacts a",
    {"a.artifact_type": "text", "coalesce(a.number, '')": "text", "a.artifact_id": "text"},
)
ONE = f"""
    SELECT {SUMMARY}, a.content AS sections, a.rendered_markdown, a.model, a.fields, a.plan,
        coalesce(a.blocked_by, '{{}}') AS blocked_by,
        coalesce(a.upstream_artifact_ids, '{{}}') AS upstream_artifact_ids
    FROM artifacts a WHERE a.project_id = %s AND a.artifact_id = %s AND a.version IS NOT NULL
"""
SPRINTS = """
    SELECT artifact_id, title, number <> '' AS is_there,
        (fields->>'sprint_number')::int AS sprint_number, fields->>'start_date' AS start_date,
        fields->>'end_date' AS end_date,
        coalesce((fields->'owned'->>'is_deleted')::boolean, false) AS is_deleted
    FROM artifacts WHERE project_id = %s AND artifact_type = 'sprint_plan' AND version IS NOT NULL
    ORDER BY sprint_number
"""
VERSION_COLUMNS = (
    "v.artifact_id, v.version, v.lane, v.engine, v.model, v.run_id, v.input_ledger_seq,"
    " v.content_hash, v.recomputed_sections, v.reason, v.published_at"
)
VERSIONS = Listing(
    "versions",
    VERSION_COLUMNS,
    "artifact_versions v",
    {"v.version": "int", "v.artifact_id": "text"},
)
ONE_VERSION = f"""
    SELECT {VERSION_COLUMNS}, v.content AS sections, v.rendered_markdown FROM artifact_versions v
    WHERE v.project_id = %s AND v.artifact_id = %s AND v.version = %s
"""

CITING = """
    SELECT a.artifact_id, a.artifact_type, a.title, c.statement_id,
        (SELECT line->>'text' FROM jsonb_array_elements(a.content) section,
            jsonb_array_elements(section->'statements') line
            WHERE line->>'statement_id' = c.statement_id LIMIT 1) AS text
    FROM artifact_citations c JOIN artifacts a USING (artifact_id, version)
    WHERE a.project_id = %s AND c.atom_id = %s
    ORDER BY a.artifact_type, a.number, a.artifact_id, c.section_id, c.statement_id LIMIT %s
"""


class ArtifactSummary(ReadModel):
    """An artifact without its text."""

    artifact_id: str
    artifact_type: str
    number: str
    title: str
    artifact_state: str
    version: int
    quality_tier: str | None
    lane: str
    engine: str
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    created_at: datetime | None
    updated_at: datetime


class WholeArtifact(ArtifactSummary):
    """An artifact with its sections; each statement cites its atoms with their places.

    ``fields`` and ``plan`` are what its type has besides statements.
    """

    sections: list[CitingSection]
    rendered_markdown: str
    model: str | None
    fields: dict[str, Any] | None
    plan: dict[str, Any] | None
    blocked_by: list[str]
    upstream_artifact_ids: list[str]


class CitingStatement(ReadModel):
    """A statement that cites an atom, with the artifact that it is in."""

    artifact_id: str
    artifact_type: str
    title: str
    statement_id: str
    text: str | None


class SprintPlace(ReadModel):
    """The place of a sprint in the plan; days are like ``2026-01-31``. A deleted one keeps its
    number; one that the plan needs no more does not.
    """

    artifact_id: str
    title: str
    sprint_number: int
    start_date: str
    end_date: str
    is_there: bool
    is_deleted: bool


class ArtifactVersion(ReadModel):
    artifact_id: str
    version: int
    lane: str
    engine: str
    model: str | None
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    recomputed_sections: list[str]
    reason: str
    published_at: datetime


class WholeVersion(ArtifactVersion):
    sections: list[CitingSection]
    rendered_markdown: str


def list_artifacts(
    connection: Conn,
    project_id: str,
    *,
    artifact_type: str | None = None,
    state: str | None = None,
    titled: str | None = None,
    updated_since: int | datetime | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[ArtifactSummary]:
    """A page of artifacts by type and number; those that say nothing left out. Raises Refusal.

    ``titled``: what their titles hold. ``updated_since``: only those that have changed after this
    change set or time, also those that say nothing any more, which have no ``number``.
    """
    conditions: list[Condition] = [("a.project_id = %s", project_id), ("a.version IS NOT NULL",)]
    if updated_since is None:
        conditions.append(("(a.number <> '' OR a.artifact_type = 'prd')",))
    else:
        since = find_time(connection, project_id, updated_since)
        conditions.append(("a.updated_at > %s", since))
    if artifact_type:
        conditions.append(("a.artifact_type = %s", artifact_type))
    if state:
        conditions.append(("a.artifact_state = %s", state))
    if titled:
        conditions.append(("a.title ILIKE %s", like_holding(titled)))
    records, following = page_of(connection, ARTIFACTS, conditions, cursor, limit)
    return Page(items=[ArtifactSummary(**row) for row in records], next_cursor=following)


def read_artifact(connection: Conn, project_id: str, artifact_id: str) -> WholeArtifact:
    """Raises NotFound when the project has no such artifact."""
    records = rows(connection, ONE, project_id, artifact_id)
    return WholeArtifact(**_with_places(connection, records, artifact_id))


def find_artifacts(
    connection: Conn, project_id: str, artifact_ids: Sequence[str]
) -> list[ArtifactSummary]:
    """Those of these artifacts that the project has, by type and number; at most a page."""
    named: list[Condition] = [
        ("a.project_id = %s", project_id),
        ("a.version IS NOT NULL",),
        ("a.artifact_id = ANY(%s)", list(artifact_ids)),
    ]
    records, _ = page_of(connection, ARTIFACTS, named)
    return [ArtifactSummary(**row) for row in records]


def list_citing_statements(
    connection: Conn, project_id: str, atom_id: str, limit: int
) -> list[CitingStatement]:
    """The first statements of present versions that cite the atom, by artifact."""
    return select(connection, CitingStatement, CITING, project_id, atom_id, limit)


def list_sprints(connection: Conn, project_id: str) -> list[SprintPlace]:
    """All sprints there have been, by number."""
    return select(connection, SprintPlace, SPRINTS, project_id)


def find_version(connection: Conn, project_id: str, artifact_id: str) -> int | None:
    """The present version; None before the first."""
    records = rows(
        connection,
        "SELECT version FROM artifacts WHERE project_id = %s AND artifact_id = %s",
        *(project_id, artifact_id),
    )
    return records[0]["version"] if records else None


def list_versions(
    connection: Conn,
    project_id: str,
    artifact_id: str,
    *,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[ArtifactVersion]:
    """A page of an artifact's versions, oldest first unless said. Raises Refusal."""
    conditions: list[Condition] = [
        ("v.project_id = %s", project_id),
        ("v.artifact_id = %s", artifact_id),
    ]
    records, following = page_of(
        connection, VERSIONS, conditions, cursor, limit, backwards=newest_first
    )
    if not records and cursor is None:
        raise _unknown(artifact_id)
    return Page(items=[ArtifactVersion(**row) for row in records], next_cursor=following)


def read_version(connection: Conn, project_id: str, artifact_id: str, version: int) -> WholeVersion:
    """One version as it was published. Raises NotFound."""
    records = rows(connection, ONE_VERSION, project_id, artifact_id, version)
    return WholeVersion(**_with_places(connection, records, f"{artifact_id} version {version}"))


def _with_places(connection: Conn, records: list[Row], named: str) -> Row:
    if not records:
        raise _unknown(named)
    add_places(connection, records)
    return records[0]


def _unknown(named: str) -> NotFound:
    return NotFound(f"There is no artifact {named}.", code="unknown_artifact")
