"""`cairn verify-log`: walk the topics and check what must hold of them."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from infra.cli.context import JSON_OPTION, connect, console
from infra.cli.output import table
from infra.findings import Finding, forget
from infra.settings import Settings

if TYPE_CHECKING:
    from projections.verify import Report


def register(app: typer.Typer) -> None:
    @app.command("verify-log")
    def verify_log(as_json: bool = JSON_OPTION) -> None:
        """Check places, envelopes, schemas, ids, hashes, sequences, quotes, citations.

        Each finding is told with its place and what to do; any finding makes the exit code 1.
        """
        settings = connect()
        report = asyncio.run(walk(settings))
        if not report.findings:
            forget(settings)
        if as_json:
            print(json.dumps(report.told()))
        else:
            show(report)
        if report.findings:
            raise typer.Exit(1)


async def walk(settings: Settings) -> "Report":
    """The report on everything that the topics hold now."""
    from projections.core import CORE
    from projections.damage import damage
    from projections.log_reader import ends_of, stretch
    from projections.verify import Verifier
    from schemas.topics import TOPICS

    verifier = Verifier(settings.partitions)
    end = await ends_of(settings, [topic.name for topic in TOPICS])
    for finding in await damage([CORE], settings):
        verifier.add(finding)
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task, count = progress.add_task("Reading the log…"), 0
        async with aclosing(stretch(settings, {}, end, verifier.add)) as batches:
            async for records in batches:
                for record in records:
                    verifier.see(record)
                count += len(records)
                progress.update(task, description=f"{count:,} records checked…")
    return verifier.finish(lambda each: each.of(settings))


def show(report: "Report") -> None:
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
