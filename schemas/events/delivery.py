"""What a delivery makes: a plan, and for each of its tasks reviews and a commit.

All are on ``workflow.v1``; see ``workflow.py``. ``index`` counts the tasks of a plan from 0.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Part
from schemas.events.workflow import WorkflowEvent

IssueSeverity = Literal["critical", "major", "minor"]
EvaluationDecision = Literal["IMPLEMENT", "REJECT", "DEFER", "CLARIFY"]


class PlanProduced(WorkflowEvent):
    """There is a plan; ``is_external``: it was given from outside, no model has made it.

    ``artifact_hash`` is the SHA-256 of ``plan_markdown``, ``iteration`` counts plans from 1.
    """

    type_name: ClassVar[str] = "workflow.plan_produced"

    artifact_hash: str
    goal: str
    plan_markdown: str
    key_files: list[str]
    is_external: bool = False
    iteration: int = 1
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0


class PlanValidated(WorkflowEvent):
    """Rules have read the plan; ``total_tasks`` None: it has no tasks and is one unit of work."""

    type_name: ClassVar[str] = "workflow.plan_validated"

    artifact_hash: str
    valid: bool
    goal: str
    key_files: list[str]
    total_tasks: int | None
    problems: list[str]
    titles: list[str] = []


class TaskStarted(WorkflowEvent):
    """``total`` None: the whole plan is one task."""

    type_name: ClassVar[str] = "workflow.task_started"

    index: int
    total: int | None
    title: str


class ReviewIssue(Part):
    """What a reviewer has against the change of a task; ``line`` None: the file as a whole."""

    severity: IssueSeverity
    file: str
    line: int | None
    description: str


class ReviewCompleted(WorkflowEvent):
    """A reviewer has looked at the working tree of a task; ``tree`` is the tree that it has seen.

    ``error``: why there is no review, which is no approval. ``skills`` are the texts it was given.
    """

    type_name: ClassVar[str] = "workflow.review_completed"

    index: int
    iteration: int
    review_pass: int = 1
    approved: bool
    issues: list[ReviewIssue]
    summary: str
    skills: list[str] = []
    tree: str = ""
    model: str = ""
    family: str = ""
    error: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0


class EvaluationItem(Part):
    """``issue`` is the description of the reviewer's issue that the decision is about."""

    issue: str
    decision: EvaluationDecision
    reason: str


class FeedbackEvaluated(WorkflowEvent):
    """What of a review is to be done now; only ``IMPLEMENT`` reaches the developer."""

    type_name: ClassVar[str] = "workflow.feedback_evaluated"

    index: int
    iteration: int
    items: list[EvaluationItem]
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0


class TaskCommitted(WorkflowEvent):
    """The reviewed tree of a task is a commit. ``trailers`` are lines ``Name: value``."""

    type_name: ClassVar[str] = "workflow.task_committed"

    index: int
    sha: str
    tree: str
    title: str = ""
    branch: str = ""
    trailers: list[str] = []
    files: list[str] = []


class TaskFailed(WorkflowEvent):
    """The task has no approved change; the delivery ends. Commits of earlier tasks stay."""

    type_name: ClassVar[str] = "workflow.task_failed"

    index: int
    reason: str
    message: str
    iterations: int = 0


DELIVERY_EVENTS: tuple[type[WorkflowEvent], ...] = (
    PlanProduced,
    PlanValidated,
    TaskStarted,
    ReviewCompleted,
    FeedbackEvaluated,
    TaskCommitted,
    TaskFailed,
)
