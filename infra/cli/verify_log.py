"""`cairn verify-log`: walk the topics and check what must hold of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from infra.cli.context import JSON_OPTION, console, locate
from infra.cli.output import table

if TYPE_CHECKING:
    from infra.platform.findings import Finding
    from projections.verify import Report


def register(app: typer.Typer) -> None:
    @app.command("verify-log")
    def verify_log(as_json: bool = JSON_OPTION) -> None:
        """Check the log: places, schemas, ids, hashes, sequences, quotes, citations.

        Each finding has its place and what to do about it; any finding exits 1.
        """
        from infra.service.upkeep import audit

        settings = locate(start=True)
        with show_records("checked") as tell:
            report = asyncio.run(audit.verify_log(settings, tell))
        if as_json:
            print(json.dumps(report.as_object()))
        else:
            show(report)
        if report.findings:
            raise typer.Exit(1)


@contextmanager
def show_records(done: str) -> Iterator[Callable[[int], None]]:
    """A line that says how many records were read so far; ``done`` is what became of them."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("Reading the log…")
        yield lambda count: progress.update(task, description=f"{count:,} records {done}…")


def show(report: Report) -> None:
    table(("topic", "records"), report.counts.items(), "The log is empty.")
    notes: dict[str, int] = {}
    for note in report.notes:
        notes[note.code] = notes.get(note.code, 0) + 1
    for code, count in sorted(notes.items()):
        print(f"{code}: {count} (allowed)")
    if report.findings:
        show_findings(report.findings)
    else:
        print("Nothing is wrong with the log.")


def show_findings(findings: Sequence[Finding]) -> None:
    """Each with its place, and what to do about each kind."""
    table(
        ("finding", "record", "what"),
        ((each.code, each.where, each.detail) for each in findings),
    )
    for code, remedy in sorted({(each.code, each.remedy) for each in findings}):
        print(f"{code}: {remedy}.")
