"""Artifacts: what is written from atoms, every statement with the atoms it rests on.

``artifact.changed`` on ``reduce.v1`` (key ``project_id``) is the writer's log; the publisher
spreads it over the public topics (key ``artifact_id``).
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part

ArtifactType = Literal["insight", "prd", "epic", "feature", "task", "sprint_plan", "report"]
ArtifactState = Literal["draft", "preview_stable", "stable"]
SectionState = Literal[
    "pending", "generating", "generated", "invalidated", "edited", "insufficient_evidence"
]


class Citation(Part):
    atom_id: str
    atom_revision: int


class Statement(Part):
    """One sentence or item with the atoms it rests on.

    ``provisional`` when all of them are drafts; ``contradiction_ids`` are the open conflicts of the
    cited atoms, which the text must name or which stand among the open questions.
    """

    statement_id: str
    text: str
    citations: list[Citation]
    provisional: bool = False
    confidence: float
    contradiction_ids: list[str] = []


class Section(Part):
    section_id: str
    title: str
    state: SectionState
    statements: list[Statement] = []
    gap: str = ""
    content_hash: str
    input_hash: str


class ReviewFinding(Part):
    """Something the citation validator objects to."""

    code: str
    section_id: str
    statement_id: str
    detail: str = ""
    warning: bool = False


class ArtifactSnapshot(Part):
    """An artifact as it stands, whole."""

    artifact_id: str
    artifact_type: ArtifactType
    number: str
    title: str
    artifact_state: ArtifactState
    version: int
    sections: list[Section]
    content_hash: str
    rendered_markdown: str
    lane: Literal["preview", "deep"]
    engine: str
    model: str | None = None
    prompt_version: str | None = None
    run_id: str | None = None
    input_ledger_seq: int
    upstream_artifact_ids: list[str] = []
    blocked_by: list[str] = []


class ArtifactChanged(Event):
    """The writer's whole answer to one input: a new version, a move of state, or a refusal.

    ``artifact_seq`` counts per project from 1 without gaps. ``outcome`` ``published``: ``snapshot``
    has a new version; ``state_changed``: same content, other state; ``rejected``: ``findings`` say
    why, the version before stands; ``unchanged``: the position was looked at, nothing differs.
    """

    type_name: ClassVar[str] = "artifact.changed"
    topic: ClassVar[str] = "reduce.v1"

    artifact_seq: int
    caused_by_event_id: str
    input_ledger_seq: int
    settled_run_id: str | None = None
    outcome: Literal["published", "state_changed", "rejected", "unchanged"]
    snapshot: ArtifactSnapshot
    recomputed_sections: list[str] = []
    reason: str = ""
    state_before: ArtifactState | None = None
    reason_codes: list[str] = []
    findings: list[ReviewFinding] = []

    @property
    def aggregate_id(self) -> str:
        return self.snapshot.artifact_id


class VersionPublished(Event):
    """A new version of an artifact, whole. The type's topic, and ``artifact.latest.v1``."""

    type_name: ClassVar[str] = "artifact.version_published"
    topic: ClassVar[str] = "artifact.prd.v1"

    snapshot: ArtifactSnapshot
    recomputed_sections: list[str] = []
    reason: str = ""

    @property
    def aggregate_id(self) -> str:
        return self.snapshot.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.snapshot.artifact_id}|{self.snapshot.version}"


class StateChanged(Event):
    """An artifact moved between ``draft``, ``preview_stable`` and ``stable``."""

    type_name: ClassVar[str] = "artifact.state_changed"
    topic: ClassVar[str] = "artifact.prd.v1"

    artifact_id: str
    version: int
    state_before: ArtifactState | None = None
    state_after: ArtifactState
    reason_codes: list[str]
    blocking_contradiction_ids: list[str] = []

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.artifact_id}|{self.version}|{self.state_after}"


class VersionRejected(Event):
    """The citation validator refused a version twice; the one before stands."""

    type_name: ClassVar[str] = "artifact.rejected"
    topic: ClassVar[str] = "artifact.prd.v1"

    artifact_id: str
    version: int
    findings: list[ReviewFinding]

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.artifact_id}|{self.version}|rejected"


class LatestSet(Event):
    """The present state of an artifact; the only type on the compacted ``artifact.latest.v1``."""

    type_name: ClassVar[str] = "artifact.latest_set"
    topic: ClassVar[str] = "artifact.latest.v1"

    snapshot: ArtifactSnapshot

    @property
    def aggregate_id(self) -> str:
        return self.snapshot.artifact_id

    @property
    def local_key(self) -> str:
        snapshot = self.snapshot
        return f"{snapshot.artifact_id}|{snapshot.version}|{snapshot.artifact_state}"
