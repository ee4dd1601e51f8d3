"""Contradictions, the gravest first: as a list, and as cards that a person decides from."""

from __future__ import annotations

from datetime import datetime

from projections.read.atoms import find_sequence
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows

QUOTES_SHOWN = 3
ACTIONS = {
    "open": ["a_wins", "b_wins", "both_valid", "reworded", "dismiss", "escalate"],
    "escalated": ["a_wins", "b_wins", "both_valid", "reworded", "dismiss"],
}
GRAVEST_FIRST = {
    "array_position(ARRAY['high', 'medium', 'low'], c.severity)": "int",
    "c.opened_seq": "bigint",
    "c.contradiction_id": "text",
}
CONTRADICTIONS = Listing(
    "contradictions",
    "c.contradiction_id, c.contradiction_type, c.severity, c.status, c.explanation, c.detected_by,"
    " c.atom_a_id, a.title AS title_a, a.confidence AS confidence_a, c.atom_b_id,"
    " b.title AS title_b, b.confidence AS confidence_b, c.opened_seq, c.updated_seq, c.reopened,"
    " c.resolution_kind, c.rationale, c.decided_by",
    "ledger_contradictions c LEFT JOIN ledger_atoms a ON a.atom_id = c.atom_a_id"
    " LEFT JOIN ledger_atoms b ON b.atom_id = c.atom_b_id",
    GRAVEST_FIRST,
)
CARDS = Listing(
    "cards",
    "c.contradiction_id, c.revision, c.severity, c.status, c.contradiction_type, c.explanation,"
    " c.atom_a_id, c.atom_b_id, c.reopened, c.resolution_kind, c.rationale, c.decided_by,"
    " c.escalated_to",
    "ledger_contradictions c",
    GRAVEST_FIRST,
)
SIDES = """
    SELECT a.atom_id, a.kind, a.title, a.body, a.status, a.confidence, a.verified_by, a.revision
    FROM ledger_atoms a WHERE a.atom_id = ANY(%s)
"""
QUOTES = """
    SELECT q.* FROM unnest(%s::text[]) w (atom_id) CROSS JOIN LATERAL (
        SELECT e.atom_id, s.path, e.line_start, e.line_end, e.snippet, e.stale, e.char_start,
            e.evidence_id
        FROM ledger_evidence e LEFT JOIN sources s USING (source_id) WHERE e.atom_id = w.atom_id
        ORDER BY e.stale, s.path, e.char_start, e.evidence_id LIMIT %s
    ) q ORDER BY q.stale, q.path, q.char_start, q.evidence_id
"""
AFFECTED = """
    SELECT k.contradiction_id, a.artifact_id, a.artifact_type, a.number, a.artifact_state,
        a.version, array_agg(DISTINCT c.section_id ORDER BY c.section_id) AS section_ids
    FROM ledger_contradictions k
    JOIN artifact_citations c ON c.atom_id = ANY(ARRAY[k.atom_a_id, k.atom_b_id])
    JOIN artifacts a USING (artifact_id, version)
    WHERE k.contradiction_id = ANY(%s) GROUP BY k.contradiction_id, a.artifact_id
    ORDER BY a.number, a.artifact_id
"""


class Contradiction(ReadModel):
    """Two statements that cannot both hold."""

    contradiction_id: str
    contradiction_type: str
    severity: str
    status: str
    explanation: str
    detected_by: str
    atom_a_id: str
    title_a: str | None
    confidence_a: float | None
    atom_b_id: str
    title_b: str | None
    confidence_b: float | None
    opened_seq: int
    updated_seq: int
    reopened: bool
    resolution_kind: str | None
    rationale: str | None
    decided_by: str | None


class ContradictionQuote(ReadModel):
    path: str | None
    line_start: int
    line_end: int
    snippet: str
    stale: bool


class ContradictionSide(ReadModel):
    """One of the two atoms, with its first quotes."""

    atom_id: str
    kind: str
    title: str
    body: str
    status: str
    confidence: float
    verified_by: str | None
    revision: int
    evidence: list[ContradictionQuote]


class AffectedArtifact(ReadModel):
    """An artifact that cites one of the two, and in which sections."""

    artifact_id: str
    artifact_type: str
    number: str
    artifact_state: str
    version: int
    section_ids: list[str]


class ContradictionCard(ReadModel):
    """A contradiction with all that a person needs to decide about it."""

    contradiction_id: str
    revision: int
    severity: str
    status: str
    contradiction_type: str
    explanation: str
    reopened: bool
    resolution_kind: str | None
    rationale: str | None
    decided_by: str | None
    escalated_to: str | None
    a: ContradictionSide
    b: ContradictionSide
    affected_artifacts: list[AffectedArtifact]
    allowed_actions: list[str]


def list_contradiction_pairs(
    connection: Conn,
    project_id: str,
    status: str | None = "open",
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Contradiction]:
    """A page of contradictions, the gravest first; ``status`` None: all. Raises Refusal."""
    conditions = _conditions(project_id, status)
    records, following = page_of(connection, CONTRADICTIONS, conditions, cursor, limit)
    return Page(items=[Contradiction(**row) for row in records], next_cursor=following)


def list_contradictions(
    connection: Conn,
    project_id: str,
    status: str | None = "open",
    *,
    only: str | None = None,
    updated_since: int | datetime | None = None,
    is_slim: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[ContradictionCard]:
    """A page of contradictions with all that it takes to decide; ``only`` that one.

    ``updated_since``: only those that have changed after this change set or time. ``is_slim``:
    without quotes and affected artifacts, which are not read. Raises Refusal.
    """
    conditions = _conditions(project_id, status)
    if only is not None:
        conditions.append(("c.contradiction_id = %s", only))
    if updated_since is not None:
        since_seq = find_sequence(connection, project_id, updated_since)
        conditions.append(("c.updated_seq > %s", since_seq))
    records, following = page_of(connection, CARDS, conditions, cursor, limit)
    return Page(items=_cards(connection, records, is_slim), next_cursor=following)


def list_undecided_pairs(
    connection: Conn, project_id: str, atom_id: str, limit: int = PAGE
) -> list[Contradiction]:
    """Those of an atom that somebody has to decide, the gravest first."""
    conditions: list[Condition] = [
        ("c.project_id = %s", project_id),
        ("(c.atom_a_id = %s OR c.atom_b_id = %s)", atom_id, atom_id),
        ("c.status = ANY(%s)", list(ACTIONS)),
    ]
    records, _ = page_of(connection, CONTRADICTIONS, conditions, limit=limit)
    return [Contradiction(**row) for row in records]


def _conditions(project_id: str, status: str | None) -> list[Condition]:
    conditions: list[Condition] = [("c.project_id = %s", project_id)]
    return [*conditions, ("c.status = %s", status)] if status else conditions


def _cards(connection: Conn, records: list[Row], is_slim: bool) -> list[ContradictionCard]:
    """Cards of the rows; each kind of what belongs to them is asked for once."""
    shown = sorted({row[a] for row in records for a in ("atom_a_id", "atom_b_id")})
    sides = _sides(connection, shown, is_slim)
    affected: dict[str, list[AffectedArtifact]] = {}
    affecting = [] if is_slim else [row["contradiction_id"] for row in records]
    for row in rows(connection, AFFECTED, affecting) if affecting else []:
        affected.setdefault(row.pop("contradiction_id"), []).append(AffectedArtifact(**row))
    return [
        ContradictionCard(
            a=sides[row.pop("atom_a_id")],
            b=sides[row.pop("atom_b_id")],
            **row,
            affected_artifacts=affected.get(row["contradiction_id"], []),
            allowed_actions=ACTIONS.get(row["status"], []),
        )
        for row in records
    ]


def _sides(connection: Conn, atom_ids: list[str], is_slim: bool) -> dict[str, ContradictionSide]:
    quotes: dict[str, list[ContradictionQuote]] = {}
    for row in [] if is_slim else rows(connection, QUOTES, atom_ids, QUOTES_SHOWN):
        shown = ContradictionQuote(**{name: row[name] for name in ContradictionQuote.model_fields})
        quotes.setdefault(row["atom_id"], []).append(shown)
    return {
        atom["atom_id"]: ContradictionSide(**atom, evidence=quotes.get(atom["atom_id"], []))
        for atom in rows(connection, SIDES, atom_ids)
    }
