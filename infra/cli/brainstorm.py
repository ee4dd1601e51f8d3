"""`cairn brainstorm`: turn an idea into a design, in questions and answers that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from infra.cli.calls import Cairn, look_until_there, told
from infra.cli.context import JSON_OPTION, KEY_OPTION, OPTIONAL_PROJECT, asking, connect, say
from infra.cli.output import as_lines, cell, table
from infra.client.models.development import BrainstormText, Handoff, NewBrainstorm
from infra.platform.errors import Refusal, Unavailable

if TYPE_CHECKING:
    from infra.client.models.development import BrainstormState

ANSWERED_WITHIN_S = 600.0
ID = typer.Argument(metavar="ID", help="Id of the session.")

brainstorm = typer.Typer(
    no_args_is_help=True,
    help="Turn an idea into a design document, in questions and answers.",
)


def register(app: typer.Typer) -> None:
    app.add_typer(brainstorm, name="brainstorm")


@brainstorm.command()
def start(
    idea: str = typer.Argument(metavar="IDEA", help="What it is about, in your own words."),
    project: str | None = OPTIONAL_PROJECT,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Begin a session, and print its id and the first answer. With a project its budget pays."""
    cairn = connect()
    project_id = cairn.project_of(project) if project else None
    body = NewBrainstorm.model_construct(**told(message=idea, project=project_id))
    with asking(idempotency_key) as key:
        begun = cairn.begin_brainstorm(body, key=key)
    if not as_json:
        say(f"Session {begun.id}")
    _show_answer(_await_answers(cairn, begun), as_json=as_json)


@brainstorm.command("say")
def say_(
    brainstorm_id: str = ID,
    text: str = typer.Argument(metavar="TEXT", help="An answer, a question or a wish."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Write to the brainstormer, and print its answer."""
    cairn = connect()
    body = BrainstormText.model_construct(message=text)
    with asking(idempotency_key) as key:
        begun = cairn.add_brainstorm_message(brainstorm_id, body, key=key)
    _show_answer(_await_answers(cairn, begun), as_json=as_json)


@brainstorm.command("list")
def list_sessions(
    limit: int = typer.Option(20, min=1, max=1_000, help="How many at most."),
    as_json: bool = JSON_OPTION,
) -> None:
    """List sessions, newest first."""
    found = connect().list_brainstorms().take(limit)
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    columns = ("idea", "messages", "design", "handed on", "started (UTC)", "id")
    rows = (
        (
            cell(it.title),
            it.messages,
            it.design,
            f"{it.handed_off_at:%Y-%m-%d %H:%M}" if it.handed_off_at else None,
            f"{it.started_at:%Y-%m-%d %H:%M}",
            it.id,
        )
        for it in found
    )
    table(columns, rows, "No sessions.")


@brainstorm.command()
def show(
    brainstorm_id: str = ID,
    design: bool = typer.Option(False, "--design", help="The design document alone."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Print a session, or its design document."""
    state = connect().read_brainstorm(brainstorm_id)
    if as_json:
        as_lines([state.model_dump()])
        return
    if design:
        if state.design is None:
            raise Refusal("This session has no design document yet.", code="no_design")
        print(state.design.markdown)
        return
    for message in state.messages:
        who = message.author or "you" if message.role == "person" else "brainstormer"
        print(f"{who}: {message.text}\n")
    for waiting in state.pending:
        say(f"Not answered ({waiting.error or 'in work'}): {cell(waiting.text)}")
    if state.design is not None:
        say(f"Design: {state.design.file_name} (show it with --design)")


@brainstorm.command()
def handoff(
    brainstorm_id: str = ID,
    start_: str | None = typer.Option(
        None, "--start", metavar="TYPE", help="Begin this workflow with the design, or `delivery`."
    ),
    issue: int = typer.Option(1, "--issue", min=1, help="Number of the issue it is about."),
    repository: Path | None = typer.Option(
        None, "--repository", metavar="DIR", help="The checkout that it works on."
    ),
    profile: str | None = typer.Option(None, "--profile", help="Else the one that is used."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Hand the design on, and print it; with --start a workflow begins with it."""
    cairn = connect()
    body = Handoff.model_construct(
        **told(
            workflow_type=start_,
            issue=issue if start_ else None,
            repository=str(repository.expanduser().absolute()) if repository else None,
            profile=profile,
        )
    )
    with asking(idempotency_key) as key:
        handed = cairn.hand_off_brainstorm(brainstorm_id, body, key=key)
    if as_json:
        as_lines([handed.model_dump()])
        return
    print(handed.design)
    say(f"{handed.file_name} is handed on (SHA-256 {handed.design_hash}).")
    if handed.workflow_id:
        say(f"Workflow {handed.workflow_id} begins with it.")


def _await_answers(cairn: Cairn, begun: BrainstormState) -> BrainstormState:
    """The session when nothing of it is under way. Raises Unavailable."""

    def look() -> BrainstormState | None:
        state = cairn.read_brainstorm(begun.id)
        return None if any(it.status == "running" for it in state.pending) else state

    state = look_until_there(look, ANSWERED_WITHIN_S)
    if state is None:
        raise Unavailable(
            f"There is no answer after {ANSWERED_WITHIN_S:.0f} s; see `cairn brainstorm show"
            f" {begun.id}` later.",
            code="not_answered_yet",
        )
    return state


def _show_answer(state: BrainstormState, *, as_json: bool) -> None:
    """Raises Refusal where the last message has no answer."""
    if as_json:
        as_lines([state.model_dump()])
    elif not state.pending and state.messages:
        print(state.messages[-1].text)
        if state.design is not None:
            say(f"Design: {state.design.file_name} (`cairn brainstorm show {state.id} --design`)")
    if state.pending:
        error = state.pending[-1].error
        raise Refusal(f"The brainstormer has not answered: {error}", code="brainstorm_failed")
