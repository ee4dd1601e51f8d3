"""Deliveries: plans, tasks, reviews and what of them was done."""

from __future__ import annotations

from typing import Any

from projections.rows import Row, Rows
from schemas.envelope import Envelope, Event
from schemas.events.delivery import (
    FeedbackEvaluated,
    PlanProduced,
    PlanValidated,
    ReviewCompleted,
    TaskCommitted,
    TaskFailed,
    TaskStarted,
)
from schemas.events.workflow import WorkflowEvent

PLACE = {"workflow_id", "ordinal"}
COUNT_TASKS = "UPDATE workflows SET total_tasks = %s WHERE workflow_id = %s"


def keep(rows: Rows, fact: Envelope, event: WorkflowEvent) -> None:
    """The event as it is."""
    data = {
        "event_type": event.type_name,
        "data": event.model_dump(mode="json", exclude=PLACE),
        "occurred_at": fact.occurred_at,
    }
    rows.add(fact, "workflow_events", place_of(event) | data)


def place_of(event: WorkflowEvent) -> Row:
    return {"workflow_id": event.workflow_id, "ordinal": event.ordinal}


def plan_produced(rows: Rows, fact: Envelope, event: PlanProduced) -> None:
    keep(rows, fact, event)
    empty = dict.fromkeys(("family", "approval", "approved_by", "path"), "")
    plan: Row = {
        "kind": "plan",
        "artifact_type": "plan",
        "artifact_hash": event.artifact_hash,
        "text": event.plan_markdown,
        "iteration": event.iteration,
        "model": event.model,
        "atom_ids": [],
        "made_at": fact.occurred_at,
    }
    rows.add(fact, "workflow_artifacts", place_of(event) | empty | plan)


def plan_validated(rows: Rows, fact: Envelope, event: PlanValidated) -> None:
    keep(rows, fact, event)
    if event.valid:
        rows.then(COUNT_TASKS, (event.total_tasks, event.workflow_id))


def task_started(rows: Rows, fact: Envelope, event: TaskStarted) -> None:
    keep(rows, fact, event)
    row: Row = {"title": event.title, "total": event.total, "started_at": fact.occurred_at}
    rows.add(fact, "delivery_tasks", _task(event) | row)


def task_committed(rows: Rows, fact: Envelope, event: TaskCommitted) -> None:
    keep(rows, fact, event)
    committed = event.model_dump(include={"sha", "tree", "branch", "trailers", "files"})
    rows.add(fact, "delivery_tasks", _task(event) | committed | {"ended_at": fact.occurred_at})


def task_failed(rows: Rows, fact: Envelope, event: TaskFailed) -> None:
    keep(rows, fact, event)
    row: Row = {"failure": event.reason, "message": event.message, "ended_at": fact.occurred_at}
    rows.add(fact, "delivery_tasks", _task(event) | row)


def review_completed(rows: Rows, fact: Envelope, event: ReviewCompleted) -> None:
    keep(rows, fact, event)
    names = {"iteration", "review_pass", "approved", "summary", "skills", "tree", "model", "error"}
    row: Row = event.model_dump(include=names) | {"reviewed_at": fact.occurred_at}
    rows.add(fact, "delivery_reviews", _of_task(event) | row)
    for number, issue in enumerate(event.issues):
        row = issue.model_dump() | {"number": number, "iteration": event.iteration}
        rows.add(fact, "review_issues", _of_task(event) | row)


def feedback_evaluated(rows: Rows, fact: Envelope, event: FeedbackEvaluated) -> None:
    keep(rows, fact, event)
    for number, item in enumerate(event.items):
        row = item.model_dump() | {"number": number, "iteration": event.iteration}
        rows.add(fact, "evaluation_items", _of_task(event) | row)


def _task(event: TaskStarted | TaskCommitted | TaskFailed) -> Row:
    return {"workflow_id": event.workflow_id, "task_index": event.index}


def _of_task(event: ReviewCompleted | FeedbackEvaluated) -> Row:
    return place_of(event) | {"task_index": event.index}


FOLDS: dict[type[Event], Any] = {
    PlanProduced: plan_produced,
    PlanValidated: plan_validated,
    TaskStarted: task_started,
    TaskCommitted: task_committed,
    TaskFailed: task_failed,
    ReviewCompleted: review_completed,
    FeedbackEvaluated: feedback_evaluated,
}
