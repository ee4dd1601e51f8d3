"""Artifacts: documents written from atoms. Every statement names the atoms it rests on.

``artifact.changed`` on ``reduce.v1`` (key ``project_id``) is the writer's log; the publisher
spreads it over the public topics (key ``artifact_id``).
"""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event, Part
from schemas.events.artifact_loops import LoopRecord
from schemas.events.artifact_parts import (
    ArtifactChange,
    ArtifactSnapshot,
    ArtifactState,
    ArtifactType,
    EditAnswer,
    Outcome,
)
from schemas.events.artifact_quality import QualityRun
from schemas.events.artifact_sections import ReviewFinding, Section
from schemas.events.team import Team


class ArtifactChanged(Event):
    """The writer's whole answer to one input: a new version, a move of state, or a refusal.

    ``artifact_seq`` counts per project from 1 without gaps. ``outcome`` ``published``: ``snapshot``
    has a new version; ``state_changed``: same content, other state; ``rejected``: ``findings`` say
    why, the version before stays; ``unchanged``: the position was examined, nothing differs.

    ``snapshot`` and what belongs to it are the PRD; ``items`` are the other artifacts that changed.
    ``settled_run_id`` is None where a person's decision settled the ledger. ``team`` is the team
    from now on, where the input changed it: what comes after is planned with it. ``edit``: it
    answers a request to change the PRD, at the position of the answer before.
    """

    type_name: ClassVar[str] = "artifact.changed"
    topic: ClassVar[str] = "reduce.v1"

    artifact_seq: int
    caused_by_event_id: str
    input_ledger_seq: int
    settled_run_id: str | None = None
    outcome: Outcome
    snapshot: ArtifactSnapshot
    recomputed_sections: list[str] = []
    reason: str = ""
    state_before: ArtifactState | None = None
    reason_codes: list[str] = []
    findings: list[ReviewFinding] = []
    items: list[ArtifactChange] = []
    loops: list[LoopRecord] = []
    quality_runs: list[QualityRun] = []
    team: Team | None = None
    edit: EditAnswer | None = None

    @property
    def aggregate_id(self) -> str:
        return self.snapshot.artifact_id

    @property
    def prd(self) -> ArtifactChange:
        """What changed in the PRD, in the form in which the items have theirs."""
        return ArtifactChange.model_construct(
            **{name: getattr(self, name) for name in ArtifactChange.model_fields}
        )


class SpeculationEnd(Part):
    """What became of the speculative sections of one artifact, by section id.

    ``confirmed``: the settled version has the section with the same input; ``recomputed``: with
    another input; ``withdrawn``: the settled version has no such section.
    """

    artifact_id: str
    artifact_type: ArtifactType
    confirmed: list[str] = []
    recomputed: list[str] = []
    withdrawn: list[str] = []


class ArtifactSpeculated(Event):
    """Sections written at the commit of a batch, before the run has ended.

    Of each snapshot in ``changes`` the ``recomputed_sections`` are published; its version is no
    public number. With ``settled`` the run has ended: there are no changes, and ``ended`` says what
    became of all speculative sections.
    """

    type_name: ClassVar[str] = "artifact.speculated"
    topic: ClassVar[str] = "reduce.v1"

    caused_by_event_id: str
    input_ledger_seq: int
    settled: bool = False
    changes: list[ArtifactChange] = []
    ended: list[SpeculationEnd] = []

    @property
    def aggregate_id(self) -> str:
        return str(self.input_ledger_seq)


class SectionGenerated(Event):
    """A section of a PRD, epic or feature was written while its input was still coming in.

    ``title`` is the artifact's. ``speculative`` until ``artifact.speculation_ended`` names the
    section, or until the section comes again. On the topic of the artifact's type.
    """

    type_name: ClassVar[str] = "artifact.section_generated"
    topic: ClassVar[str] = "artifact.prd.v1"

    artifact_id: str
    artifact_type: ArtifactType
    title: str
    section: Section
    speculative: bool
    input_ledger_seq: int

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.artifact_id}|{self.section.section_id}|{self.section.input_hash}"


class SpeculationEnded(Event):
    """These sections of one artifact are no longer speculative, see ``SpeculationEnd``."""

    type_name: ClassVar[str] = "artifact.speculation_ended"
    topic: ClassVar[str] = "artifact.prd.v1"

    end: SpeculationEnd
    input_ledger_seq: int

    @property
    def artifact_type(self) -> ArtifactType:
        return self.end.artifact_type

    @property
    def aggregate_id(self) -> str:
        return self.end.artifact_id

    @property
    def local_key(self) -> str:
        return self.end.artifact_id


class VersionPublished(Event):
    """A new version of an artifact, whole. On the topic of its type."""

    type_name: ClassVar[str] = "artifact.version_published"
    topic: ClassVar[str] = "artifact.prd.v1"

    snapshot: ArtifactSnapshot
    recomputed_sections: list[str] = []
    reason: str = ""

    @property
    def artifact_type(self) -> ArtifactType:
        return self.snapshot.artifact_type

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
    artifact_type: ArtifactType
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
    """The citation validator refused a version twice; the one before stays."""

    type_name: ClassVar[str] = "artifact.rejected"
    topic: ClassVar[str] = "artifact.prd.v1"

    artifact_id: str
    artifact_type: ArtifactType
    version: int
    findings: list[ReviewFinding]

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.artifact_id}|{self.version}|rejected"


class ArtifactEdited(Event):
    """A version came from a person's edit, or from what the quality gate has revised."""

    type_name: ClassVar[str] = "artifact.edited"
    topic: ClassVar[str] = "artifact.prd.v1"

    artifact_type: ArtifactType
    edit: EditAnswer

    @property
    def aggregate_id(self) -> str:
        return self.edit.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.edit.artifact_id}|{self.edit.version}|edited"


class ChangeRefused(Event):
    """A request to change an artifact was refused; ``edit`` says why and what version there is."""

    type_name: ClassVar[str] = "artifact.change_refused"
    topic: ClassVar[str] = "artifact.prd.v1"

    artifact_type: ArtifactType
    edit: EditAnswer

    @property
    def aggregate_id(self) -> str:
        return self.edit.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.edit.artifact_id}|{self.edit.version}|refused"


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
