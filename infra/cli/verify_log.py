"""`cairn verify-log`: walk the topics and check what must hold of them."""

import asyncio
import json
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from infra.cli.context import JSON_OPTION, connect, console
from infra.cli.output import table
from infra.settings import Settings

if TYPE_CHECKING:
    from projections.verify import Report


def register(app: typer.Typer) -> None:
    @app.command("verify-log")
    def verify_log(as_json: bool = JSON_OPTION) -> None:
        """Check envelopes, schemas, ids, hashes, sequences, quotes, citations; 1 on any finding."""
        report = asyncio.run(walk(connect()))
        if as_json:
            print(json.dumps(asdict(report)))
        else:
            show(report)
        if report.findings:
            raise typer.Exit(1)


async def walk(settings: Settings) -> "Report":
    """The report on everything that the topics hold now."""
    from projections.log_reader import ends_of, stretch
    from projections.verify import Verifier
    from schemas.topics import TOPICS

    verifier = Verifier(settings.partitions)
    end = await ends_of(settings, [topic.name for topic in TOPICS])
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task, count = progress.add_task("Reading the log…"), 0
        async with aclosing(stretch(settings, {}, end)) as batches:
            async for records in batches:
                for record in records:
                    verifier.see(record)
                count += len(records)
                progress.update(task, description=f"{count:,} records checked…")
    return verifier.finish()


def show(report: "Report") -> None:
    table(("topic", "records"), report.counts.items(), "The log is empty.")
    notes: dict[str, int] = {}
    for note in report.notes:
        notes[note.code] = notes.get(note.code, 0) + 1
    for code, count in sorted(notes.items()):
        print(f"{code}: {count} (allowed)")
    if report.findings:
        table(
            ("finding", "record", "what"),
            (
                (each.code, f"{each.topic}/{each.partition}@{each.offset}", each.detail)
                for each in report.findings
            ),
        )
    else:
        print("Nothing is wrong with the log.")
