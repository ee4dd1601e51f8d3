"""Candidate atoms as a reader proposes them, and as reflection judges them."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal, get_args

from pydantic import Field

from schemas.areas import Area
from schemas.envelope import Event, Part

MAX_TITLE = 300
MAX_BODY = 1_200
MAX_TAGS = 12
CONTEXT = "context"  # the attribute with what stands before a title's statement
WITHIN = "within"  # the same where it only says where a fact stands that is one wherever it stands
DOCUMENT_STATUS = "document_status"  # the attribute with what the atom's document says of itself
DOCUMENT_SUCCESSOR = "document_successor"  # the attribute with what replaces the atom's document
ATTRIBUTION = "attribution"  # the attribute that says how its author disowns what it tells
ORIGIN = "origin"  # the attribute with the role of its document: readme, product, plan, guide, code
UNDER = "under"  # the attribute with the headings in its chunk over an atom, the nearest last
BEYOND_LIMIT = "beyond_limit"  # the attribute of one too many of its chunk: reflection refuses it
ABOUT = (
    "about"  # the attribute that says whether its subject is the project or a part named after it
)

AtomKind = Literal[
    "claim",
    "decision",
    "requirement",
    "risk",
    "unknown",
    "entity",
    "action_item",
    "domain_signal",
]
KINDS: tuple[AtomKind, ...] = get_args(AtomKind)
Polarity = Literal["affirm", "negate"]
AtomSeverity = Literal["low", "medium", "high", "critical"]
EvidenceType = Literal["direct", "inferred", "annotation_only"]
ReadOutcome = Literal["extracted", "poison"]


class CandidateRow(Part):
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
    evidence_type: EvidenceType = "direct"
    impact_indicator: bool = False
    anchor_corrected: bool = False
    framing: bool = False
    speaker: str | None = None
    speaker_role: str | None = None
    stated_at: datetime | None = None
    serial: int | None = None


class Relation(Part):
    """A link a reader proposes; ``to`` is an atom or another candidate of the same reading."""

    to: str
    link_type: Literal["supports", "contradicts", "duplicates", "supersedes", "derived_from"]


class Candidate(Part):
    """A proposed atom. ``attributes`` hold the kind's extra fields.

    Attribute values are strings; a list is joined by line feeds (``alternatives``, ``aliases``).
    Reflection, not this class, refuses malformed candidates, so that the refusal is recorded.
    ``engine`` proposed it, empty: that of its reading.
    """

    candidate_id: str
    kind: str
    title: str
    body: str
    polarity: Polarity | None = None
    severity: AtomSeverity | None = None
    impact: str | None = None
    tags: list[str] = []
    area: Area = "scope"
    confidence: float
    proposed_status: Literal["active", "draft"] = "active"
    attributes: dict[str, str] = {}
    entities: list[str] = []
    evidence: list[CandidateRow] = []
    relations: list[Relation] = []
    engine: str = ""


class Provenance(Part):
    """Where a candidate came from; mandatory on every atom."""

    source_id: str
    sanitized_hash: str
    chunk_id: str
    run_id: str
    lane: Literal["preview", "deep"]
    engine: str
    provider: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    extractor_version: str


class DocumentFacts(Part):
    """What a document is called, and which others it says that it replaces."""

    root: str = ""
    path: str = ""
    title: str = ""
    supersedes: list[str] = []


class Reading(Part):
    """Which turn of which run a result answers, and what it cost.

    ``batch_size`` counts the chunks of the turn's batch, 0 where nobody asked for it. ``document``
    is told of prose, null for all else.
    """

    run_id: str
    batch_no: int
    position: int
    batch_size: int = 0
    lane: Literal["preview", "deep"]
    chunk_id: str
    source_id: str
    sanitized_hash: str
    structure_path: list[str] = []
    outcome: ReadOutcome
    error: str | None = None
    engine: str = "heuristic"
    provider: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    extractor_version: str
    attempts: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    truncated_atoms: int = 0
    project_state_version: str = ""
    document: DocumentFacts | None = None


class CandidatesExtracted(Event):
    """All that one reading of one chunk returned, also when that is nothing. Key ``source_id``."""

    type_name: ClassVar[str] = "atom.candidates_extracted"
    topic: ClassVar[str] = "atom.candidate.v1"

    reading: Reading
    chunk_partition: int = -1
    chunk_offset: int = -1
    candidates: list[Candidate] = []
    gaps: list[str] = []
    latency_ms: int = 0

    @property
    def aggregate_id(self) -> str:
        return self.reading.source_id


class Finding(Part):
    """What a rule of reflection objects to, with its code."""

    rule: str
    code: str
    detail: str = ""


class JudgedRow(Part):
    row: CandidateRow
    findings: list[Finding] = []


class Judged(Part):
    """A candidate after reflection. ``rows`` survived, ``rejected_rows`` did not."""

    candidate: Candidate
    status: Literal["active", "draft", "rejected"]
    confidence_before: float
    confidence_after: float = Field(ge=0, le=1)
    rows: list[CandidateRow] = []
    rejected_rows: list[JudgedRow] = []
    findings: list[Finding] = []
    adjudication: str | None = None


class AtomReflected(Event):
    """Reflection has judged all candidates of one reading. Key ``project_id``.

    Each entry of ``adjudicate`` gets one ``atom.adjudicated``, by whomever. ``chunk_partition`` and
    ``chunk_offset`` say where the chunk stands: a hint, -1 unknown.
    """

    type_name: ClassVar[str] = "atom.reflected"
    topic: ClassVar[str] = "atom.validated.v1"

    reading: Reading
    accepted: list[Judged] = []
    rejected: list[Judged] = []
    adjudicate: list[Judged] = []
    reflection_version: str
    chunk_partition: int = -1
    chunk_offset: int = -1

    @property
    def aggregate_id(self) -> str:
        return self.reading.chunk_id

    @property
    def local_key(self) -> str:
        return self.reflection_version


Verdict = Literal["accept", "draft", "reject"]
DecidedBy = Literal["model", "fallback"]


class AtomAdjudicated(Event):
    """The verdict on one borderline candidate. Key ``project_id``.

    ``judged`` is the candidate as the verdict leaves it; ``reading`` is the one that it came from.
    ``reason`` says why the fall-back rule decided: ``overflow``, ``unavailable`` or ``malformed``.
    The tokens and the cost are those of this verdict alone.
    """

    type_name: ClassVar[str] = "atom.adjudicated"
    topic: ClassVar[str] = "atom.validated.v1"

    reading: Reading
    judged: Judged
    verdict: Verdict
    decided_by: DecidedBy
    reason: str = ""
    rationale: str = ""
    provider: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def aggregate_id(self) -> str:
        return self.reading.chunk_id

    @property
    def local_key(self) -> str:
        return self.judged.candidate.candidate_id
