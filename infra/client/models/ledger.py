# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Ledger are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.client.connection import Model
from infra.client.models.ledger_parts import (
    AffectedArtifact,
    AtomChange,
    AtomLink,
    Candidate,
    ChangedAtom,
    ContradictionSide,
    ContradictionSummary,
    DecisionSummary,
    EventPosition,
    Finding,
    Hit,
    JudgedRow,
    KindCount,
    OpenContradiction,
    Provenance,
    Quote,
    Resolution,
    TitledAtom,
    WrittenVersion,
)


class Answer(Model):
    """``coverage``: the step that found the first; ``weak``: no text holds enough of the query."""

    coverage: str
    hits: list[Hit]


class Atom(Model):
    """An atom as it is now; fresh evidence first."""

    atom_id: str
    ledger: str = "pkl"
    kind: str
    title: str
    body: str
    polarity: str | None = None
    severity: str | None = None
    impact: str | None = None
    tags: list[str] = []
    area: str
    attributes: dict[str, str] = {}
    atom_fingerprint: str
    fingerprint_version: int = 1
    confidence: float
    confidence_floor: float | None = None
    status: str
    status_reason: str = ""
    evidence_count: int = 0
    direct_evidence_count: int = 0
    source_count: int = 0
    stale_evidence_count: int = 0
    evidence_state: str = "fresh"
    verified_by: str | None = None
    verified_at: datetime | None = None
    merged_into: str | None = None
    superseded_by: str | None = None
    first_run_id: str
    last_run_id: str
    first_seen_at: datetime
    last_seen_at: datetime
    first_provenance: Provenance
    latest_provenance: Provenance
    first_seq: int
    revision: int = 1
    previous_status: str | None = None
    resolution: Resolution | None = None
    project_id: str
    evidence: list[Quote]


class AtomDetail(Model):
    """An atom with its links and its history, oldest change first."""

    atom_id: str
    ledger: str = "pkl"
    kind: str
    title: str
    body: str
    polarity: str | None = None
    severity: str | None = None
    impact: str | None = None
    tags: list[str] = []
    area: str
    attributes: dict[str, str] = {}
    atom_fingerprint: str
    fingerprint_version: int = 1
    confidence: float
    confidence_floor: float | None = None
    status: str
    status_reason: str = ""
    evidence_count: int = 0
    direct_evidence_count: int = 0
    source_count: int = 0
    stale_evidence_count: int = 0
    evidence_state: str = "fresh"
    verified_by: str | None = None
    verified_at: datetime | None = None
    merged_into: str | None = None
    superseded_by: str | None = None
    first_run_id: str
    last_run_id: str
    first_seen_at: datetime
    last_seen_at: datetime
    first_provenance: Provenance
    latest_provenance: Provenance
    first_seq: int
    revision: int = 1
    previous_status: str | None = None
    resolution: Resolution | None = None
    project_id: str
    evidence: list[Quote]
    links: list[AtomLink]
    history: list[AtomChange]


class Changes(Model):
    """The difference between ``since_seq`` and ``to_seq``, or a page of it.

    Where ``next_cursor`` is there, more of the same difference follows. After its last page, and
    where ``to_seq`` is below ``head_seq``, the next question begins at ``to_seq``.
    """

    since_seq: int
    to_seq: int
    head_seq: int
    added: list[ChangedAtom] = []
    removed: list[ChangedAtom] = []
    changed: list[ChangedAtom] = []
    contradictions: list[ContradictionSummary] = []
    decided: list[DecisionSummary] = []
    written: list[WrittenVersion] = []
    next_cursor: str | None = None


class ContradictionCard(Model):
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


class LedgerPosition(Model):
    """The last change set, and when it was recorded; 0 and None before the first."""

    ledger_seq: int
    recorded_at: datetime | None


class Link(Model):
    link_id: str
    from_atom_id: str
    to_atom_id: str
    link_type: str
    weight: float
    created_by: str


class Merge(Model):
    """A merge that was done, or a pair in review; only a pair whose ``state`` is ``open`` waits.

    ``b`` was merged into ``a``; it is None where only evidence came. A pair in review has
    ``differing_tokens``, a merge the fields from ``confidence_before`` to ``evidence_added``.
    """

    state: str
    op: str
    similarity: float
    atom_a_id: str
    title_a: str | None
    body_a: str | None
    atom_b_id: str | None
    title_b: str | None
    body_b: str | None
    confidence_before: float | None
    confidence_after: float | None
    evidence_added: list[str] | None
    differing_tokens: list[str] | None
    reason: str | None
    actor: str | None
    ledger_seq: int
    id: str


class PastAtom(Model):
    """An atom as it was after change set ``as_of_seq``, which ``changed_seq`` had left so."""

    atom_id: str
    ledger: str = "pkl"
    kind: str
    title: str
    body: str
    polarity: str | None = None
    severity: str | None = None
    impact: str | None = None
    tags: list[str] = []
    area: str
    attributes: dict[str, str] = {}
    atom_fingerprint: str
    fingerprint_version: int = 1
    confidence: float
    confidence_floor: float | None = None
    status: str
    status_reason: str = ""
    evidence_count: int = 0
    direct_evidence_count: int = 0
    source_count: int = 0
    stale_evidence_count: int = 0
    evidence_state: str = "fresh"
    verified_by: str | None = None
    verified_at: datetime | None = None
    merged_into: str | None = None
    superseded_by: str | None = None
    first_run_id: str
    last_run_id: str
    first_seen_at: datetime
    last_seen_at: datetime
    first_provenance: Provenance
    latest_provenance: Provenance
    first_seq: int
    revision: int = 1
    previous_status: str | None = None
    resolution: Resolution | None = None
    as_of_seq: int
    changed_seq: int


class PastContradiction(Model):
    """A contradiction as it stood after change set ``as_of_seq``, which ``changed_seq`` had left
    so, with the titles that its atoms had.
    """

    contradiction_id: str
    atom_a_id: str
    atom_b_id: str
    contradiction_type: str
    severity: str
    status: str = "open"
    explanation: str = ""
    detected_by: str = "rule"
    run_id: str | None = None
    opened_seq: int
    updated_seq: int
    resolution_kind: str | None = None
    rationale: str | None = None
    decided_by: str | None = None
    reopened: bool = False
    decided_at: datetime | None = None
    escalated_to: str | None = None
    hitl_event_id: str | None = None
    revision: int = 1
    as_of_seq: int
    changed_seq: int
    title_a: str | None
    title_b: str | None


class Rejection(Model):
    """A refused candidate, or one that lost rows; ``rejected`` says which of the two."""

    candidate_id: str
    run_id: str
    batch_no: int
    lane: str
    kind: str
    title: str
    rejected: str
    path: str | None
    chunk_id: str
    source_id: str
    findings: list[Finding]
    rejected_rows: list[JudgedRow]
    candidate: Candidate


class TraceNode(Model):
    """``what`` names the kind of thing; ``facts`` are its own; ``events``: the records of it."""

    what: str
    id: str
    facts: dict[str, Any]
    events: list[EventPosition] = []
    children: list[TraceNode] = []


class WaitingItem(Model):
    """Something to decide.

    ``blocks`` are the artifacts that cannot become ``stable`` before. ``detail`` says what a run
    has left to a person, in which words two atoms in review differ (the review of a series names
    those of all its members), or who proposes what and why. Contradictions and merge reviews wait
    since the deep run that queued them.
    """

    kind: str
    target_id: str
    severity: str | None
    status: str
    since_seq: int
    queued_seq: int
    detail: str | None
    title_a: str | None
    title_b: str | None
    blocks: list[str]


class WorkingSummary(Model):
    """The small digest of the ledger given to readers. Same ledger, same bytes."""

    state_version: str
    ledger_seq: int
    counts_by_kind: list[KindCount] = []
    decisions: list[TitledAtom] = []
    requirements: list[TitledAtom] = []
    risks: list[TitledAtom] = []
    entities: list[TitledAtom] = []
    open_unknowns: list[TitledAtom] = []
    open_contradictions: list[OpenContradiction] = []
    gaps: list[str] = []
    token_estimate: int = 0
