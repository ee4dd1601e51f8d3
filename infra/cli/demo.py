"""`cairn demo`: the main job once, on real material: what Cairn is for, in one command."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from infra import supervisor
from infra.cli import service
from infra.cli.context import connect, load, login_name, say
from infra.cli.ingest import summarise, watch_ingest
from infra.cli.project import quiet_clients
from infra.cli.up import say_console
from infra.settings import Settings
from schemas.inflection import count
from schemas.shortening import shorten

if TYPE_CHECKING:
    from projections.read.artifacts import Artifact

STATEMENTS_SHOWN, CITATIONS_SHOWN = 2, 2  # of each section, of each statement
SNIPPET_CHARS = 160
OWN_REPOSITORY = Path(__file__).resolve().parents[2]


def register(app: typer.Typer) -> None:
    @app.command()
    def demo(
        path: str = typer.Argument(
            str(OWN_REPOSITORY), help="Folder, archive or git URL.", show_default="Cairn itself"
        ),
        keep: bool = typer.Option(False, "--keep", help="Keep running what was started."),
    ) -> None:
        """Read PATH into a ledger and show an extract of the PRD made from it."""
        started_s = time.monotonic()
        ran_before = supervisor.read_state(load()) is not None
        settings = connect()
        try:
            project = run_demo(settings, path)
            say(f"That took {time.monotonic() - started_s:.0f} s.")
            say(
                f"The whole PRD: {command_line(settings)} show prd --project {shlex.quote(project)}"
            )
        finally:
            if keep or ran_before:
                say(f"Cairn goes on running; this stops it: {command_line(settings)} down")
                say_console(settings)
            else:
                supervisor.stop_running(settings)
                say("Cairn is stopped; its data stays, and any command starts it again.")
                say_how_to_open(settings)


def say_how_to_open(settings: Settings) -> None:
    """Print the command that opens the console on this data, and the address it will have."""
    address = f", at {url}/console" if (url := service.read_address(settings)) else ""
    say(f"The console, with all of it{address}: {command_line(settings)} up --detach")


def command_line(settings: Settings) -> str:
    """How a user's shell, whose path and environment may know nothing of us, runs `cairn` here."""
    return f"CAIRN_HOME={shlex.quote(str(settings.home))} {shlex.quote(sys.argv[0])}"


def run_demo(settings: Settings, source: str) -> str:
    """Ingests ``source`` into its demo project, prints the extract, returns the project's name.

    The project follows from the source, so that a second demo reads only what has changed.
    """
    from projections.read import artifacts, session

    place = str(Path(source).expanduser().resolve()) if Path(source).exists() else source
    name = place.rstrip("/").rpartition("/")[2].removesuffix(".git") or "root"
    project = f"demo {name}"
    quiet_clients()
    actor = login_name()
    created = asyncio.run(
        service.create_project(settings, project, actor=actor, key=f"demo|{place}")
    )
    for watched in watch_ingest(
        settings, service.IngestRequest((source,), project, actor, wait=True)
    ):
        summarise(watched, waited=False)
    with session.reading(settings.conninfo) as connection:
        prd = artifacts.artifact(connection, created.project_id, "prd")
        show_extract(connection, prd)
    return project


def show_extract(connection: Any, prd: Artifact) -> None:
    """The first statements of each section on standard output, each with where it stands."""
    out = Console(highlight=False, markup=False, soft_wrap=True)
    out.print(f"\n{prd.title} (version {prd.version}, {prd.artifact_state})")
    filled = [section for section in prd.sections if section.statements]
    for section in filled:
        out.print(f"\n{section.title}")
        for statement in section.statements[:STATEMENTS_SHOWN]:
            out.print(f"  - {statement.text}")
            atom_ids = [citation.atom_id for citation in statement.citations]
            for row in quotes(connection, atom_ids)[:CITATIONS_SHOWN]:
                cut = shorten(" ".join(row["snippet"].split()), SNIPPET_CHARS)
                out.print(f"      {row['path']}:{row['line_start']}  “{cut}”")
    told = sum(len(section.statements) for section in filled)
    shown = sum(len(section.statements[:STATEMENTS_SHOWN]) for section in filled)
    out.print(
        f"\nThat is {shown} of {count(told, 'statement')}, in {count(len(filled), 'section')}."
    )


def quotes(connection: Any, atom_ids: list[str]) -> list[dict[str, Any]]:
    """Where the atoms stand in the sources, by the order of the atoms, then of the places."""
    from projections.read import session

    return session.rows(
        connection,
        "SELECT s.path, e.line_start, e.snippet FROM ledger_evidence e JOIN sources s"
        " USING (source_id) WHERE e.atom_id = ANY(%s) AND NOT e.stale"
        " ORDER BY array_position(%s::text[], e.atom_id), s.path, e.char_start",
        *(atom_ids, atom_ids),
    )
