"""What the page of a workflow is made of: its nodes with where it is, the draft that is shown with
its verdict, the gate that waits, and its tasks with what became of each review.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from infra.http.console.drafts_shown import ReviewedDraft, review_draft
from infra.service.development.workflow_nodes import NamedNode
from infra.store.workflow_jobs import WorkflowJob
from projections.read.workflow_tasks import (
    DeliveryDetail,
    DeliveryReview,
    DeliveryTask,
    EvaluatedIssue,
    FiledIssue,
)
from projections.read.workflows import (
    Workflow,
    WorkflowArtifact,
    WorkflowGate,
    WorkflowHalt,
    WorkflowStep,
    WorkflowVerdict,
)

DRAFTS = ("draft", "repaired", "plan", "approved")
GOES_ON = ("APPROVE", "SKIPPED_OPTIONAL")  # verdicts that leave nothing to waive
UNDER_WAY = ("queued", "leased", "running", "failed")  # of a job


@dataclass(frozen=True, slots=True)
class NodeMark:
    """``state``: ``here``, ``done`` or ``ahead``. ``times``: how often the run has entered it."""

    name: str
    title: str
    times: int
    state: str


@dataclass(frozen=True, slots=True)
class ShownDraft:
    """A draft with the verdict on these very bytes; None: there is none."""

    artifact: WorkflowArtifact
    verdict: WorkflowVerdict | None
    reviewed: ReviewedDraft
    is_newest: bool


@dataclass(frozen=True, slots=True)
class OpenGate:
    """``given``: what somebody has decided already, while the run does not go on yet."""

    gate: WorkflowGate
    can_waive: bool
    given: str


@dataclass(frozen=True, slots=True)
class ReviewedIssue:
    """An issue of a review and what was decided about it; None: nothing."""

    issue: FiledIssue
    evaluated: EvaluatedIssue | None


@dataclass(frozen=True, slots=True)
class TaskReview:
    review: DeliveryReview
    issues: list[ReviewedIssue]


@dataclass(frozen=True, slots=True)
class TaskShown:
    task: DeliveryTask
    reviews: list[TaskReview]


def mark_nodes(
    nodes: Sequence[NamedNode], steps: Sequence[WorkflowStep], run: Workflow
) -> list[NodeMark]:
    """The nodes in their order; one that the run has entered and that has none of these names
    comes last.
    """
    times: dict[str, int] = {}
    for step in steps:
        times[step.node] = times.get(step.node, 0) + 1
    here = run.node if run.finished_at is None else ""
    named = {node.name: node.title for node in nodes}
    titles = named | {name: name.replace("_", " ") for name in times if name not in named}
    return [
        NodeMark(
            name,
            title,
            times.get(name, 0),
            "here" if name == here else "done" if name in times else "ahead",
        )
        for name, title in titles.items()
    ]


def choose_draft(
    artifacts: Sequence[WorkflowArtifact],
    verdicts: Sequence[WorkflowVerdict],
    ordinal: int | None,
) -> ShownDraft | None:
    """The newest draft, or the one with this ordinal; None: there is none."""
    drafts = [one for one in artifacts if one.kind in DRAFTS]
    chosen = [one for one in drafts if ordinal is None or one.ordinal == ordinal]
    if not chosen:
        return None
    artifact = chosen[-1]
    verdict = next(
        (one for one in reversed(verdicts) if one.artifact_hash == artifact.artifact_hash), None
    )
    findings = verdict.findings if verdict else []
    reviewed = review_draft(artifact.text, findings)
    return ShownDraft(artifact, verdict, reviewed, artifact is drafts[-1])


def find_open_gate(
    gates: Sequence[WorkflowGate], halt: WorkflowHalt | None, jobs: Sequence[WorkflowJob]
) -> OpenGate | None:
    """The gate at which the run waits."""
    gate = next((one for one in gates if one.is_open), None)
    if gate is None:
        return None
    if gate.gate == "halt":
        can_waive = bool(halt and any(it.startswith("Waive") for it in halt.may_try))
    else:
        verdict = gate.arguments.get("verdict")
        can_waive = isinstance(verdict, str) and verdict not in GOES_ON
    given = ""
    for job in jobs:
        sent = job.payload.get("given") or {}
        if sent.get("confirmation_id") == gate.confirmation_id and job.status in UNDER_WAY:
            given = str(sent.get("decision"))
    return OpenGate(gate, can_waive, given)


def show_tasks(detail: DeliveryDetail) -> list[TaskShown]:
    """Each task with its reviews, and their issues with what became of them."""
    return [
        TaskShown(
            task,
            [_show_review(it, detail) for it in detail.reviews if it.task_index == task.index],
        )
        for task in detail.tasks
    ]


def _show_review(review: DeliveryReview, detail: DeliveryDetail) -> TaskReview:
    place = (review.task_index, review.iteration)
    evaluated = {
        it.issue: it for it in detail.evaluations if (it.task_index, it.iteration) == place
    }
    issues = [it for it in detail.issues if it.ordinal == review.ordinal]
    return TaskReview(review, [ReviewedIssue(it, evaluated.get(it.description)) for it in issues])
