"""`cairn workflow list, status, artifact, trajectory, metrics`: how workflows stand."""

from __future__ import annotations

import typer

from infra.cli.calls import Cairn, unchecked
from infra.cli.context import JSON_OPTION, OPTIONAL_PROJECT, connect, say
from infra.cli.output import answer, as_lines, cell, table
from infra.client.models.workflows import DevelopmentMetrics, Workflow
from infra.platform.errors import NotFound

ID = typer.Argument(metavar="ID", help="Id of the workflow.")
LIMIT = typer.Option(100, min=1, max=1_000, help="How many at most.")
APPROVED = "approved"


def register_reading(workflow: typer.Typer) -> None:
    _register_lists(workflow)
    _register_details(workflow)


def _register_lists(workflow: typer.Typer) -> None:
    @workflow.command("list")
    def list_(
        project: str | None = OPTIONAL_PROJECT,
        issue: int | None = typer.Option(None, "--issue", help="Only those about this issue."),
        chain: str | None = typer.Option(None, "--chain", help="Only stages of this chain."),
        workflow_type: str | None = typer.Option(None, "--type", help="Only those of this type."),
        limit: int = LIMIT,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List workflows, the newest first."""
        cairn = connect(start=False)
        found = cairn.list_workflows(
            project=None if project is None else cairn.project_of(project),
            thread=None if issue is None else f"issue-{issue}",
            chain=chain,
            workflow_type=unchecked(workflow_type),
        ).take(limit)
        if as_json:
            as_lines(one.model_dump() for one in found)
            return
        columns = ("type", "issue", "title", "status", "at", "tasks", "id")
        table(columns, map(_row_of, found), "No workflows.")

    @workflow.command()
    def metrics(project: str | None = OPTIONAL_PROJECT, as_json: bool = JSON_OPTION) -> None:
        """Show how good the development agents are, by run and by agent."""
        cairn = connect(start=False)
        known = cairn.read_agent_metrics(
            project=None if project is None else cairn.project_of(project)
        )
        if as_json:
            as_lines([known.model_dump()])
            return
        _show_metrics(known)


def _register_details(workflow: typer.Typer) -> None:
    @workflow.command()
    def status(workflow_id: str = ID, as_json: bool = JSON_OPTION) -> None:
        """Show how a workflow stands: steps, verdicts and gates."""
        show_workflow(connect(start=False), workflow_id, as_json=as_json)

    @workflow.command()
    def artifact(
        workflow_id: str = ID,
        draft: int | None = typer.Option(None, "--draft", help="A draft, by its number."),
    ) -> None:
        """Print what a workflow has come to, or one of its drafts, on standard output."""
        made = connect(start=False).list_workflow_artifacts(workflow_id).artifacts
        wanted = [
            one
            for one in made
            if (one.kind == APPROVED if draft is None else one.iteration == draft)
        ]
        if not wanted:
            raise NotFound(
                f"Workflow {workflow_id} has no such artifact.", code="artifact_not_approved"
            )
        print(wanted[-1].text, end="")

    @workflow.command()
    def trajectory(
        workflow_id: str = ID,
        agent: str | None = typer.Option(None, help="Only what this agent has done."),
        limit: int = LIMIT,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List what the coding agents of a workflow have thought, called and got back."""
        did = connect(start=False).list_trajectory(workflow_id, agent=agent).take(limit)
        if as_json:
            as_lines(one.model_dump() for one in did)
            return
        rows = ((one.seq, one.agent, one.type, one.tool_name, cell(one.content)) for one in did)
        table(("event", "agent", "type", "tool", "content"), rows, "No coding agent has run.")


def show_workflow(cairn: Cairn, workflow_id: str, *, as_json: bool) -> None:
    known = cairn.read_workflow(workflow_id)
    if as_json:
        as_lines([known.model_dump()])
        return
    run = known.workflow
    out = answer()
    out.print(f"{run.workflow_type} of issue {run.issue_number}: {run.title}", markup=False)
    progress = f", {run.tasks_committed} of {run.total_tasks} tasks" if run.total_tasks else ""
    why = f" ({run.halt_reason or run.error})" if run.halt_reason or run.error else ""
    out.print(f"{run.status}{why} at {run.node or 'its beginning'}{progress}", markup=False)
    if run.artifact_hash:
        out.print(f"artifact {run.artifact_hash}")
    table(
        ("verdict", "round", "findings", "reviewer", "draft", "summary"),
        (
            (
                one.verdict,
                one.iteration,
                len(one.findings),
                one.reviewer_family,
                one.artifact_hash[:16],
                cell(one.summary),
            )
            for one in known.verdicts
        ),
        "No verdict yet.",
    )
    for gate in known.gates:
        word = "open" if gate.is_open else f"{gate.decision} by {gate.decided_by or 'nobody'}"
        out.print(f"gate {gate.gate}: {word}. {cell(gate.summary)}", markup=False)
        if gate.is_open:
            say(f"Decide with `cairn workflow gate approve {workflow_id} {gate.gate}`, or reject.")


def _row_of(run: Workflow) -> tuple[object, ...]:
    tasks = f"{run.tasks_committed}/{run.total_tasks}" if run.total_tasks else None
    return (
        run.workflow_type,
        run.issue_number,
        cell(run.title),
        run.status,
        run.node or None,
        tasks,
        run.workflow_id,
    )


def _show_metrics(known: DevelopmentMetrics) -> None:
    table(
        ("type", "profile", "runs", "completed", "approvals", "revisions", "halts", "tasks"),
        (
            (
                one.workflow_type,
                one.profile or "–",
                one.runs,
                one.completed,
                one.approvals,
                one.revisions,
                one.halts,
                f"{one.tasks_committed}/{one.tasks_total}",
            )
            for one in known.runs
        ),
        "No workflows.",
    )
    table(
        ("agent", "profile", "calls", "failed", "tokens", "cost", "tools", "refused"),
        (
            (
                one.agent,
                one.profile or "–",
                one.calls,
                one.failed_calls,
                f"{one.input_tokens + one.output_tokens:,}",
                f"${one.cost_usd:.4f}",
                one.tool_calls,
                ", ".join(f"{layer} {n}" for layer, n in one.refusals.items()) or "–",
            )
            for one in known.agents
        ),
        "No calls.",
    )
