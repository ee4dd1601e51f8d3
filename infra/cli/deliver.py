"""`cairn deliver`: a plan, its tasks one by one, each reviewed before it is committed."""

from __future__ import annotations

import typer

from infra.cli.context import JSON_OPTION, KEY_OPTION, OPTIONAL_PROJECT, asking, connect, say
from infra.cli.output import as_lines, cell, table
from infra.cli.workflow import ISSUE, ITEM, PROFILE, TEXT, TITLE, WAIT, read_text, tell_begun
from infra.client.models.workflows import WorkflowStart
from infra.client.models.workflows_parts import RunSettings

ID = typer.Argument(metavar="ID", help="Id of the delivery.")
REPOSITORY = typer.Option(..., "--repository", metavar="DIR", help="The code, a Git repository.")


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Deliver an issue: a plan that you approve, then a reviewed commit for each task.",
    )
    group.command()(run)
    group.command()(status)
    app.add_typer(group, name="deliver")


def run(
    issue: int = ISSUE,
    title: str = TITLE,
    text: str = TEXT,
    repository: str = REPOSITORY,
    project: str | None = OPTIONAL_PROJECT,
    item: str = ITEM,
    profile: str = PROFILE,
    plan: str = typer.Option(
        "", "--plan", metavar="FILE", help="A plan of your own, in place of the architect's."
    ),
    input_workflow: str = typer.Option(
        "", "--input", metavar="ID", help="A completed workflow whose design it starts from."
    ),
    max_reviews: int = typer.Option(3, min=1, max=20, help="How many reviews of a task at most."),
    passes: int = typer.Option(1, min=1, max=20, help="How many approvals a task needs."),
    wait: bool = WAIT,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Begin a delivery and follow it up to its end or to a question; print its id.

    Your working tree is not touched: commits go to a branch of their own.
    """
    cairn = connect()
    body = WorkflowStart.model_construct(
        workflow_type="delivery",
        issue=issue,
        title=title,
        text=read_text(text),
        project="" if project is None else cairn.project_of(project),
        item=item,
        repository=cairn.place_of(repository),
        profile=profile,
        input_workflow=input_workflow,
        input_text=read_text(plan),
        settings=RunSettings.model_construct(
            max_review_iterations=max_reviews, max_review_passes=passes
        ),
    )
    with asking(idempotency_key) as key:
        begun = cairn.start_workflow(body, key=key)
    tell_begun(cairn, begun, wait=wait, as_json=as_json)


def status(workflow_id: str = ID, as_json: bool = JSON_OPTION) -> None:
    """Show a delivery task by task: reviews, issues and commits."""
    cairn = connect(start=False)
    one = cairn.read_workflow(workflow_id).workflow
    known = cairn.read_workflow_tasks(workflow_id)
    if as_json:
        as_lines([known.model_dump(mode="json")])
        return
    of = "" if one.total_tasks is None else f" of {one.total_tasks}"
    done = sum(1 for task in known.tasks if task.sha)
    say(f"{one.title}: {one.status}, {done}{of} tasks committed. {one.text}".rstrip())
    rows = (
        (
            task.index + 1,
            cell(task.title),
            sum(1 for review in known.reviews if review.task_index == task.index),
            sum(1 for found in known.issues if found.task_index == task.index),
            (task.sha or "")[:12] or task.failure or "under way",
            task.branch or "",
        )
        for task in known.tasks
    )
    table(("task", "title", "reviews", "issues", "commit", "branch"), rows, "No task has begun.")
