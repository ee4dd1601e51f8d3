"""Deliveries task by task: commits, reviews, and what of each review was to be done."""

from __future__ import annotations

from datetime import datetime

from projections.read.session import Conn, ReadModel, select

TASKS = """
    SELECT task_index AS index, coalesce(title, '') AS title, total, started_at, sha, tree, branch,
        coalesce(trailers, '{}') AS trailers, coalesce(files, '{}') AS files, failure, message,
        ended_at
    FROM delivery_tasks WHERE workflow_id = %s ORDER BY task_index
"""
REVIEWS = """
    SELECT ordinal, task_index, iteration, review_pass, approved, summary, skills, tree, model,
        error, reviewed_at
    FROM delivery_reviews WHERE workflow_id = %s ORDER BY ordinal
"""
ISSUES = """
    SELECT ordinal, number, task_index, iteration, severity, file, line, description
    FROM review_issues WHERE workflow_id = %s ORDER BY ordinal, number
"""
ITEMS = """
    SELECT ordinal, number, task_index, iteration, issue, decision, reason
    FROM evaluation_items WHERE workflow_id = %s ORDER BY ordinal, number
"""


class DeliveryTask(ReadModel):
    """A task of a plan: under way, committed (``sha``), or given up (``failure``)."""

    index: int
    title: str
    total: int | None
    started_at: datetime | None
    sha: str | None
    tree: str | None
    branch: str | None
    trailers: list[str]
    files: list[str]
    failure: str | None
    message: str | None
    ended_at: datetime | None


class DeliveryReview(ReadModel):
    ordinal: int
    task_index: int
    iteration: int
    review_pass: int
    approved: bool
    summary: str
    skills: list[str]
    tree: str
    model: str
    error: str
    reviewed_at: datetime


class FiledIssue(ReadModel):
    """An issue of the review whose event has number ``ordinal``."""

    ordinal: int
    number: int
    task_index: int
    iteration: int
    severity: str
    file: str
    line: int | None
    description: str


class EvaluatedIssue(ReadModel):
    ordinal: int
    number: int
    task_index: int
    iteration: int
    issue: str
    decision: str
    reason: str


class DeliveryDetail(ReadModel):
    """All of a delivery by task, in its order."""

    tasks: list[DeliveryTask]
    reviews: list[DeliveryReview]
    issues: list[FiledIssue]
    evaluations: list[EvaluatedIssue]


def read_delivery(connection: Conn, workflow_id: str) -> DeliveryDetail:
    """The tasks of a run with their reviews; empty for one without tasks."""
    return DeliveryDetail(
        tasks=select(connection, DeliveryTask, TASKS, workflow_id),
        reviews=select(connection, DeliveryReview, REVIEWS, workflow_id),
        issues=select(connection, FiledIssue, ISSUES, workflow_id),
        evaluations=select(connection, EvaluatedIssue, ITEMS, workflow_id),
    )
