# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Ledger are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class AffectedArtifact(Model):
    """An artifact that cites one of the two, and in which sections."""

    artifact_id: str
    artifact_type: str
    number: str
    artifact_state: str
    version: int
    section_ids: list[str]


class HitQuote(Model):
    """``title`` and ``path`` are those of the source; None while it is not in the tables."""

    evidence_id: str
    source_id: str
    title: str | None
    path: str | None
    line_start: int
    line_end: int
    snippet: str


class Hit(Model):
    """What speaks to the query: an atom with its best places, or a passage of a document.

    One of ``atom_id`` and ``passage_id`` is set. A passage has the kind ``passage``, the headings
    above it as its title, its text as its body, and no doubt about what it says: confidence 1.
    ``document_status`` is what an atom's document says of itself, such as `proposed` or `rejected`.
    """

    atom_id: str | None = None
    passage_id: str | None = None
    kind: str
    title: str
    body: str
    confidence: float
    status: str
    document_status: str | None = None
    score: float
    evidence: list[HitQuote]
    open_contradictions: list[str] = []


class Provenance(Model):
    """Where a candidate came from; mandatory on every atom."""

    source_id: str
    sanitized_hash: str
    chunk_id: str
    run_id: str
    lane: str
    engine: str
    provider: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    extractor_version: str


class Resolution(Model):
    """The last decision of a person that touched a record."""

    action: str
    actor: str
    rationale: str = ""
    at: datetime
    hitl_event_id: str


class Quote(Model):
    """A row of evidence; ``path`` is None while its source is not in the tables."""

    evidence_id: str
    path: str | None
    source_id: str
    sanitized_hash: str
    chunk_id: str
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    snippet: str
    evidence_type: str
    stale: bool
    speaker: str | None
    speaker_role: str | None
    stated_at: datetime | None


class AtomChange(Model):
    """The atom as change set ``ledger_seq`` left it, and the operations that named it."""

    ledger_seq: int
    recorded_at: datetime
    run_id: str | None
    reason: str
    status: str
    confidence: float
    revision: int
    title: str
    operations: list[str]


class AtomLink(Model):
    """A link as seen from one of its two atoms."""

    link_id: str
    from_atom_id: str
    to_atom_id: str
    link_type: str
    weight: float
    created_by: str
    other_atom_id: str
    other_title: str


class CandidateRow(Model):
    """A quote behind a candidate; offsets and lines are of the sanitized payload, half-open.

    ``speaker`` said it at ``stated_at`` (UTC), in talk; in chat it is a pseudonym. ``speaker_role``
    is what the service says of the speaker (owner, member, reporter). Null in documents and code.
    ``framing``: it only gives what the statement stands under («The depot must:»), and confirms
    nothing. ``serial`` is the quote's number in a list of facts of which the newer counts.
    """

    char_start: int
    char_end: int
    line_start: int = 0
    line_end: int = 0
    snippet: str
    evidence_type: str = "direct"
    impact_indicator: bool = False
    anchor_corrected: bool = False
    framing: bool = False
    speaker: str | None = None
    speaker_role: str | None = None
    stated_at: datetime | None = None
    serial: int | None = None


class Relation(Model):
    """A link a reader proposes; ``to`` is an atom or another candidate of the same reading."""

    to: str
    link_type: str


class Candidate(Model):
    """A proposed atom. ``attributes`` hold the kind's extra fields.

    Attribute values are strings; a list is joined by line feeds (``alternatives``, ``aliases``).
    Reflection, not this class, refuses malformed candidates, so that the refusal is recorded.
    ``engine`` proposed it, empty: that of its reading.
    """

    candidate_id: str
    kind: str
    title: str
    body: str
    polarity: str | None = None
    severity: str | None = None
    impact: str | None = None
    tags: list[str] = []
    area: str = "scope"
    confidence: float
    proposed_status: str = "active"
    attributes: dict[str, str] = {}
    entities: list[str] = []
    evidence: list[CandidateRow] = []
    relations: list[Relation] = []
    engine: str = ""


class CitedEvidence(Model):
    evidence_id: str
    source_id: str
    path: str | None
    line_start: int
    line_end: int
    snippet: str
    stale: bool


class ChangedAtom(Model):
    """An atom whose state differs. ``fields`` are those that do; ``why`` it went."""

    atom_id: str
    kind: str
    title: str
    status: str
    confidence: float
    ledger_seq: int
    fields: list[str] = []
    why: str = ""
    citations: list[CitedEvidence]


class ContradictionSummary(Model):
    """A contradiction as it is now, whose last change is in the window."""

    contradiction_id: str
    status: str
    severity: str
    atom_a_id: str
    title_a: str | None
    atom_b_id: str
    title_b: str | None
    opened_seq: int
    updated_seq: int


class DecisionSummary(Model):
    """A decision, as `DecisionAnswer` says it."""

    hitl_event_id: str
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
    summary: str
    undoable: bool
    undo_refusal: str


class WrittenVersion(Model):
    artifact_id: str
    artifact_type: str
    number: str | None
    title: str | None
    version: int
    input_ledger_seq: int
    recomputed_sections: list[str]
    reason: str


class ContradictionQuote(Model):
    path: str | None
    line_start: int
    line_end: int
    snippet: str
    stale: bool


class ContradictionSide(Model):
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


class EventPosition(Model):
    """Where a record stands in the log."""

    event_id: str
    event_type: str
    topic: str
    partition: int
    offset: int
    recorded_at: datetime


class Finding(Model):
    """What a rule of reflection objects to, with its code."""

    rule: str
    code: str
    detail: str = ""


class JudgedRow(Model):
    row: CandidateRow
    findings: list[Finding] = []


class KindCount(Model):
    kind: str
    active: int
    draft: int


class OpenContradiction(Model):
    contradiction_id: str
    title_a: str
    title_b: str
    severity: str


class TitledAtom(Model):
    """``only_source``: all its evidence is of this source, empty where that is of several."""

    atom_id: str
    title: str
    only_source: str = ""
