"""How commands follow a workflow: a line for each thing that it does, up to its end or a gate."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from infra.cli.calls import Cairn
from infra.cli.context import say
from infra.cli.output import cell

QUESTION = "confirmation_requested"
ENDS = ("done", "error")
LONGEST_LINE = 160


def follow_workflow(
    cairn: Cairn, workflow_id: str, decided: Collection[str] = (), *, is_quiet: bool = False
) -> bool:
    """Whether the workflow has failed, when it has ended or waits at a gate.

    ``decided`` are gates that it asks about on its way and has an answer to.
    """
    for frame in cairn.follow_workflow(workflow_id):
        line = _line_of(frame.event, frame.data)
        if line and not is_quiet:
            say(cell(line, LONGEST_LINE))
        if frame.event in ENDS:
            return frame.event == "error" or frame.data.get("status") != "completed"
        is_open = frame.event == QUESTION and frame.data["confirmation_id"] not in decided
        if is_open and not frame.data.get("more"):
            _tell_gate(workflow_id, frame.data)
            return False
    return False


def list_decided(cairn: Cairn, workflow_id: str) -> set[str]:
    """The gates of a workflow about which somebody has decided."""
    gates = cairn.read_workflow(workflow_id).gates
    return {gate.confirmation_id for gate in gates if gate.decision is not None}


def _tell_gate(workflow_id: str, asked: Mapping[str, Any]) -> None:
    gate = asked["tool"]
    say(f"It waits for a person at the gate {gate}: {asked['summary']}")
    say(f"  cairn workflow gate approve {workflow_id} {gate}")
    say(f"  cairn workflow gate reject {workflow_id} {gate} --reason …")


def _line_of(event: str, data: Mapping[str, Any]) -> str:
    """What a frame says, on a line; empty: nothing that people need."""
    match event:
        case "node":
            return f"{data['node']} ({data['iteration']})"
        case "draft" | "artifact":
            return f"  {event} {data['iteration']}: {data['artifact_hash'][:16]}"
        case "verdict":
            return f"  verdict: {data['verdict']}, {len(data['findings'])} findings. " + str(
                data["summary"]
            )
        case "validated":
            return "  " + ("; ".join(data["problems"]) or "The draft is sound.")
        case "tests":
            return f"  tests ended with {data['exit_code']}: {data['summary']}"
        case "halted":
            return f"  Halted ({data['reason']}): {data['message']}"
        case "refused":
            return f"  refused by {data['layer']}: {data['tool']} {data['argument']}"
        case "task":
            total = data["total"] or 1
            return f"task {data['index'] + 1}/{total}: {data['title']}"
        case "review":
            word = "approved" if data["approved"] else f"{len(data['issues'])} issues"
            return f"  review {data['iteration']}: {word}. {data['summary']}"
        case "committed":
            return f"  committed {data['sha'][:12]}"
        case "task_failed":
            return f"  task {data['index'] + 1} failed: {data['message']}"
        case "agent_event":
            tool = f" {data['tool_name']}" if data.get("tool_name") else ""
            return f"  {data['agent']}{tool}: {data['content']}"
        case "done":
            made = f", {data['artifact_hash'][:16]}" if data["artifact_hash"] else ""
            return f"{data['status']}{made}. {data['text']}"
        case "error":
            return f"{data['code']}: {data['message']}"
        case _:
            return ""
