"""Runs of workflows as facts: an issue that is refused once and then approved, and a delivery."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from schemas.envelope import Envelope, outside_fact
from schemas.events.delivery import (
    EvaluationItem,
    FeedbackEvaluated,
    PlanProduced,
    PlanValidated,
    ReviewCompleted,
    ReviewIssue,
    TaskCommitted,
    TaskFailed,
    TaskStarted,
)
from schemas.events.workflow import (
    AgentEventRecorded,
    GateDecided,
    GateOpened,
    GateWaived,
    SecurityRefused,
    WorkflowEvent,
    WorkflowFinished,
    WorkflowHalted,
    WorkflowIssue,
    WorkflowNodeEntered,
    WorkflowNodeFinished,
    WorkflowOrigin,
    WorkflowStarted,
)
from schemas.events.workflow_stages import (
    DraftFinding,
    DraftProduced,
    DraftRepaired,
    StageArtifactProduced,
    VerdictGiven,
)
from tests.projections.builders import PROJECT, START
from tests.projections.log import PERSON

Told = tuple[type[WorkflowEvent], dict[str, Any]]
FINDING = DraftFinding(severity="major", section="Scope", text="Unclear.", quote="It should.")
VERDICT = {
    "summary": "Not yet.",
    "findings": [FINDING],
    "reviewer_model": "other-1",
    "reviewer_family": "other",
    "draft_model": "first-1",
    "draft_family": "first",
    "prompt_version": "review/1",
}
WORKFLOW = "wfl_1"


def begun(workflow_type: str = "issue", **fields: Any) -> Told:
    return WorkflowStarted, {
        "workflow_type": workflow_type,
        "thread_id": "issue-7",
        "issue": WorkflowIssue(number=7, title="Export", text="Export as CSV."),
        "profile": "default",
        "drafter_family": "first",
        "reviewer_family": "other",
        "started_by": PERSON.id,
        "origin": WorkflowOrigin(feature_id="art_1", atom_ids=["atm_1"]),
    } | fields


def a_gate(name: str, artifact_hash: str = "h2", of: str = "") -> Told:
    return GateOpened, {
        "confirmation_id": f"cnf_{name}{of}",
        "tool": name,
        "arguments": json.dumps({"artifact_hash": artifact_hash}),
        "summary": f"Decide at {name}.",
    }


def an_issue_run() -> list[Told]:
    """Refused, halted without a reviewer, waived."""
    return [
        begun(),
        (WorkflowNodeEntered, {"node": "n1_draft", "iteration": 1}),
        (DraftProduced, {"artifact_hash": "h1", "text": "One", "iteration": 1, "family": "first"}),
        (WorkflowNodeFinished, {"node": "n1_draft", "iteration": 1, "next_node": "n4_review"}),
        (WorkflowNodeEntered, {"node": "n4_review", "iteration": 1}),
        (VerdictGiven, VERDICT | {"verdict": "REVISE", "artifact_hash": "h1", "iteration": 1}),
        (WorkflowNodeEntered, {"node": "n1_draft", "iteration": 2}),
        (DraftRepaired, {"artifact_hash": "h2", "text": "Two", "repairs": ["x"], "iteration": 2}),
        (WorkflowNodeEntered, {"node": "n4_review", "iteration": 2}),
        (
            VerdictGiven,
            VERDICT | {"verdict": "UNAVAILABLE", "artifact_hash": "h2", "iteration": 2},
        ),
        (WorkflowHalted, {"reason": "review_unavailable", "message": "Nobody answers."}),
        a_gate("verdict"),
        (
            GateDecided,
            {
                "confirmation_id": "cnf_verdict",
                "decision": "edit",
                "arguments": '{"waived": true}',
                "reason": "hotfix",
                "given_by": PERSON.id,
            },
        ),
        (
            GateWaived,
            {
                "confirmation_id": "cnf_verdict",
                "gate": "verdict",
                "actor": PERSON.id,
                "reason": "hotfix",
                "verdict_overridden": "UNAVAILABLE",
                "artifact_hash": "h2",
            },
        ),
        (WorkflowNodeEntered, {"node": "n6_file", "iteration": 1}),
        (
            StageArtifactProduced,
            {"artifact_type": "issue", "artifact_hash": "h2", "text": "Two", "approval": "waiver"},
        ),
        (WorkflowFinished, {"status": "completed", "artifact_hash": "h2"}),
    ]


def a_delivery() -> list[Told]:
    """Two tasks: one committed after a fix, one given up."""
    issue = ReviewIssue(severity="major", file="a.py", line=3, description="No test.")
    item = EvaluationItem(issue="No test.", decision="IMPLEMENT", reason="True.")
    plan = {"artifact_hash": "p1", "goal": "Export", "key_files": ["a.py"]}
    validated = plan | {"valid": True, "total_tasks": 2, "problems": []}
    review = {"index": 0, "summary": "s", "tree": "t1", "skills": ["python"]}
    did = {"content": "c", "at": START.isoformat(), "agent": "developer"}
    call = {"event_type": "CLAUDE_TOOL_CALL", "tool_name": "bash", "tool_input": '{"command":"ls"}'}
    return [
        begun("delivery"),
        (PlanProduced, plan | {"plan_markdown": "## Goal"}),
        (PlanValidated, validated),
        (TaskStarted, {"index": 0, "total": 2, "title": "First"}),
        (AgentEventRecorded, did | {"id": "e1", "event_type": "CLAUDE_THINKING"}),
        (AgentEventRecorded, did | call | {"id": "e2"}),
        (
            SecurityRefused,
            {
                "layer": "blocklist",
                "tool": "bash",
                "argument": "sudo x",
                "reason": "no",
                "agent": "developer",
            },
        ),
        (ReviewCompleted, review | {"iteration": 1, "approved": False, "issues": [issue]}),
        (FeedbackEvaluated, {"index": 0, "iteration": 1, "items": [item]}),
        (ReviewCompleted, review | {"iteration": 2, "approved": True, "issues": []}),
        (TaskCommitted, {"index": 0, "sha": "s1", "tree": "t1", "trailers": ["Cairn-Task: 1"]}),
        (TaskStarted, {"index": 1, "total": 2, "title": "Second"}),
        (TaskFailed, {"index": 1, "reason": "review_limit", "message": "Never approved."}),
        (WorkflowFinished, {"status": "failed", "error": "review_limit", "text": "No."}),
    ]


def facts_of(
    told: list[Told], workflow_id: str = WORKFLOW, project: str = PROJECT, minutes: int = 0
) -> list[Envelope]:
    return [
        outside_fact(
            kind(workflow_id=workflow_id, ordinal=number, **fields),
            project_id=project,
            occurred_at=START + timedelta(minutes=minutes, seconds=number),
            actor=PERSON,
        )
        for number, (kind, fields) in enumerate(told)
    ]
