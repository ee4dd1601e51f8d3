"""`cairn ingest`: read sources into a project, and show how far that is.

Interrupted at any moment, the command says by which key it can be continued.
"""

from __future__ import annotations

import math
import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import typer

from connectors.connector import LOSSES, OF_READ_FILES
from infra.cli.bringing import Brought, Listed, Milestone, Step, Wish, bring
from infra.cli.calls import Cairn
from infra.cli.context import (
    JSON_OPTION,
    KEY_OPTION,
    PROJECT_OPTION,
    connect,
    console,
    explain_wrong_use,
    resumable,
    say,
)
from infra.cli.output import as_lines
from infra.cli.progress import Board, Stage
from schemas.events.ingestion_request import CoverageTarget, Engine
from schemas.inflection import count
from schemas.model_reading import describe_owed

if TYPE_CHECKING:
    from infra.client.models.runs import Run

Lane = Literal["preview", "deep", "both"]
SHOWN_NOTICES = 5
NOTICE_WORDS = {
    "link": "links are not followed",
    "special_file": "special files are not read",
    "submodule": "submodules are repositories of their own",
    "unreadable": "files cannot be read",
    "unreadable_folder": "folders cannot be read",
    "unsafe_name": "names are unsafe and their content is not read",
    "escaped_name": "names are shown with escapes",
    "duplicate_name": "names occur more than once, the last one counts",
    "encrypted": "members are encrypted and cannot be read",
    "sparse": "sparse members cannot be read",
    "mac_metadata": "files hold only what macOS keeps beside others",
    "untracked": "files or folders are not tracked by git",
    "ignored": "files or folders are ignored by git",
    "outside_checkout": "files are read from git, outside of the sparse checkout",
}
MILESTONES = {  # what each one times, and the command that shows it
    "first_atom_ms": ("atom", "atoms"),
    "prd_v0_ms": ("PRD", "show prd"),
    "features_v0_ms": ("features", "show features"),
}


def register(app: typer.Typer) -> None:
    @app.command()
    def ingest(
        source: list[str] = typer.Argument(
            help="Folder, file, archive, git URL, github:owner/repo."
        ),
        project: str = PROJECT_OPTION,
        lane: Lane = typer.Option("both", help="preview: fast and small; deep: thorough."),
        as_name: str | None = typer.Option(
            None, "--as", help="Name of the root (default: of the source)."
        ),
        accept_removals: bool = typer.Option(
            False,
            "--accept-removals",
            help="Remove missing sources even above the safety threshold.",
        ),
        any_folder: bool = typer.Option(
            False, "--allow-any-folder", help="Read a system folder or a whole home folder too."
        ),
        target: CoverageTarget = typer.Option(
            "best_effort",
            help="The deep run covers tier 1, tiers 1 and 2 (mandatory), or all.",
        ),
        limit: list[str] = typer.Option(
            [], help="A limit for the runs, as NAME=VALUE (repeatable)."
        ),
        engine: Engine | None = typer.Option(
            None, help="Who reads: model (default where one is configured) or heuristic."
        ),
        wait: bool = typer.Option(False, "--wait", help="Return when all results can be read."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Read sources into a project's ledger."""
        if as_name is not None and len(source) > 1:
            raise typer.BadParameter("--as names one root: give one SOURCE with it.")
        limits = limits_of(limit)
        how = {
            "lane": lane,
            "target": target,
            "limits": limits or None,
            "engine": engine,
            "accept_removals": accept_removals or None,
        }
        cairn = connect()
        with resumable(idempotency_key) as key:
            wish = Wish(tuple(source), project, key, as_name, any_folder, wait, how)
            ingested = watch_ingest(cairn, wish)
        for one in ingested:
            if as_json:
                as_lines([one.result.as_object() | {"rates": one.rates}])
            else:
                summarise(one, waited=wait)
        if any(one.result.failed or one.result.blocked_removals for one in ingested):
            raise typer.Exit(1)


def limits_of(given: list[str]) -> dict[str, float]:
    """The limits of runs as asked for. Raises typer.BadParameter for what is no number."""
    limits: dict[str, float] = {}
    for pair in given:
        name, _, value = pair.partition("=")
        try:
            limits[name] = float(value)
        except ValueError:
            limits[name] = math.nan
        if not math.isfinite(limits[name]):
            raise typer.BadParameter(f"{pair!r} is not of the form NAME=NUMBER.")
    return limits


@dataclass(frozen=True, slots=True)
class Watched:
    """What became of a source, and how many of each stage were done in a second."""

    result: Brought
    rates: dict[str, float]


def watch_ingest(cairn: Cairn, wish: Wish) -> list[Watched]:
    """Ingest, and show progress on standard error. Raises as `bring`."""
    ingested: dict[str, Watched] = {}
    with ExitStack() as shown, explain_wrong_use():
        board = Board(console)

        def tell(step: Step) -> None:
            nonlocal board
            match step:
                case Listed():
                    shown.close()
                    tell_notices(step)
                    board = shown.enter_context(Board(console))
                case Brought():
                    board.update(stages_of(step))
                    ingested[step.status.trigger_key] = Watched(step, board.rates())
                case Milestone():
                    say(milestone_line(step, wish.project))
                case str():
                    say(step)

        bring(cairn, wish, tell)
    return list(ingested.values())


def stages_of(step: Brought) -> list[Stage]:
    """The rows of the board: what was sent, then what the tables show of it."""
    tables, feed = step.status, step.status.feed
    assert feed is not None, "it is recorded"
    fed = feed.fed + feed.unchanged + feed.already_processed
    stages = [
        Stage("fed", fed, feed.listed, f"{feed.unchanged:,} unchanged" if feed.unchanged else "")
    ]
    if not step.is_awaited:
        return stages
    lanes = ", ".join(f"{run['lane']} {run['stop_reason'] or run['status']}" for run in tables.runs)
    return [
        *stages,
        Stage("ready", tables.ready, tables.listed, f"{tables.skipped:,} skipped"),
        Stage("chunks read", tables.chunks_done, tables.chunks_total),
        Stage("atoms", tables.atoms, None, lanes),
        Stage("PRD version", tables.prd_version, None, timed=False),
    ]


def first_of(milestone: str) -> str:
    """The beginning of the line that says that a milestone is reached."""
    return f"First {MILESTONES[milestone][0]} after"


def milestone_line(step: Milestone, project: str) -> str:
    _, command = MILESTONES[step.name]
    after = f"{first_of(step.name)} {step.after_ms / 1000:.1f} s"
    return f"{after}: `cairn {command} --project {shlex.quote(project)}`."


def tell_notices(listed: Listed) -> None:
    """What is at the source and will not be read, first of all what is lost by it."""
    for code, number in sorted(listed.counts.items(), key=lambda pair: pair[0] not in LOSSES):
        paths = [one.path for one in listed.first if one.code == code]
        shown = ", ".join(paths[:SHOWN_NOTICES]) + (", …" if number > SHOWN_NOTICES else "")
        warns = "Warning: " if code in LOSSES else ""
        say(f"{warns}{number:,} {NOTICE_WORDS[code]}: {shown}")
    if "unreadable_folder" in listed.counts:
        say("The listing is incomplete, so no source is removed this time.")


def summarise(watched: Watched, *, waited: bool) -> None:
    """What became of a source, in a few lines for people."""
    result, rates = watched.result, watched.rates
    status, feed, named = result.status, result.status.feed, shlex.quote(result.project)
    assert feed is not None, "it is recorded"
    counts = f"{feed.listed:,} listed, {feed.fed:,} fed ({feed.bytes_fed / 1e6:,.1f} MB)"
    if feed.unchanged:
        counts += f", {feed.unchanged:,} unchanged"
    if feed.already_processed:
        counts += f", {feed.already_processed:,} answered before"
    say(f"{status.root}: {counts}.")
    for sentence in feed.unreadable:
        say(f"Warning: {sentence}")
    if not result.is_awaited:
        say(f"Reading continues: `cairn runs --project {named}` shows the progress.")
        return
    reasons = ", ".join(f"{name} {count:,}" for name, count in status.skip_reasons.items())
    say(f"Skipped: {status.skipped:,}" + (f" ({reasons})." if reasons else "."))
    if status.skipped or result.notices.keys() - OF_READ_FILES:
        say(f"`cairn sources --skipped --project {named}` lists each with its reason.")
    say(
        f"Chunks read: {status.chunks_done:,} of {status.chunks_total:,}"
        f" ({rates.get('chunks read', 0):,.0f}/s); new atoms: {status.atoms:,};"
        f" PRD version {status.prd_version}."
    )
    for sentence in status.undecided:
        say(sentence)
    if status.atoms_beyond_limit:
        said = count(status.atoms_beyond_limit, "statement", "statements")
        say(
            f"Warning: {said} left out, because their chunks hold too many: `cairn rejections"
            f" --code beyond_chunk_limit --project {named}` lists each."
        )
    if owed := describe_owed(status.by_rules):
        say(f"Warning: {owed}. A later ingest, or `cairn runs resume`, has the model read them.")
        say(f"`cairn sources --skipped --project {named}` says which.")
    for run in result.runs:
        say(_run_line(run))
    for run in result.blocked_removals:
        say(
            f"{count(run.removals_held, 'source is', 'sources are')} gone from {status.root}. That"
            " exceeds the safety threshold, so none was removed. To remove them:"
            f" `cairn runs accept-removals {run.run_id} --project {named}`, or the same"
            " ingest with --accept-removals."
        )
    if waited:
        say(f"Next: `cairn show prd --project {named}`, or `cairn atoms --project {named}`.")


def _run_line(run: Run) -> str:
    words = f"Run {run.lane}: {run.status} ({run.stop_reason or 'no reason yet'})"
    for milestone, (what, _) in MILESTONES.items():
        if (taken_ms := getattr(run, milestone)) is not None:
            words += f", first {what} after {taken_ms / 1000:.1f} s"
    return f"{words}."
