"""`cairn workflow`: governed workflows, from an idea to code, reviewed at each stage."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from infra.cli.calls import Cairn, unchecked
from infra.cli.context import JSON_OPTION, KEY_OPTION, OPTIONAL_PROJECT, asking, connect
from infra.cli.following_workflows import follow_workflow
from infra.cli.workflow_gates import register_gates
from infra.cli.workflow_reading import register_reading, show_workflow
from infra.cli.workflow_tracing import register_tracing
from infra.client.models.workflows import (
    ChainStart,
    QueuedWorkflow,
    WorkflowStart,
)
from infra.client.models.workflows_parts import RunSettings

ISSUE = typer.Option(..., "--issue", min=1, metavar="N", help="The number of the issue.")
TITLE = typer.Option("", "--title", help="What it is about, in a line.")
TEXT = typer.Option("", "--text", metavar="FILE", help="A file with the issue's text; - reads it.")
ITEM = typer.Option("", "--item", help="A feature or task of the project to start from.")
REPOSITORY = typer.Option("", "--repository", metavar="DIR", help="The code, a Git repository.")
PROFILE = typer.Option("", "--profile", help="The name of a profile.")
GATE = typer.Option([], "--gate", help="Wait for a person there: draft, verdict (repeatable).")
MOST = typer.Option(5, "--max-iterations", min=1, max=20, help="How many verdicts at most.")
NO_REVIEW = typer.Option(False, "--no-review", help="Skip the optional review of an issue.")
WAIT = typer.Option(True, "--wait/--no-wait", help="Follow it up to its end or a gate.")

workflow = typer.Typer(
    no_args_is_help=True, help="Governed workflows: from an idea to code, reviewed at each stage."
)


def register(app: typer.Typer) -> None:
    app.add_typer(workflow, name="workflow")
    register_gates(workflow)
    register_reading(workflow)
    register_tracing(workflow)


@workflow.command()
def run(
    workflow_type: str = typer.Argument(
        metavar="TYPE",
        help="issue, requirements, implementation_spec, tdd_implementation or scout.",
    ),
    issue: int = ISSUE,
    title: str = TITLE,
    text: str = TEXT,
    project: str | None = OPTIONAL_PROJECT,
    item: str = ITEM,
    repository: str = REPOSITORY,
    profile: str = PROFILE,
    input_workflow: str = typer.Option(
        "", "--input", metavar="ID", help="A completed workflow whose artifact it starts from."
    ),
    input_text: str = typer.Option(
        "", "--input-text", metavar="FILE", help="A file to start from in its place; - reads it."
    ),
    gate: list[str] = GATE,
    max_iterations: int = MOST,
    no_review: bool = NO_REVIEW,
    wait: bool = WAIT,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Begin a workflow and follow it up to its end or to a gate; print its id."""
    cairn = connect()
    body = WorkflowStart.model_construct(
        workflow_type=unchecked(workflow_type),
        input_workflow=input_workflow,
        input_text=read_text(input_text),
        **_about(cairn, issue, title, text, project, item, repository, profile),
        settings=_settings(gate, max_iterations, no_review),
    )
    with asking(idempotency_key) as key:
        begun = cairn.start_workflow(body, key=key)
    tell_begun(cairn, begun, wait=wait, as_json=as_json)


@workflow.command()
def chain(
    issue: int = ISSUE,
    title: str = TITLE,
    text: str = TEXT,
    first: str = typer.Option("issue", "--from", metavar="TYPE", help="The first stage."),
    last: str = typer.Option("tdd_implementation", "--to", metavar="TYPE", help="The last one."),
    project: str | None = OPTIONAL_PROJECT,
    item: str = ITEM,
    repository: str = REPOSITORY,
    profile: str = PROFILE,
    gate: list[str] = GATE,
    max_iterations: int = MOST,
    no_review: bool = NO_REVIEW,
    wait: bool = WAIT,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Begin the first stage of a chain; each stage starts from what the one before has come to."""
    cairn = connect()
    body = ChainStart.model_construct(
        first=unchecked(first),
        last=unchecked(last),
        **_about(cairn, issue, title, text, project, item, repository, profile),
        settings=_settings(gate, max_iterations, no_review),
    )
    with asking(idempotency_key) as key:
        begun = cairn.start_chain(body, key=key)
    tell_begun(cairn, begun, wait=wait, as_json=as_json)


def tell_begun(cairn: Cairn, begun: QueuedWorkflow, *, wait: bool, as_json: bool) -> None:
    """Print the id, follow the workflow where that is wanted, and exit 1 where it has failed."""
    if not as_json:
        print(begun.workflow_id)
    has_failed = wait and follow_workflow(cairn, begun.workflow_id, is_quiet=as_json)
    if as_json:
        show_workflow(cairn, begun.workflow_id, as_json=True)
    if has_failed:
        raise typer.Exit(1)


def read_text(file: str) -> str:
    """What a file holds, or standard input for ``-``. Raises typer.BadParameter."""
    if not file:
        return ""
    try:
        return sys.stdin.read() if file == "-" else Path(file).expanduser().read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read as text: {error}") from error


def _about(
    cairn: Cairn,
    issue: int,
    title: str,
    text: str,
    project: str | None,
    item: str,
    repository: str,
    profile: str,
) -> dict[str, Any]:
    return {
        "issue": issue,
        "title": title,
        "text": read_text(text),
        "project": "" if project is None else cairn.project_of(project),
        "item": item,
        "repository": cairn.place_of(repository) if repository else "",
        "profile": profile,
    }


def _settings(gates: list[str], max_iterations: int, no_review: bool) -> RunSettings:
    return RunSettings.model_construct(
        gates=unchecked(gates), max_iterations=max_iterations, is_reviewed=not no_review
    )
