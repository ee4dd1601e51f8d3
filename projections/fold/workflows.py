"""Workflows and deliveries: every event as it is, and what each of them says of its run."""

from __future__ import annotations

import json
from typing import Any

from projections.fold.workflow_tasks import FOLDS as TASK_FOLDS
from projections.fold.workflow_tasks import keep, place_of
from projections.rows import Row, Rows
from schemas.envelope import Envelope, Event
from schemas.events.workflow import (
    RUN_EVENTS,
    AgentEventRecorded,
    GateDecided,
    GateOpened,
    GateWaived,
    WorkflowEvent,
    WorkflowFinished,
    WorkflowHalted,
    WorkflowNodeEntered,
    WorkflowNodeFinished,
    WorkflowStarted,
)
from schemas.events.workflow_stages import (
    STAGE_EVENTS,
    DraftProduced,
    DraftRepaired,
    StageArtifactProduced,
    VerdictGiven,
)

RUNNING = "running"
OF_A_RUN = (
    "workflow_type thread_id repository commit profile drafter_family reviewer_family chain_id"
    " started_by"
)
OF_A_VERDICT = (
    "verdict artifact_hash summary iteration reviewer_model reviewer_family draft_model"
    " draft_family prompt_version"
)
HALT = "UPDATE workflows SET halt_reason = %s WHERE workflow_id = %s AND finished_at IS NULL"
GO_ON = "UPDATE workflows SET halt_reason = '' WHERE workflow_id = %s AND finished_at IS NULL"
FINISH = """
    UPDATE workflows SET status = %s, artifact_hash = %s, error = %s, text = %s, finished_at = %s
    WHERE workflow_id = %s AND finished_at IS NULL
"""


def keep_event(rows: Rows, fact: Envelope, event: WorkflowEvent) -> None:
    keep(rows, fact, event)


def started(rows: Rows, fact: Envelope, event: WorkflowStarted) -> None:
    keep(rows, fact, event)
    row: Row = {
        "workflow_id": event.workflow_id,
        "issue_number": event.issue.number,
        "title": event.issue.title,
        "settings": event.settings.model_dump(),
        "input_hash": event.input.artifact_hash,
        "input_workflow_id": event.input.workflow_id,
        **event.origin.model_dump(),
        "started_at": fact.occurred_at,
        "status": RUNNING,
        "halt_reason": "",
        "artifact_hash": "",
        "error": "",
        "text": "",
    }
    rows.add(fact, "workflows", row | _pick(event, OF_A_RUN))


def node_entered(rows: Rows, fact: Envelope, event: WorkflowNodeEntered) -> None:
    keep(rows, fact, event)
    rows.then(GO_ON, (event.workflow_id,))
    entered = {"entered_ordinal": event.ordinal, "entered_at": fact.occurred_at}
    rows.add(fact, "workflow_steps", _pick(event, "workflow_id node iteration") | entered)


def node_finished(rows: Rows, fact: Envelope, event: WorkflowNodeFinished) -> None:
    keep(rows, fact, event)
    row = _pick(event, "workflow_id node iteration next_node detail")
    finished = {"finished_ordinal": event.ordinal, "finished_at": fact.occurred_at}
    rows.add(fact, "workflow_steps", row | finished)


def verdict_given(rows: Rows, fact: Envelope, event: VerdictGiven) -> None:
    keep(rows, fact, event)
    findings = [finding.model_dump() for finding in event.findings]
    row = place_of(event) | {"findings": findings, "given_at": fact.occurred_at}
    rows.add(fact, "workflow_verdicts", row | _pick(event, OF_A_VERDICT))


def gate_opened(rows: Rows, fact: Envelope, event: GateOpened) -> None:
    keep(rows, fact, event)
    arguments = json.loads(event.arguments)
    row: Row = _pick(event, "confirmation_id workflow_id summary") | {
        "gate": event.tool,
        "artifact_hash": str(arguments.get("artifact_hash") or ""),
        "arguments": arguments,
        "opened_ordinal": event.ordinal,
        "opened_at": fact.occurred_at,
    }
    rows.add(fact, "workflow_gates", row)


def gate_decided(rows: Rows, fact: Envelope, event: GateDecided) -> None:
    keep(rows, fact, event)
    changed = None if event.arguments is None else json.loads(event.arguments)
    row: Row = _pick(event, "confirmation_id workflow_id decision reason") | {
        "changed_arguments": changed,
        "decided_by": event.given_by,
        "decided_at": fact.occurred_at,
    }
    rows.then(GO_ON, (event.workflow_id,))
    rows.add(fact, "workflow_gates", row)


def gate_waived(rows: Rows, fact: Envelope, event: GateWaived) -> None:
    keep(rows, fact, event)
    row = _pick(event, "confirmation_id workflow_id verdict_overridden")
    rows.add(fact, "workflow_gates", row)


def draft_produced(rows: Rows, fact: Envelope, event: DraftProduced) -> None:
    keep(rows, fact, event)
    made = _pick(event, "artifact_hash text iteration model family")
    rows.add(fact, "workflow_artifacts", _artifact(fact, event) | made | {"kind": "draft"})


def draft_repaired(rows: Rows, fact: Envelope, event: DraftRepaired) -> None:
    keep(rows, fact, event)
    made = _pick(event, "artifact_hash text iteration")
    rows.add(fact, "workflow_artifacts", _artifact(fact, event) | made | {"kind": "repaired"})


def artifact_produced(rows: Rows, fact: Envelope, event: StageArtifactProduced) -> None:
    keep(rows, fact, event)
    names = "artifact_type artifact_hash text approval approved_by path iteration atom_ids"
    made = _pick(event, names) | {"kind": "approved"}
    rows.add(fact, "workflow_artifacts", _artifact(fact, event) | made)


def agent_event(rows: Rows, fact: Envelope, event: AgentEventRecorded) -> None:
    keep(rows, fact, event)
    row: Row = _pick(event, "workflow_id id content agent tool_name") | {
        "seq": event.ordinal,
        "type": event.event_type,
        "tool_input": None if event.tool_input is None else json.loads(event.tool_input),
        "happened_at": event.at,
    }
    rows.add(fact, "trajectory_events", row)


def halted(rows: Rows, fact: Envelope, event: WorkflowHalted) -> None:
    keep(rows, fact, event)
    rows.then(HALT, (event.reason, event.workflow_id))


def finished(rows: Rows, fact: Envelope, event: WorkflowFinished) -> None:
    keep(rows, fact, event)
    text = event.text.replace("\0", "\ufffd")  # PostgreSQL has no NUL in text
    ended = (event.status, event.artifact_hash, event.error, text, fact.occurred_at)
    rows.then(FINISH, (*ended, event.workflow_id))


def _artifact(fact: Envelope, event: WorkflowEvent) -> Row:
    empty = dict.fromkeys(
        ("artifact_type", "model", "family", "approval", "approved_by", "path"), ""
    )
    return place_of(event) | empty | {"atom_ids": [], "made_at": fact.occurred_at}


def _pick(event: WorkflowEvent, names: str) -> Row:
    return {name: getattr(event, name) for name in names.split()}


KEPT: tuple[type[Event], ...] = (*RUN_EVENTS, *STAGE_EVENTS)
FOLDS: dict[type[Event], Any] = dict.fromkeys(KEPT, keep_event)
FOLDS |= {
    WorkflowStarted: started,
    WorkflowNodeEntered: node_entered,
    WorkflowNodeFinished: node_finished,
    VerdictGiven: verdict_given,
    GateOpened: gate_opened,
    GateDecided: gate_decided,
    GateWaived: gate_waived,
    DraftProduced: draft_produced,
    DraftRepaired: draft_repaired,
    StageArtifactProduced: artifact_produced,
    AgentEventRecorded: agent_event,
    WorkflowHalted: halted,
    WorkflowFinished: finished,
}
FOLDS |= TASK_FOLDS
