"""The trailers of a commit: the run that has made it, and what that rests on."""

from __future__ import annotations

from schemas.events.workflow import WorkflowOrigin

WORKFLOW, TASK = "Cairn-Workflow", "Cairn-Task"


def list_trailers(run_id: str, origin: WorkflowOrigin) -> list[str]:
    """Lines ``Name: value``; the ids of the ledger are those that the run started from."""
    lines = [f"{WORKFLOW}: {run_id}"]
    lines += [f"Cairn-Feature: {origin.feature_id}"] if origin.feature_id else []
    lines += [f"Cairn-Item: {origin.task_id}"] if origin.task_id else []
    return [*lines, *(f"Cairn-Atom: {one}" for one in origin.atom_ids)]
