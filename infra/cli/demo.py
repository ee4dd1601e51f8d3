"""`cairn demo`: the main job once, on a small example project or on material of one's own."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from infra.cli.bringing import Wish
from infra.cli.calls import Cairn
from infra.cli.context import connect, load, say
from infra.cli.ingest import summarise, watch_ingest
from infra.cli.up import say_console
from infra.client.models.projects import ProjectRequest
from infra.platform.settings import Settings
from infra.runtime import supervisor
from infra.runtime.local.http_address import read_address
from infra.runtime.local.process import wait_until
from schemas.inflection import count
from schemas.shortening import shorten

if TYPE_CHECKING:
    from infra.client.models.ledger_parts import Quote
    from infra.client.models.views_parts import Artifact

STATEMENTS_SHOWN, CITATIONS_SHOWN = 2, 2  # of each section, of each statement
SNIPPET_CHARS = 160
PATIENCE_S = 30.0  # with a writer of documents that is behind
WHY = "The meeting decided so after two weeks of the pilot, later than the requirement."


def register(app: typer.Typer) -> None:
    @app.command()
    def demo(
        path: str | None = typer.Argument(
            None, help="Folder, archive or git URL; without it a small example project."
        ),
        keep: bool = typer.Option(False, "--keep", help="Keep running what was started."),
    ) -> None:
        """Read a small example project, or PATH, and show what comes of it."""
        started_s = time.monotonic()
        settings = load()
        ran_before = settings.url is not None or supervisor.read_state(settings) is not None
        cairn = connect()
        try:
            project = Tour(settings, cairn).go() if path is None else run_demo(cairn, path)
            say(f"That took {time.monotonic() - started_s:.0f} s.")
            say(
                f"The whole PRD: {command_line(settings)} show prd --project {shlex.quote(project)}"
            )
        finally:
            if settings.url is not None:
                pass  # it is elsewhere, and of others
            elif keep or ran_before:
                say(f"Cairn goes on running; this stops it: {command_line(settings)} down")
                say_console(settings)
            else:
                supervisor.stop_running(settings)
                say("Cairn is stopped; its data stays, and any command starts it again.")
                say_how_to_open(settings)


def say_how_to_open(settings: Settings) -> None:
    """Print the command that opens the console on this data, and the address it will have."""
    address = f", at {url}/console" if (url := read_address(settings)) else ""
    say(f"The console, with all of it{address}: {command_line(settings)} up --detach")


def command_line(settings: Settings) -> str:
    """How a user's shell, whose path and environment may know nothing of us, runs `cairn` here."""
    return f"CAIRN_HOME={shlex.quote(str(settings.home))} {shlex.quote(sys.argv[0])}"


class Tour:
    """The example project from its sources to a changed sentence, command by command."""

    def __init__(self, settings: Settings, cairn: Cairn) -> None:
        from infra.example import NAME, copy_example

        self._settings, self._cairn, self._project_id = settings, cairn, ""
        self._example = copy_example(settings.home / "example")
        self._project = NAME

    def go(self) -> str:
        """Show all of it; the project's name."""
        from infra.example import QUESTION

        self._feed()
        step("What a product manager reads: every line with its place in the sources.")
        show_extract(self._cairn, self._project_id, self._prd())
        step("A question, answered from the documents.")
        run("chat", QUESTION, "--project", self._project)
        self._settle()
        self._change()
        return self._project

    def _feed(self) -> None:
        from infra.example import CHANNEL, SITE, TEAM

        step("Sources: a repository, tickets of Jira, a channel of Slack (all made up).")
        key = f"example|{self._settings.home}"
        made = self._cairn.create_project(ProjectRequest(name=self._project), key=key)
        self._project_id = made.project_id
        jira, slack = str(self._example.jira), str(self._example.slack)
        to = ("--project", self._project)
        run("connector", "import", "jira", jira, *to, "--site", SITE)
        run("connector", "import", "slack", slack, *to, "--channel", CHANNEL, "--team", TEAM)
        run("ingest", str(self._example.folder), *to, "--wait")

    def _settle(self) -> None:
        from infra.example import NEWER

        step("Two documents that cannot both be right, found by comparing what they say.")
        pairs = list(self._cairn.list_contradiction_pairs(self._project_id, status="open"))
        run("contradictions", "--project", self._project, "--cards")
        if not pairs:
            say("It was settled when this ran before: see `cairn decisions`.")
            return
        pair = pairs[0]
        newer = "--b-wins" if NEWER in (pair.title_b or "") else "--a-wins"
        step("A person decides, with a reason; the ledger keeps both.")
        known = self._prd().version
        run("resolve", pair.contradiction_id, newer, "-r", WHY)
        if not wait_until(lambda: self._prd().version > known, timeout_s=PATIENCE_S):
            say("The PRD is not written again yet; what follows tells of it as it stood.")

    def _change(self) -> None:
        document = self._example.change()
        step(f"Somebody changes one sentence of {document.relative_to(self._example.folder)}.")
        earlier = set(statements_of(self._prd()))
        run("ingest", str(self._example.folder), "--project", self._project, "--wait")
        after = self._prd()
        now = set(statements_of(after))
        for text in sorted(earlier - now):
            say(f"  - {text}")
        for text in sorted(now - earlier):
            say(f"  + {text}")
        same = count(len(now & earlier), "statement")
        say(f"The other {same} of the PRD stayed as they were.")
        changed = [
            statement
            for section in after.sections
            for statement in section.statements
            if statement.text in now - earlier
        ]
        if changed:
            step("Where that sentence comes from, and why it is so.")
            run("trace", "--why", changed[0].citations[0].atom_id)

    def _prd(self) -> Artifact:
        return read_prd(self._cairn, self._project_id)


def read_prd(cairn: Cairn, project_id: str) -> Artifact:
    found = cairn.read_view(project_id, "prd").prd
    assert found is not None, "a view of a PRD that is not there is refused"
    return found


def step(text: str) -> None:
    """Say what comes next."""
    say(f"\n== {text}")


def run(*line: str) -> None:
    """Run a command of `cairn` here, and show how somebody would type it."""
    from infra.cli import build

    say(f"$ cairn {shlex.join(line)}")
    build()(args=list(line), prog_name="cairn", standalone_mode=False)


def statements_of(prd: Artifact) -> list[str]:
    return [statement.text for section in prd.sections for statement in section.statements]


def run_demo(cairn: Cairn, source: str) -> str:
    """Ingests ``source`` into its demo project, prints the extract, returns the project's name.

    The project follows from the source, so that a second demo reads only what has changed.
    """
    place = str(Path(source).expanduser().resolve()) if Path(source).exists() else source
    name = place.rstrip("/").rpartition("/")[2].removesuffix(".git") or "root"
    project = f"demo {name}"
    made = cairn.create_project(ProjectRequest(name=project), key=f"demo|{place}")
    wish = Wish((source,), made.project_id, secrets.token_hex(16), wait=True)
    for watched in watch_ingest(cairn, wish):
        summarise(watched, waited=False)
    show_extract(cairn, made.project_id, read_prd(cairn, made.project_id))
    return project


def show_extract(cairn: Cairn, project_id: str, prd: Artifact) -> None:
    """The first statements of each section on standard output, each with where it stands."""
    out = Console(highlight=False, markup=False, soft_wrap=True)
    out.print(f"\n{prd.title} (version {prd.version}, {prd.artifact_state})")
    filled = [section for section in prd.sections if section.statements]
    for section in filled:
        out.print(f"\n{section.title}")
        for statement in section.statements[:STATEMENTS_SHOWN]:
            out.print(f"  - {statement.text}")
            atom_ids = [citation.atom_id for citation in statement.citations]
            for quote in list_quotes(cairn, project_id, atom_ids)[:CITATIONS_SHOWN]:
                cut = shorten(" ".join(quote.snippet.split()), SNIPPET_CHARS)
                out.print(f"      {quote.path}:{quote.line_start}  “{cut}”")
    told = sum(len(section.statements) for section in filled)
    shown = sum(len(section.statements[:STATEMENTS_SHOWN]) for section in filled)
    out.print(
        f"\nThat is {shown} of {count(told, 'statement')}, in {count(len(filled), 'section')}."
    )


def list_quotes(cairn: Cairn, project_id: str, atom_ids: list[str]) -> list[Quote]:
    """Where the atoms stand in the sources, by the order of the atoms, then of the places."""
    found: list[Quote] = []
    for atom_id in atom_ids[:CITATIONS_SHOWN]:
        quotes = cairn.read_atom(project_id, atom_id).evidence
        said = [quote for quote in quotes if not quote.stale and quote.path]
        found += sorted(said, key=lambda quote: (str(quote.path), quote.char_start))
    return found
