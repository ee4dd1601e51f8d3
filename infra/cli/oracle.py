"""`cairn oracle`: ask a strong model for advice on a problem, with files of a repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from infra.cli.calls import Cairn, look_until_there, told
from infra.cli.context import JSON_OPTION, KEY_OPTION, OPTIONAL_PROJECT, asking, connect, say
from infra.cli.output import as_lines, cell, table
from infra.client.models.development import NewConsultation
from infra.platform.errors import Refusal, Unavailable
from schemas.inflection import count

if TYPE_CHECKING:
    from infra.client.models.development import ConsultationState

ANSWERED_WITHIN_S = 600.0
ID = typer.Argument(metavar="ID", help="Id of the consultation.")

oracle = typer.Typer(no_args_is_help=True, help="Ask for advice when you or an agent is stuck.")


def register(app: typer.Typer) -> None:
    app.add_typer(oracle, name="oracle")


@oracle.command("ask")
def ask_oracle(
    problem: str = typer.Argument(metavar="PROBLEM", help="What is wrong or to be decided."),
    context: list[Path] | None = typer.Option(
        None, "--context", metavar="FILE", help="A file that it is about; again for more."
    ),
    repository: Path = typer.Option(
        Path("."), "--repository", metavar="DIR", help="The folder that the files are in."
    ),
    project: str | None = OPTIONAL_PROJECT,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Ask the oracle, and print its advice. Files with secrets are refused.

    With a project its budget pays.
    """
    cairn = connect()
    folder = repository.expanduser().absolute()
    files = [_name_in(folder, each.expanduser()) for each in context or ()]
    body = NewConsultation.model_construct(
        **told(
            problem=problem,
            repository=str(folder) if files else None,
            context_files=files or None,
            project=cairn.project_of(project) if project else None,
        )
    )
    with asking(idempotency_key) as key:
        begun = cairn.begin_consultation(body, key=key)
    _show(_await_end(cairn, begun), as_json=as_json)


@oracle.command("list")
def list_consultations(
    limit: int = typer.Option(20, min=1, max=1_000, help="How many at most."),
    as_json: bool = JSON_OPTION,
) -> None:
    """List what people and agents have asked, newest first."""
    found = connect().list_consultations().take(limit)
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    rows = (
        (cell(it.problem), it.asked_by, it.model, f"{it.created_at:%Y-%m-%d %H:%M}", it.id)
        for it in found
    )
    table(("problem", "asked by", "model", "at (UTC)", "id"), rows, "Nobody has asked.")


@oracle.command()
def show(consultation_id: str = ID, as_json: bool = JSON_OPTION) -> None:
    """Print the advice of a consultation."""
    _show(connect().read_consultation(consultation_id), as_json=as_json)


def _await_end(cairn: Cairn, begun: ConsultationState) -> ConsultationState:
    """Raises Unavailable."""

    def look() -> ConsultationState | None:
        state = cairn.read_consultation(begun.id)
        return None if state.status == "running" else state

    state = look_until_there(look, ANSWERED_WITHIN_S)
    if state is None:
        raise Unavailable(
            f"There is no advice after {ANSWERED_WITHIN_S:.0f} s; see `cairn oracle show"
            f" {begun.id}` later.",
            code="not_answered_yet",
        )
    return state


def _show(state: ConsultationState, *, as_json: bool) -> None:
    """Raises Refusal for one that has failed."""
    if as_json:
        as_lines([state.model_dump()])
    elif state.consultation is not None:
        print(state.consultation.advice)
        found = state.consultation
        files = f", {count(len(found.context_files), 'file')}" if found.context_files else ""
        say(f"{found.model}, {found.tokens:,} tokens{files}: {state.id}")
    elif state.status == "running":
        say("It is not answered yet.")
    if state.status == "failed":
        raise Refusal(f"The oracle has not answered: {state.error}", code="consultation_failed")


def _name_in(folder: Path, path: Path) -> str:
    """A file as named from here, or where none is here, from the folder."""
    is_inside = not path.exists() and (folder / path).exists()
    return os.path.relpath(folder / path if is_inside else path.absolute(), folder)
