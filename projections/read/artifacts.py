"""Artifacts as they are now, and what is written ahead of the end of a run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows, select
from schemas.events.artifact_parts import EditAnswer
from schemas.events.artifact_sections import Citation, ReviewFinding

ITEMS = Listing(
    "items",
    "a.artifact_id, a.number, a.title, a.artifact_state, a.version, a.content AS sections,"
    " a.fields, a.plan, a.quality_tier, a.blocked_by, a.upstream_artifact_ids, a.lane, a.engine,"
    " a.model,"
    " a.run_id, a.input_ledger_seq, a.content_hash, a.created_at, a.updated_at,"
    " (SELECT coalesce(array_agg(f.number || ' ' || f.title ORDER BY f.number), '{}')"
    "   FROM artifacts f WHERE a.fields->'feature_ids' ? f.artifact_id) AS features",
    "artifacts a",
    {"a.number": "text", "a.artifact_id": "text"},
)
GONE_ITEMS = Listing(
    "gone items",
    "a.artifact_id, a.title, a.content->0->>'gap' AS why, a.input_ledger_seq",
    "artifacts a",
    {"a.input_ledger_seq": "bigint", "a.title": "text", "a.artifact_id": "text"},
)
TASKS = """
    SELECT a.artifact_id, a.number, a.title, a.version, a.fields, a.plan FROM artifacts a
    WHERE a.project_id = %s AND a.artifact_type = 'task' AND a.number <> ''
    ORDER BY a.number, a.artifact_id
"""
PRESENT_ITEMS = "a.project_id = %s AND a.artifact_type = %s AND a.number <> ''"
ITEMS_GONE = "a.project_id = %s AND a.artifact_type = %s AND a.number = ''"
PRESENT = """
    SELECT artifact_id, number, title, artifact_state, version, content AS sections, content_hash,
        rendered_markdown, lane, engine, model, run_id, input_ledger_seq, blocked_by, created_at,
        updated_at
    FROM artifacts WHERE project_id = %s AND artifact_type = %s AND version IS NOT NULL
    ORDER BY number, artifact_id LIMIT 1
"""
SPECULATIVE = """
    SELECT artifact_id, (array_agg(title ORDER BY input_ledger_seq DESC))[1] AS title,
        true AS speculative, max(input_ledger_seq) AS input_ledger_seq,
        json_agg(content ORDER BY section_id) AS sections
    FROM speculative_sections WHERE project_id = %s AND artifact_type = %s AND outcome IS NULL
        AND input_ledger_seq > (SELECT coalesce(max(p.input_ledger_seq), 0)
            FROM artifact_positions p WHERE p.project_id = %s)
    GROUP BY artifact_id ORDER BY min(generated_at), artifact_id
"""
EDIT = f"""
    SELECT {", ".join(("request_event_id", "answered_at", *EditAnswer.model_fields))}
    FROM artifact_edits WHERE request_event_id = %s
"""
PLACES = """
    SELECT e.atom_id, s.path || ':' || e.line_start FROM ledger_evidence e
    JOIN sources s USING (source_id) WHERE e.atom_id = ANY(%s)
    ORDER BY e.atom_id, e.stale, s.path, e.char_start, e.evidence_id
"""


class CitedAtom(Citation):
    """A citation with the places (``path:line``) its atom was read from, fresh evidence first."""

    places: list[str]


class CitingStatement(ReadModel):
    statement_id: str
    text: str
    citations: list[CitedAtom]
    provisional: bool
    confidence: float
    contradiction_ids: list[str]
    artifact_ids: list[str] = []
    written_by: str | None = None
    backed_by: list[str] = []


class CitingSuggestion(ReadModel):
    """What an edited section would say with what is new; the lines of people are among them."""

    statements: list[CitingStatement]
    gap: str
    input_hash: str


class CitingSection(ReadModel):
    section_id: str
    title: str
    state: str
    statements: list[CitingStatement]
    gap: str
    content_hash: str
    input_hash: str
    edited_by: str | None = None
    suggestion: CitingSuggestion | None = None
    removed_atom_ids: list[str] = []
    engine: str = "heuristic"
    model: str | None = None
    prompt_version: str | None = None


class Artifact(ReadModel):
    """An artifact of a type that has one instance."""

    artifact_id: str
    number: str
    title: str
    artifact_state: str
    version: int
    sections: list[CitingSection]
    content_hash: str
    rendered_markdown: str
    lane: str
    engine: str
    model: str | None
    run_id: str | None
    input_ledger_seq: int
    blocked_by: list[str]
    created_at: datetime | None
    updated_at: datetime


class Item(ReadModel):
    """An artifact of a type that has many: insight, epic, feature, task, sprint or report.

    ``fields`` and ``plan`` are what its type has besides statements; ``features`` are those of an
    epic, as number and title.
    """

    artifact_id: str
    number: str
    title: str
    artifact_state: str
    version: int
    sections: list[CitingSection]
    fields: dict[str, Any]
    plan: dict[str, Any]
    quality_tier: str | None
    blocked_by: list[str]
    upstream_artifact_ids: list[str]
    lane: str
    engine: str
    model: str | None
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    created_at: datetime | None
    updated_at: datetime
    features: list[str]


class PlanTask(ReadModel):
    """A task without its text."""

    artifact_id: str
    number: str
    title: str
    version: int
    fields: dict[str, Any]
    plan: dict[str, Any]


class RemovedItem(ReadModel):
    """An item that says nothing any more."""

    artifact_id: str
    title: str
    why: str | None
    input_ledger_seq: int


class Edit(ReadModel):
    """What became of a request to change an artifact; ``refusal`` is None where it was done.

    ``uncited_atom_ids`` are atoms that the artifact cites no longer. They stay in the ledger.
    """

    request_event_id: UUID
    artifact_id: str
    editor: str
    editor_kind: str
    artifact_type: str
    model: str | None
    section_ids: list[str]
    expected_version: int
    version: int
    refusal: str | None
    findings: list[ReviewFinding]
    uncited_atom_ids: list[str]
    answered_at: datetime | None


class SpeculativeArtifact(ReadModel):
    """The sections of an artifact that no settled position has answered yet.

    ``input_ledger_seq`` is that of the youngest.
    """

    artifact_id: str
    title: str
    speculative: bool
    input_ledger_seq: int
    sections: list[CitingSection]


def read_only_artifact(connection: Conn, project_id: str, artifact_type: str) -> Artifact:
    """The project's artifact of a type that has one instance. Raises Refusal without one."""
    records = rows(connection, PRESENT, project_id, artifact_type)
    if not records:
        raise NotFound(
            f"There is no {artifact_type} yet: one is written when a run ends.",
            code="no_artifact_yet",
        )
    add_places(connection, records)
    return Artifact(**records[0])


def find_edit(connection: Conn, request_event_id: str) -> Edit | None:
    """The answer to a request to change an artifact; None as long as there is none."""
    return next(iter(select(connection, Edit, EDIT, request_event_id)), None)


def has_artifact(connection: Conn, project_id: str, artifact_type: str) -> bool:
    """Whether a version of the type has been published."""
    return bool(rows(connection, PRESENT, project_id, artifact_type))


def list_items(
    connection: Conn,
    project_id: str,
    artifact_type: str,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Item]:
    """A page of present insights, epics or features by number; those that say nothing left out.

    Raises Refusal for a bad cursor.
    """
    conditions = [(PRESENT_ITEMS, project_id, artifact_type)]
    records, following = page_of(connection, ITEMS, conditions, cursor, limit)
    add_places(connection, records)
    return Page(items=[Item(**row) for row in records], next_cursor=following)


def read_item(connection: Conn, project_id: str, artifact_id: str) -> Item:
    """One artifact of a type that has many. Raises NotFound."""
    condition = ("a.project_id = %s AND a.artifact_id = %s", project_id, artifact_id)
    records, _ = page_of(connection, ITEMS, [condition], None, 1)
    if not records:
        raise NotFound(f"There is no artifact {artifact_id}.", code="unknown_artifact")
    add_places(connection, records)
    return Item(**records[0])


def list_plan_tasks(connection: Conn, project_id: str) -> list[PlanTask]:
    """Every task of a project by number."""
    return select(connection, PlanTask, TASKS, project_id)


def list_gone_items(
    connection: Conn,
    project_id: str,
    artifact_type: str,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[RemovedItem]:
    """A page of the insights, epics or features that say nothing any more. Raises Refusal."""
    conditions = [(ITEMS_GONE, project_id, artifact_type)]
    records, following = page_of(connection, GONE_ITEMS, conditions, cursor, limit)
    return Page(items=[RemovedItem(**row) for row in records], next_cursor=following)


def list_speculative(
    connection: Conn, project_id: str, artifact_type: str
) -> list[SpeculativeArtifact]:
    """The artifacts of a type that are written while a run goes on.

    What a settled position has answered is over, also before it is known what became of it.
    """
    records = rows(connection, SPECULATIVE, project_id, artifact_type, project_id)
    add_places(connection, records)
    return [SpeculativeArtifact(**row) for row in records]


def add_places(connection: Conn, artifacts: Sequence[Row]) -> None:
    """Every citation in the sections of these rows gets the places of its atom."""
    citations = [
        citation
        for row in artifacts
        for section in row["sections"]
        for part in (section, section.get("suggestion") or {})
        for statement in part.get("statements", [])
        for citation in statement["citations"]
    ]
    places: dict[str, list[str]] = {}
    atom_ids = sorted({citation["atom_id"] for citation in citations})
    for atom_id, place in connection.execute(PLACES, (atom_ids,)):
        places.setdefault(atom_id, []).append(place)
    for one in citations:
        one["places"] = places.get(one["atom_id"], [])
