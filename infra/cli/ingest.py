"""`cairn ingest`: the outside is listed, fed, and watched until its runs have ended.

The command reads the files itself; workers only ever see the log. Cut off at any moment it says by
which key it can be gone on with: everything it publishes has an id made from that key.
"""

from __future__ import annotations

import asyncio
import shlex
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import typer

from infra import loop
from infra.cli.context import JSON_OPTION, connect, console, say
from infra.cli.output import as_lines
from infra.cli.progress import Board, Stage
from infra.cli.project import (
    KEY_OPTION,
    PROJECT_OPTION,
    drawn_key,
    login_name,
    quiet_clients,
    tell_key,
)
from infra.clock import SystemClock
from infra.errors import BrokerUnavailable, DatabaseUnavailable, Refusal
from infra.settings import Settings

if TYPE_CHECKING:
    from connectors.connector import Listing
    from connectors.feeder import Encrypt, FeedReport
    from projections.read.progress import TriggerProgress

Lane = Literal["preview", "deep", "both"]
CoverageTarget = Literal["tier1", "mandatory", "best_effort"]
LANES: dict[Lane, tuple[Literal["preview", "deep"], ...]] = {
    "preview": ("preview",),
    "deep": ("deep",),
    "both": ("preview", "deep"),
}
LOOK_EVERY_S = 0.4
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)  # between attempts while broker or database is away
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
}
FAILED_STATUS = frozenset(("failed",))
FIRSTS = {  # figures of a run: what they time, and the command that shows it
    "first_atom_ms": ("atom", "atoms"),
    "prd_v0_ms": ("PRD", "show prd"),
    "features_v0_ms": ("features", "show features"),
}
POSITIVE = frozenset(("batch_size", "horizon", "max_chunks_per_run", "max_concurrency"))


@dataclass(frozen=True, slots=True)
class Request:
    """What one command asks for. ``key`` is the trigger's with one source, else its beginning."""

    sources: tuple[str, ...]
    project: str
    key: str
    lane: Lane = "both"
    as_name: str | None = None
    accept_removals: bool = False
    any_folder: bool = False
    wait: bool = False
    key_given: bool = False  # then it may have been used before
    target: CoverageTarget = "best_effort"
    limits: dict[str, float] = field(default_factory=dict)

    def trigger_key(self, index: int) -> str:
        return self.key if len(self.sources) == 1 else f"{self.key}|{index}"


@dataclass(slots=True)
class Outcome:
    """What became of one source of the command; ``None`` where nobody has looked."""

    source: str
    project: str
    project_id: str
    trigger_key: str
    root: str
    complete: bool
    feed: FeedReport
    notices: dict[str, int]
    progress: TriggerProgress | None = None
    runs: list[dict[str, Any]] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return any(run["status"] in FAILED_STATUS for run in self.runs)

    @property
    def held(self) -> list[dict[str, Any]]:
        """The runs that hold removals back until a person lets them go."""
        return [run for run in self.runs if run["removals_held"]]


def register(app: typer.Typer) -> None:
    @app.command()
    def ingest(
        source: list[str] = typer.Argument(
            help="Folder, file, archive, git URL, github:owner/repo."
        ),
        project: str = PROJECT_OPTION,
        lane: Lane = typer.Option("both", help="Fast and small, broad and strong, or both."),
        as_name: str | None = typer.Option(None, "--as", help="Name of the root."),
        accept_removals: bool = typer.Option(
            False, "--accept-removals", help="Let go of what is gone even when that is much."
        ),
        any_folder: bool = typer.Option(
            False, "--allow-any-folder", help="Read a system folder or a whole home folder too."
        ),
        target: CoverageTarget = typer.Option(
            "best_effort",
            help="What the deep run covers: tier1, tiers 1 and 2, or all.",
        ),
        limit: list[str] = typer.Option(
            [], help="A limit of the runs, as NAME=VALUE; may be given several times."
        ),
        wait: bool = typer.Option(False, "--wait", help="Return when everything is readable."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Read sources into a project's ledger."""
        if as_name is not None and len(source) > 1:
            raise typer.BadParameter("--as names one root: give one SOURCE with it.")
        limits = limits_of(limit)
        settings = connect()
        request = Request(
            tuple(source),
            project,
            idempotency_key or drawn_key(),
            lane,
            as_name,
            accept_removals,
            any_folder,
            wait,
            key_given=idempotency_key is not None,
            target=target,
            limits=limits,
        )
        outcomes = ingested(settings, request)
        for outcome in outcomes:
            if as_json:
                as_lines([asdict(outcome)])
            else:
                summarise(outcome, waited=wait)
        if any(outcome.failed or outcome.held for outcome in outcomes):
            raise typer.Exit(1)


def limits_of(given: list[str]) -> dict[str, float]:
    """The limits of runs as asked for. Raises typer.BadParameter for one that there is not."""
    from schemas.events.ingestion import Limits

    limits: dict[str, float] = {}
    for pair in given:
        name, _, value = pair.partition("=")
        if name not in Limits.model_fields:
            known = ", ".join(Limits.model_fields)
            raise typer.BadParameter(f"There is no limit {name!r}: there are {known}.")
        try:
            limits[name] = float(value)
        except ValueError:
            raise typer.BadParameter(f"{pair!r} does not say a number: NAME=VALUE.") from None
        if not 0 <= limits[name] < float("inf") or (name in POSITIVE and limits[name] < 1):
            raise typer.BadParameter(f"{pair!r} is too small or too large for a limit.")
    return limits


def ingested(settings: Settings, request: Request) -> list[Outcome]:
    """Every source is on the log, and with ``wait`` in the tables. Raises Refusal, Unavailable."""
    from connectors.connector import UnknownSource

    quiet_clients()
    try:
        return loop.run(_ingest_all(settings, request))
    except UnknownSource as error:
        raise typer.BadParameter(str(error)) from error
    except (KeyboardInterrupt, BrokerUnavailable, DatabaseUnavailable):
        tell_key(request.key, given=request.key_given)
        raise


async def _ingest_all(settings: Settings, request: Request) -> list[Outcome]:
    from connectors.connector import without_secrets
    from connectors.recognise import open_source
    from infra.vault import vault_of
    from projections.read import projects, session, sources
    from streams.hygiene.redact import redact_name

    with session.reading(settings.conninfo) as connection:
        project_id = projects.project_of(connection, request.project)
    vault = vault_of(settings)
    vault.encrypt(project_id, b"")  # without a key nothing may begin
    opened = [
        open_source(
            spec, request.as_name, settings.home / "clones", say, any_folder=request.any_folder
        )
        for spec in request.sources
    ]
    outcomes: list[Outcome] = []
    for index, connector in enumerate(opened):
        listed = await loop.in_thread(connector.list)
        with without_secrets(listed, redact_name) as listing:
            tell_notices(listing)
            outcome = _outcome(request, index, project_id, listing)
            check_roots(outcomes, outcome)
            if outcome.complete and not request.accept_removals:
                with session.reading(settings.conninfo) as connection:
                    known = sources.inventory(connection, project_id, listing.root)
                _tell_same_name(outcome, listing, [row["path"] for row in known])
            outcomes.append(outcome)

            def encrypt(part: bytes, owner: str) -> tuple[str, bytes]:
                return vault.encrypt(project_id, part, owner)

            with Board(console) as board:
                await _watched(settings, request, listing, outcome, encrypt, board)
    return outcomes


def check_roots(before: list[Outcome], outcome: Outcome) -> None:
    """Raises Refusal when one command names two wholes of one root: the second takes the first's
    files as gone.
    """
    for other in before:
        if other.root == outcome.root and other.complete and outcome.complete:
            raise Refusal(
                f"{other.source} and {outcome.source} are both called {outcome.root}, so the second"
                " would be taken for a later state of the first, and is not read: give it alone,"
                " with a name of its own by --as NAME."
            )


def _tell_same_name(outcome: Outcome, listing: Listing, known: list[str]) -> None:
    """Somebody may have meant another whole of the same name (spec 00 D37): it is said at once."""
    from streams.run_control.changes import REMOVAL_BRAKE_PERCENT

    gone = len(set(known) - {item.path for item in listing.items})
    if gone * 100 > REMOVAL_BRAKE_PERCENT * len(known):
        say(
            f"Warning: {gone:,} of {len(known):,} sources known as {outcome.root} are not in"
            f" {outcome.source}; what was not moved stays until a person lets it go. If this is"
            " something else of the same name, give it a name of its own by --as NAME."
        )


def _outcome(request: Request, index: int, project_id: str, listing: Listing) -> Outcome:
    from connectors.feeder import FeedReport
    from infra.addresses import without_credentials

    return Outcome(
        source=without_credentials(request.sources[index]),
        project=request.project,
        project_id=project_id,
        trigger_key=request.trigger_key(index),
        root=listing.root,
        complete=listing.complete,
        feed=FeedReport(listed=len(listing.items)),
        notices=dict(sorted(Counter(notice.code for notice in listing.notices).items())),
    )


async def _watched(
    settings: Settings,
    request: Request,
    listing: Listing,
    outcome: Outcome,
    encrypt: Encrypt,
    board: Board,
) -> None:
    """Feeds while the board moves; with ``wait`` until the trigger is settled."""
    from projections.read import runs, session
    from projections.read.page import take
    from projections.read.progress import trigger_progress

    async def feed_once(attempt: int) -> None:
        outcome.feed = await _feed(settings, request, listing, outcome, encrypt, attempt)

    told: set[str] = set()

    async def settle(_: int) -> None:
        with session.reading(settings.conninfo) as connection:
            while outcome.progress is None or not outcome.progress.settled:
                outcome.progress = await asyncio.to_thread(
                    trigger_progress, connection, outcome.project_id, outcome.trigger_key
                )
                tell_firsts(outcome.progress.runs, outcome.project, told)
                await asyncio.sleep(LOOK_EVERY_S)
            ended = partial(runs.runs, connection, outcome.project_id, outcome.trigger_key)
            outcome.runs = [run.model_dump() for run in take(ended)]

    tasks = [asyncio.create_task(_patiently(feed_once))]
    if request.wait:
        tasks.append(asyncio.create_task(_patiently(settle)))
    try:
        while not all(task.done() for task in tasks):
            done, _ = await asyncio.wait(
                tasks, timeout=LOOK_EVERY_S, return_when=asyncio.FIRST_EXCEPTION
            )
            board.update(stages_of(outcome))
            for task in done:
                task.result()
        board.update(stages_of(outcome))
        outcome.rates = {stage.name: board.rate(stage.name) for stage in stages_of(outcome)}
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _feed(
    settings: Settings,
    request: Request,
    listing: Listing,
    outcome: Outcome,
    encrypt: Encrypt,
    attempt: int,
) -> FeedReport:
    from connectors.feeder import STALLED_AFTER_S, FeedOrder, FeedReport, feed
    from connectors.runner import following, publishing
    from projections.read import session, sources
    from schemas.codec import utc_millis
    from schemas.envelope import Actor

    clock = SystemClock()
    with session.reading(settings.conninfo) as connection:
        last_accepted = sources.last_accepted(connection, outcome.project_id)
    order = FeedOrder(
        outcome.project_id,
        outcome.trigger_key,
        Actor(type="human", id=login_name()),
        utc_millis(clock.now()),
        lanes=LANES[request.lane],
        accept_removals=request.accept_removals,
        coverage_target=request.target,
        limits=request.limits,
    )
    outcome.feed = FeedReport(listed=len(listing.items))
    async with (
        publishing(settings, clock) as publish,
        following(
            settings,
            outcome.project_id,
            outcome.trigger_key,
            from_start=request.key_given or attempt > 0,
            stalled=lambda: say(
                f"Stage 0 has not answered for {STALLED_AFTER_S:.0f} s: see whether a worker runs"
                " with `cairn status`; still waiting."
            ),
        ) as lead,
    ):
        return await feed(
            listing,
            order,
            publish=publish,
            encrypt=encrypt,
            last_accepted=last_accepted,
            lead=lead,
            report=outcome.feed,
        )


async def _patiently(attempt: Callable[[int], Awaitable[None]]) -> None:
    """``attempt`` again, some times and said so, while broker or database is away."""
    for number, pause_s in enumerate(PAUSES_S):
        try:
            await attempt(number)
            return
        except (BrokerUnavailable, DatabaseUnavailable) as error:
            say(f"{error} Trying again in {pause_s:.0f} s.")
            await asyncio.sleep(pause_s)
    await attempt(len(PAUSES_S))


def stages_of(outcome: Outcome) -> list[Stage]:
    """The rows of the board: what the feeder did, then what the tables show of it."""
    feed, progress = outcome.feed, outcome.progress
    fed = feed.fed + feed.unchanged + feed.answered_before
    stages = [
        Stage("fed", fed, feed.listed, f"{feed.unchanged:,} unchanged" if feed.unchanged else "")
    ]
    if progress is None:
        return stages
    lanes = ", ".join(
        f"{run['lane']} {run['stop_reason'] or run['status']}" for run in progress.runs
    )
    return [
        *stages,
        Stage("ready", progress.ready, progress.listed, f"{progress.skipped:,} skipped"),
        Stage("chunks read", progress.chunks_done, progress.chunks_total),
        Stage("atoms", progress.atoms, None, lanes),
        Stage("PRD version", progress.prd_version, None, timed=False),
    ]


def first_of(figure: str) -> str:
    """The beginning of the line that says what the figure times is there."""
    return f"First {FIRSTS[figure][0]} after"


def tell_firsts(runs: list[dict[str, Any]], project: str, told: set[str]) -> None:
    """What can be looked at from now on, though the rest is still being fed; each once."""
    named = shlex.quote(project)
    for figure, (_, command) in FIRSTS.items():
        taken_ms = [run[figure] for run in runs if run[figure] is not None]
        if taken_ms and figure not in told:
            told.add(figure)
            after_s = min(taken_ms) / 1000
            say(f"{first_of(figure)} {after_s:.1f} s: `cairn {command} --project {named}`.")


def tell_notices(listing: Listing) -> None:
    """What is at the source and will not be read, first of all what is lost by it."""
    from connectors.connector import LOSSES

    by_code: dict[str, list[str]] = {}
    for notice in listing.notices:
        by_code.setdefault(notice.code, []).append(notice.path)
    for code, paths in sorted(by_code.items(), key=lambda pair: pair[0] not in LOSSES):
        shown = ", ".join(paths[:SHOWN_NOTICES]) + (", …" if len(paths) > SHOWN_NOTICES else "")
        say(f"{'Warning: ' if code in LOSSES else ''}{len(paths):,} {NOTICE_WORDS[code]}: {shown}")
    if any(notice.code == "unreadable_folder" for notice in listing.notices):
        say("So the listing is not complete, and nothing counts as gone this time.")


def summarise(outcome: Outcome, *, waited: bool) -> None:
    """What became of a source, in a few lines for people."""
    feed, progress, named = outcome.feed, outcome.progress, shlex.quote(outcome.project)
    counts = f"{feed.listed:,} listed, {feed.fed:,} fed ({feed.bytes_fed / 1e6:,.1f} MB)"
    if feed.unchanged:
        counts += f", {feed.unchanged:,} unchanged"
    if feed.answered_before:
        counts += f", {feed.answered_before:,} answered before"
    say(f"{outcome.root}: {counts}.")
    for sentence in feed.unreadable:
        say(f"Warning: {sentence}")
    if progress is None:
        say(f"It is being read: `cairn runs --project {named}` shows how far it is.")
        return
    reasons = ", ".join(f"{name} {count:,}" for name, count in progress.skip_reasons.items())
    say(f"Skipped: {progress.skipped:,}" + (f" ({reasons})." if reasons else "."))
    say(
        f"Chunks read: {progress.chunks_done:,} of {progress.chunks_total:,}"
        f" ({outcome.rates.get('chunks read', 0):,.0f}/s); new atoms: {progress.atoms:,};"
        f" PRD version {progress.prd_version}."
    )
    for run in outcome.runs:
        say(_run_line(run))
    for run in outcome.held:
        say(
            f"{run['removals_held']:,} sources are gone from {outcome.root}, too many to let them"
            " go unasked: what they said stays as it is. If they are really gone:"
            f" `cairn runs accept-removals {run['run_id']} --project {named}`, or the same"
            " ingest with --accept-removals."
        )
    if waited:
        say(f"Next: `cairn show prd --project {named}`, or `cairn atoms --project {named}`.")


def _run_line(run: dict[str, Any]) -> str:
    words = f"Run {run['lane']}: {run['status']} ({run['stop_reason'] or 'no reason yet'})"
    for figure, (what, _) in FIRSTS.items():
        if run.get(figure) is not None:
            words += f", first {what} after {run[figure] / 1000:.1f} s"
    return f"{words}."
