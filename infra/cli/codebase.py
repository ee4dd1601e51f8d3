"""`cairn codebase`: what a repository holds that a draft is about; checks of drafts and plans."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import typer

from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines, cell, table
from infra.client.models.codebase import (
    ContextRequest,
    DraftCheck,
    DraftCheckRequest,
    PlanCheckRequest,
)
from infra.client.models.codebase_parts import DraftProblem
from schemas.inflection import count

DraftKind = Literal["issue", "design", "specification"]
FILE = typer.Argument(metavar="FILE.md", help="Markdown; - reads input.")
KIND = typer.Argument(metavar="KIND", help="issue, design or specification.")
REPOSITORY = typer.Option(
    None, "--repository", metavar="PATH", help="A folder of code: do the files exist there?"
)


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True, help="Read code for a draft; check drafts and plans by rules."
    )
    group.command()(context)
    group.command()(check)
    group.command()(repair)
    group.command()(plan)
    app.add_typer(group, name="codebase")


def context(
    path: str = typer.Argument(help="A folder of code, on the machine of the service."),
    draft: str = typer.Option(
        ..., "--for", metavar="FILE.md", help="A draft with a table of files to change."
    ),
    budget: int = typer.Option(60_000, min=1_000, max=1_000_000, help="Bytes at most."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Print what a writer of a draft needs to know of the code: summaries and similar files.

    The same code and draft give the same bytes. Secrets are taken out; secret files and what links
    lead to are never read.
    """
    cairn = connect()
    request = ContextRequest(path=cairn.place_of(path), draft=_read(draft), budget=budget)
    answer = cairn.read_code_context(request)
    if as_json:
        as_lines([answer.model_dump(mode="json")])
        return
    print(answer.text, end="")
    for it in answer.similar:
        say(f"Similar to {it.like or 'the draft'}: {it.path} ({it.score:.2f})")
    for left in answer.left_out:
        say(f"Not whole: {left.name} ({left.reason})")
    say(f"sha256 {answer.sha256}")


def check(
    kind: DraftKind = KIND,
    file: str = FILE,
    repository: str | None = REPOSITORY,
    as_json: bool = JSON_OPTION,
) -> None:
    """List what is wrong with a draft, by line (exit 1: something is). No model is asked.

    What `cairn codebase repair` mends is no problem.
    """
    answer = _check(kind, file, repository)
    if as_json:
        as_lines([answer.model_dump(mode="json", exclude={"repaired"})])
    else:
        _show(answer.problems)
        if answer.covered or answer.uncovered:
            whole = len(answer.covered) + len(answer.uncovered)
            say(f"{len(answer.covered)} of {count(whole, 'requirement')} in a scenario.")
        for it in answer.repairs:
            say(f"Mended before: {it}")
    if answer.problems:
        raise typer.Exit(1)


def repair(kind: DraftKind = KIND, file: str = FILE) -> None:
    """Print a draft with its form mended: headings, lists, tables, blanks. No word changes."""
    answer = _check(kind, file, None)
    print(answer.repaired, end="")
    for it in answer.repairs:
        say(it)


def plan(file: str = FILE, as_json: bool = JSON_OPTION) -> None:
    """Show goal, key files and tasks of a plan, and what is wrong with it (exit 1: something is).

    --json: with the text of each task as it is handed over.
    """
    answer = connect().check_plan(PlanCheckRequest(text=_read(file)))
    if as_json:
        as_lines([answer.model_dump(mode="json")])
    else:
        say(f"Goal: {answer.goal or 'none'}")
        say(f"Key files: {', '.join(answer.key_files) or 'none'}")
        rows = ([it.number, cell(it.title), str(it.line)] for it in answer.tasks)
        table(("task", "title", "line"), rows, "No tasks: the plan is one unit.")
        _show(answer.problems)
    if not answer.valid:
        raise typer.Exit(1)


def _check(kind: DraftKind, file: str, repository: str | None) -> DraftCheck:
    cairn = connect()
    place = None if repository is None else cairn.place_of(repository)
    return cairn.check_draft(DraftCheckRequest(kind=kind, text=_read(file), repository=place))


def _show(problems: list[DraftProblem]) -> None:
    rows = ([str(it.line or ""), it.code, it.message] for it in problems)
    table(("line", "code", "problem"), rows, "No problems.")


def _read(file: str) -> str:
    """The draft as text; bytes that are no UTF-8 are shown as such."""
    if file == "-":
        return sys.stdin.buffer.read().decode(errors="replace")
    try:
        return Path(file).read_bytes().decode(errors="replace")
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read.") from error
