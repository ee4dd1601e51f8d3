"""What the stages of a governed workflow make: drafts, checks, verdicts and approved artifacts.

All are on ``workflow.v1``; see ``workflow.py``. ``artifact_hash`` is the SHA-256 of an artifact's
text in UTF-8: what was reviewed, decided or approved is always the bytes with one hash.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Part
from schemas.events.workflow import WorkflowEvent

Verdict = Literal["APPROVE", "BLOCK", "REVISE", "UNAVAILABLE", "UNREADABLE", "SKIPPED_OPTIONAL"]
Approval = Literal["verdict", "waiver", "person", "optional"]
RunPhase = Literal["red", "green"]


class CodebaseRead(WorkflowEvent):
    """The part of the repository that prompts are given; the same files give the same hash."""

    type_name: ClassVar[str] = "workflow.codebase_read"

    sha256: str
    files: list[str]
    size_bytes: int = 0
    text: str = ""


class DraftProduced(WorkflowEvent):
    """A model has written a draft; ``iteration`` counts the run's drafts from 1.

    ``fallback_used``: another provider of the family has answered than the first. ``pitfalls`` are
    findings of earlier runs that the prompt warned of. ``cost_usd`` None: the price is not known.
    """

    type_name: ClassVar[str] = "workflow.draft_produced"

    artifact_hash: str
    text: str
    iteration: int
    model: str = ""
    family: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    fallback_used: bool = False
    pitfalls: list[str] = []


class MechanicallyValidated(WorkflowEvent):
    """Rules have checked a draft; no ``problems``: it goes on."""

    type_name: ClassVar[str] = "workflow.mechanically_validated"

    artifact_hash: str
    problems: list[str]
    iteration: int = 1
    coverage: float | None = None


class DraftRepaired(WorkflowEvent):
    """Rules have mended the form of a draft; ``text`` is the draft from now on."""

    type_name: ClassVar[str] = "workflow.repaired"

    artifact_hash: str
    text: str
    repairs: list[str]
    iteration: int = 1


class WorkflowTestPlanValidated(WorkflowEvent):
    """Which requirements have a scenario, and which have none."""

    type_name: ClassVar[str] = "workflow.test_plan_validated"

    artifact_hash: str
    covered: list[str]
    uncovered: list[str]
    problems: list[str] = []
    iteration: int = 1


class DraftFinding(Part):
    """What a reviewer has against a draft; ``quote`` is the line of the draft that it is about."""

    severity: str
    section: str
    text: str
    suggestion: str = ""
    quote: str = ""


class VerdictGiven(WorkflowEvent):
    """The outcome of a review, for the one draft with ``artifact_hash``.

    ``UNAVAILABLE`` and ``UNREADABLE``: there is no verdict, and a person decides. ``iteration``
    counts the verdicts of the run from 1.
    """

    type_name: ClassVar[str] = "workflow.verdict_given"

    verdict: Verdict
    artifact_hash: str
    summary: str
    findings: list[DraftFinding]
    reviewer_model: str
    reviewer_family: str
    draft_model: str
    draft_family: str
    iteration: int
    prompt_version: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0


class StageArtifactProduced(WorkflowEvent):
    """The stage has its artifact, approved by a verdict or a person; ``path``: where it is kept.

    ``atom_ids`` are the statements of the ledger that the artifact rests on.
    """

    type_name: ClassVar[str] = "workflow.stage_artifact_produced"

    artifact_type: str
    artifact_hash: str
    text: str
    approval: Approval
    approved_by: str = ""
    path: str = ""
    iteration: int = 1
    atom_ids: list[str] = []


class WorkflowTestsRun(WorkflowEvent):
    """A test runner has ended with ``exit_code``; None: it did not end by itself."""

    type_name: ClassVar[str] = "workflow.tests_run"

    phase: RunPhase
    exit_code: int | None
    summary: str
    commands: list[str]
    covered: list[str] = []
    uncovered: list[str] = []
    iteration: int = 1


STAGE_EVENTS: tuple[type[WorkflowEvent], ...] = (
    CodebaseRead,
    DraftProduced,
    MechanicallyValidated,
    DraftRepaired,
    WorkflowTestPlanValidated,
    VerdictGiven,
    StageArtifactProduced,
    WorkflowTestsRun,
)
