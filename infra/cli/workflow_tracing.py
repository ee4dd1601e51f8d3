"""`cairn workflow stale`: work that rests on statements which hold no more."""

from __future__ import annotations

import typer

from infra.cli.context import JSON_OPTION, OPTIONAL_PROJECT, connect
from infra.cli.output import as_lines, table


def register_tracing(workflow: typer.Typer) -> None:
    @workflow.command()
    def stale(project: str | None = OPTIONAL_PROJECT, as_json: bool = JSON_OPTION) -> None:
        """List workflows and commits whose statements were replaced, withdrawn or dismissed."""
        cairn = connect(start=False)
        runs = cairn.list_stale(project=None if project is None else cairn.project_of(project)).runs
        if as_json:
            as_lines(one.model_dump(mode="json") for one in runs)
            return
        rows = (
            (
                one.workflow_type,
                one.title,
                one.status,
                ", ".join(sha[:12] for sha in one.commits) or "–",
                f"{one.statement} ({one.statement_status})",
                one.workflow_id,
            )
            for one in runs
        )
        columns = ("type", "title", "status", "commits", "statement", "id")
        table(columns, rows, "Nothing rests on a statement that holds no more.")
