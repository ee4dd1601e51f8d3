"""The ledger's change sets: the only facts the ledger is folded from. Key ``project_id``.

A change set says what happened in two ways: ``changes`` name the operations with their reasons, and
the lists hold every changed record whole. A reader upserts the records and computes nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from schemas.areas import Area
from schemas.document_roles.public import DocumentRole
from schemas.envelope import Event, Part
from schemas.events.atom import (
    CONTEXT,
    WITHIN,
    AtomKind,
    AtomSeverity,
    EvidenceType,
    Polarity,
    Provenance,
)
from schemas.events.working_summary import WorkingSummary

AtomStatus = Literal["draft", "active", "merged", "superseded", "obsolete", "dismissed"]
LIVE: frozenset[str] = frozenset({"draft", "active"})
EvidenceState = Literal["fresh", "partial", "stale"]
LinkType = Literal["supports", "contradicts", "duplicates", "supersedes", "derived_from"]
ChangeOp = Literal[
    "atom_created",
    "evidence_added",
    "evidence_staled",
    "evidence_refreshed",
    "confidence_set",
    "status_set",
    "atom_merged",
    "atom_superseded",
    "atom_obsoleted",
    "atom_verified",
    "atom_unverified",
    "atom_dismissed",
    "atom_reincluded",
    "merge_op_recorded",
    "merge_candidate_opened",
    "merge_candidate_closed",
    "contradiction_opened",
    "contradiction_updated",
    "contradiction_closed",
    "link_added",
    "link_removed",
    "entity_linked",
    "hitl_applied",
    "hitl_refused",
    "hitl_proposed",
    "hitl_declined",
    "hitl_withdrawn",
    "review_item_raised",
    "pair_nominated",
    "judgement_asked",
    "pair_judged",
    "source_settled",
    "candidate_rejected",
]


class Turn(Part):
    """The place of a change set in its run.

    ``position`` is 0 for the source changes of a batch, 1… for its chunks, one more for the pairs
    that a model was asked about, 0 with ``batch_no`` -1 for the end of the run. ``last_in_batch``
    marks the turn that commits the batch. ``engine`` read the chunk; ``error`` is why a model that
    was to read it did not, or not all of it.
    """

    run_id: str
    batch_no: int
    position: int
    kind: Literal["sources", "chunk", "pairs", "run_end"]
    lane: Literal["preview", "deep"]
    chunk_id: str | None = None
    outcome: str = "extracted"
    engine: str = "heuristic"
    error: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    rejected_count: int = 0
    last_in_batch: bool = False


class Change(Part):
    """One operation: what it was done to, and why. ``reason`` is a code, ``detail`` for people."""

    op: ChangeOp
    target_id: str
    other_id: str | None = None
    reason: str = ""
    detail: str = ""


class Resolution(Part):
    """The last decision of a person that touched a record."""

    action: str
    actor: str
    rationale: str = ""
    at: datetime
    hitl_event_id: str


class AtomRecord(Part):
    """An atom as the ledger holds it after the change set.

    ``previous_status`` is what an atom that is dismissed, merged or has lost was before.
    """

    atom_id: str
    ledger: Literal["pkl", "tdl"] = "pkl"
    kind: AtomKind
    title: str
    body: str
    polarity: Polarity | None = None
    severity: AtomSeverity | None = None
    impact: str | None = None
    tags: list[str] = []
    area: Area
    attributes: dict[str, str] = {}
    atom_fingerprint: str
    fingerprint_version: int = 1
    confidence: float
    confidence_floor: float | None = None
    status: AtomStatus
    status_reason: str = ""
    evidence_count: int = 0
    direct_evidence_count: int = 0
    source_count: int = 0
    stale_evidence_count: int = 0
    evidence_state: EvidenceState = "fresh"
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
    previous_status: AtomStatus | None = None
    resolution: Resolution | None = None

    @property
    def statement(self) -> str:
        """Its title without the context that a reader put before it."""
        return self._title_after(self.context)

    @property
    def context(self) -> str:
        """What stands before its statement; nothing where the title is the statement."""
        return self.attributes.get(CONTEXT) or self.attributes.get(WITHIN) or ""

    @property
    def compared_title(self) -> str:
        """Its title without a context that makes it no other fact."""
        return self._title_after(self.attributes.get(WITHIN, ""))

    def _title_after(self, context: str) -> str:
        if not context or not self.title.startswith((f"{context}: ", f"{context}, ")):
            return self.title
        return self.title[len(context) + 2 :]


class EvidenceRow(Part):
    """A link from an atom to an exact span of a sanitized payload.

    Of talk it says who spoke when, and whether it is only ``framing``, as ``CandidateRow`` does.
    ``origin`` is what its reader took the document for, whatever a person has said since;
    ``confirmed_by`` is what confirms the atom there. Both are empty in rows of version 1.
    """

    evidence_id: str
    atom_id: str
    source_id: str
    sanitized_hash: str
    chunk_id: str
    structure_path: list[str] = []
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    snippet: str
    evidence_type: EvidenceType
    impact_indicator: bool = False
    framing: bool = False
    stale: bool = False
    stale_since_seq: int | None = None
    run_id: str
    speaker: str | None = None
    speaker_role: str | None = None
    stated_at: datetime | None = None
    serial: int | None = None
    origin: str = ""
    confirmed_by: str = ""


class LinkRecord(Part):
    link_id: str
    from_atom_id: str
    to_atom_id: str
    link_type: LinkType
    weight: float = 1.0
    created_by: Literal["rule", "model", "human"] = "rule"
    run_id: str | None = None
    active: bool = True


class MergeOp(Part):
    """Two atoms became one, or a merge was undone, or an atom gained evidence.

    The winner got ``links_added``, the loser lost ``links_removed``. ``mentions_added`` are the
    entities that the winner mentions only because the loser did.
    """

    merge_op_id: str
    op: Literal[
        "exact_upsert", "auto_merge", "reviewed_merge", "rejected_merge", "supersede", "unmerge"
    ]
    winner_atom_id: str
    loser_atom_id: str | None = None
    candidate_id: str | None = None
    similarity: float
    fingerprint_winner: str
    fingerprint_loser: str | None = None
    confidence_before: float
    confidence_after: float
    evidence_added: list[str] = []
    actor: str = "system"
    run_id: str | None = None
    reason: str = ""
    caused_by_event_id: str
    links_added: list[str] = []
    links_removed: list[str] = []
    mentions_added: list[str] = []


class MergeCandidate(Part):
    merge_candidate_id: str
    atom_a_id: str
    atom_b_id: str
    similarity: float
    differing_tokens: list[str] = []
    state: Literal["open", "approved", "rejected", "withdrawn"] = "open"
    opened_seq: int
    decided_by: str | None = None
    decided_at: datetime | None = None
    hitl_event_id: str | None = None
    revision: int = 1


class ContradictionRecord(Part):
    """Two live atoms that cannot both hold; ``atom_a_id`` < ``atom_b_id``."""

    contradiction_id: str
    atom_a_id: str
    atom_b_id: str
    contradiction_type: Literal["polarity_mismatch", "body_conflict"]
    severity: Literal["low", "medium", "high"]
    status: Literal["open", "resolved", "dismissed", "escalated"] = "open"
    explanation: str = ""
    detected_by: Literal["rule", "model", "human"] = "rule"
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


class EntityMention(Part):
    """``atom_id`` speaks of the entity atom ``entity_atom_id`` under the name ``mention``.

    Not ``active``: the mention came with a merge that was undone.
    """

    atom_id: str
    entity_atom_id: str
    mention: str
    active: bool = True


class DocumentRoleRecord(Part):
    """The role that a person has given to a document; null: the one that its names tell."""

    source_id: str
    role: DocumentRole | None
    decided_by: str
    decided_at: datetime
    hitl_event_id: str
    rationale: str = ""
    revision: int = 1


class Snapshot(Part):
    """Whole records of the ledger at one moment."""

    atoms: list[AtomRecord] = []
    evidence: list[EvidenceRow] = []
    links: list[LinkRecord] = []
    mentions: list[EntityMention] = []
    merge_candidates: list[MergeCandidate] = []
    contradictions: list[ContradictionRecord] = []
    document_roles: list[DocumentRoleRecord] = []


class HumanDecision(Part):
    """A person's decision and the ledger's answer to it.

    ``before`` holds every changed record as it was; the lists of the change set hold them as they
    are now. A refused decision changes nothing: ``refusal`` says why, and ``before`` holds the
    target. What a member proposed changes nothing either. Its answer names it as ``proposal_id``
    and who proposed it as ``proposed_by``; the actor is who has accepted or declined it, or
    who has proposed it and withdraws it.

    ``undoes``, ``floor`` and ``escalated_to`` are those of the decision.
    """

    hitl_event_id: str
    action: str
    target_type: Literal[
        "atom", "merge_candidate", "contradiction", "artifact", "gate", "proposal", "document"
    ]
    target_id: str
    decision: str
    outcome: Literal["applied", "refused", "proposed", "declined", "withdrawn"] = "applied"
    rationale: str = ""
    actor_id: str
    actor_role: str
    expected_revision: int
    refusal: str = ""
    undoes: str | None = None
    floor: float | None = None
    escalated_to: str | None = None
    proposal_id: str | None = None
    proposed_by: str | None = None
    before: Snapshot


class LedgerChanged(Event):
    """One turn of one project was applied, or one decision of a person, which has no ``turn``.

    ``ledger_seq`` counts from 1 without gaps. ``schemas.ledger_order`` says which record counts.

    ``prev_hash`` is the SHA-256 of the value bytes of the accepted change set before it (empty for
    the first). ``summary`` comes with the turn that commits a batch, with the end of a run and with
    a decision that changed an atom. ``hitl`` comes with a decision, applied or refused.

    Version 2 has ``document_roles``, and ``origin`` and ``confirmed_by`` of evidence.
    """

    type_name: ClassVar[str] = "ledger.changed"
    schema_version: ClassVar[int] = 2
    topic: ClassVar[str] = "ledger.v1"

    ledger_seq: int
    prev_hash: str
    caused_by_event_id: str
    turn: Turn | None = None
    reason: str = ""
    changes: list[Change] = []
    atoms: list[AtomRecord] = []
    evidence: list[EvidenceRow] = []
    links: list[LinkRecord] = []
    mentions: list[EntityMention] = []
    merge_ops: list[MergeOp] = []
    merge_candidates: list[MergeCandidate] = []
    contradictions: list[ContradictionRecord] = []
    document_roles: list[DocumentRoleRecord] = []
    summary: WorkingSummary | None = None
    hitl: HumanDecision | None = None

    @property
    def aggregate_id(self) -> str:
        return str(self.ledger_seq)
