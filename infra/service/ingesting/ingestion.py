"""Ingest sources into a project, and watch until everything that follows from them is readable.

Whoever calls reads the sources; workers only ever see the log. Interrupted at any moment, the same
request with the same key continues: everything it publishes has an id made from that key.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import Any, Literal

from connectors.connector import LOSSES, Connector, Listing, Notice, redact_listing
from connectors.feeder import STALLED_AFTER_S, FeedOrder, feed
from connectors.feeder import FeedReport as FeedReport
from connectors.recognise import Root, check_roots, open_source
from connectors.runner import follow_answers, open_publish
from infra.platform.addresses import without_credentials
from infra.platform.clock import SystemClock
from infra.platform.errors import BrokerUnavailable, DatabaseUnavailable, Invalid
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.platform.vault import Vault, vault_of
from infra.service.foundation.database import ask
from infra.service.foundation.progress import Note, Tell, follow
from infra.service.foundation.publishing import check_key, draw_key
from infra.service.models.engines import choose_engine
from projections.read import projects, runs, sources
from projections.read.page import take
from projections.read.progress import TriggerProgress, read_trigger_progress
from projections.read.runs import Run
from projections.read.session import Conn
from schemas.codec import utc_millis
from schemas.envelope import Actor
from schemas.events.ingestion import Limits
from schemas.events.ingestion_request import CoverageTarget, Engine, RunLane
from streams.hygiene.redaction.strings import StringRedactor, redact_text
from streams.run_control.changes import REMOVAL_THRESHOLD_PERCENT

Lane = Literal["preview", "deep", "both"]
Milestone = Literal["first_atom_ms", "prd_v0_ms", "features_v0_ms"]

LANES: dict[Lane, tuple[RunLane, ...]] = {
    "preview": ("preview",),
    "deep": ("deep",),
    "both": ("preview", "deep"),
}
MILESTONES: tuple[Milestone, ...] = ("first_atom_ms", "prd_v0_ms", "features_v0_ms")
AT_LEAST_ONE = frozenset(("batch_size", "horizon", "max_chunks_per_run", "max_concurrency"))
LOOK_EVERY_S = 0.4
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)  # between attempts while broker or database is away


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """What one ingest asks for.

    ``key`` is the trigger's with one source, else its beginning; ``key_may_repeat`` says that it
    may have been used before, so that what is answered already is not sent again. ``as_name`` names
    the root of a single source. ``any_folder`` allows system folders and whole home folders. With
    ``wait`` the ingest ends when everything that follows from it is readable. ``partial``: what a
    source does not hold stays, also where it could tell what is gone. ``engine`` None: a model
    reads where one is configured.
    """

    sources: tuple[str, ...]
    project: str
    actor: str
    key: str = field(default_factory=draw_key)
    key_may_repeat: bool = False
    lane: Lane = "both"
    as_name: str | None = None
    accept_removals: bool = False
    any_folder: bool = False
    wait: bool = False
    partial: bool = False
    target: CoverageTarget = "best_effort"
    limits: Mapping[str, float] = field(default_factory=dict)
    engine: Engine | None = None

    def trigger_key(self, index: int) -> str:
        return self.key if len(self.sources) == 1 else f"{self.key}|{index}"


@dataclass(frozen=True, slots=True)
class SourceListed:
    """A source is known: how many items it has, and what is at it that will not be read.

    ``losses`` are the codes of the notices behind which there is content.
    """

    source: str
    root: str
    complete: bool
    items: int
    notices: tuple[Notice, ...]
    losses: frozenset[str] = LOSSES


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """How much of a source is sent, and what the tables show of it (None: nobody looks)."""

    root: str
    feed: FeedReport
    tables: TriggerProgress | None


@dataclass(frozen=True, slots=True)
class MilestoneReached:
    """Something can be read from now on, ``after_ms`` from the run's start."""

    milestone: Milestone
    after_ms: float


@dataclass(frozen=True, slots=True)
class SourceIngested:
    """What became of one source; without ``wait`` nobody has looked at progress and runs."""

    source: str
    project: str
    project_id: str
    trigger_key: str
    root: str
    complete: bool
    feed: FeedReport
    notices: dict[str, int]
    progress: TriggerProgress | None = None
    runs: tuple[Run, ...] = ()

    @property
    def failed(self) -> bool:
        return any(run.status == "failed" for run in self.runs)

    @property
    def blocked_removals(self) -> list[Run]:
        """The runs that keep sources until a person accepts their removal."""
        return [run for run in self.runs if run.removals_held]


IngestStep = Note | SourceListed | SourceProgress | MilestoneReached | SourceIngested


def ingest(settings: Settings, request: IngestRequest) -> AsyncGenerator[IngestStep, None]:
    """Send every source to the log, and with ``wait`` watch until the tables hold what follows.

    Each source gives one ``SourceListed``, progress, and one ``SourceIngested``. Raises Invalid
    (also ``UnknownSource``), SourceRefused, NotFound, Conflict, VaultUnconfigured, Unavailable.
    """
    check_request(request)
    request = replace(request, engine=choose_engine(settings, request.engine))
    return follow(lambda tell: _ingest_all(settings, request, tell))


def check_request(request: IngestRequest) -> None:
    """Raises Invalid for limits, a key or a name of the root that cannot be."""
    check_limits(request.limits)
    check_key(request.key)
    if request.as_name is not None and len(request.sources) > 1:
        raise Invalid("A name of the root fits one source only.", code="root_name_ambiguous")


def check_limits(limits: Mapping[str, float]) -> None:
    """Raises Invalid for a limit of runs that does not exist, or a value that it cannot have."""
    for name, value in limits.items():
        if name not in Limits.model_fields:
            known = ", ".join(Limits.model_fields)
            raise Invalid(f"There is no limit {name!r}: there are {known}.", code="unknown_limit")
        if not isfinite(value) or value < (1 if name in AT_LEAST_ONE else 0):
            raise Invalid(
                f"{name}={value:g} is too small or too large for a limit.",
                code="limit_out_of_range",
            )


async def _ingest_all(settings: Settings, request: IngestRequest, tell: Tell[IngestStep]) -> None:
    project_id = await ask(settings, lambda tables: projects.find_project(tables, request.project))
    vault = vault_of(settings)
    redactor = StringRedactor(vault.mark)
    vault.encrypt(project_id, b"")  # without a key nothing may begin
    opened = _open_sources(settings, request, tell)
    roots: list[Root] = []
    for index, connector in enumerate(opened):
        listed = await in_thread(connector.list)
        if request.partial:
            listed = replace(listed, complete=False)
        with redact_listing(listed, partial(redactor.name, project_id)) as listing:
            source = _Source(settings, request, index, project_id, vault, redactor, listing, tell)
            tell(source.listed())
            check_roots(roots, source.root())
            roots.append(source.root())
            await source.warn_of_another()
            await source.bring()
            tell(source.result())


def _open_sources(
    settings: Settings, request: IngestRequest, tell: Tell[IngestStep]
) -> list[Connector]:
    return [
        open_source(
            source,
            request.as_name,
            settings.home / "clones",
            lambda line: tell(Note("fetching", line)),
            any_folder=request.any_folder,
        )
        for source in request.sources
    ]


def reach_milestones(
    runs: list[dict[str, Any]], reached: set[Milestone]
) -> Iterator[MilestoneReached]:
    """What can be looked at from now on, though the rest is still being sent; each once."""
    for milestone in MILESTONES:
        taken_ms = [run[milestone] for run in runs if run[milestone] is not None]
        if taken_ms and milestone not in reached:
            reached.add(milestone)
            yield MilestoneReached(milestone, min(taken_ms))


@dataclass(slots=True)
class _Source:
    """One source of a request on its way, from its listing to its result."""

    settings: Settings
    request: IngestRequest
    index: int
    project_id: str
    vault: Vault
    redactor: StringRedactor
    listing: Listing
    tell: Tell[IngestStep]
    feed: FeedReport = field(default_factory=FeedReport)
    progress: TriggerProgress | None = None
    runs: tuple[Run, ...] = ()
    reached: set[Milestone] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.feed.listed = len(self.listing.items)

    @property
    def name(self) -> str:
        return redact_text(without_credentials(self.request.sources[self.index]))

    @property
    def trigger_key(self) -> str:
        return self.request.trigger_key(self.index)

    def listed(self) -> SourceListed:
        listing = self.listing
        return SourceListed(
            self.name, listing.root, listing.complete, len(listing.items), tuple(listing.notices)
        )

    def root(self) -> Root:
        return Root(self.name, self.listing.root, self.listing.complete)

    def result(self) -> SourceIngested:
        return SourceIngested(
            source=self.name,
            project=self.request.project,
            project_id=self.project_id,
            trigger_key=self.trigger_key,
            root=self.listing.root,
            complete=self.listing.complete,
            feed=self._feed_now(),
            notices=dict(sorted(Counter(one.code for one in self.listing.notices).items())),
            progress=self.progress,
            runs=self.runs,
        )

    async def warn_of_another(self) -> None:
        """Say at once when this looks like another source of the same name."""
        if not self.listing.complete or self.request.accept_removals:
            return
        root = self.listing.root
        known = {
            row["path"]
            for row in await self._ask(
                lambda tables: sources.read_inventory(tables, self.project_id, root)
            )
        }
        gone = len(known - {item.path for item in self.listing.items})
        if gone * 100 > REMOVAL_THRESHOLD_PERCENT * len(known):
            self.tell(
                Note(
                    "many_sources_gone",
                    f"{gone:,} of {len(known):,} sources known as {root} are not in {self.name};"
                    " those that were not moved stay until a person accepts their removal.",
                    {"root": root, "gone": gone, "known": len(known)},
                )
            )

    async def bring(self) -> None:
        """Send the listing; with ``wait`` watch until the trigger is settled."""
        tasks = [asyncio.create_task(self._patiently(self._feed_once))]
        if self.request.wait:
            tasks.append(asyncio.create_task(self._patiently(self._settle)))
        try:
            pending = set(tasks)
            while pending:
                done, pending = await asyncio.wait(
                    pending, timeout=LOOK_EVERY_S, return_when=asyncio.FIRST_EXCEPTION
                )
                self.tell(SourceProgress(self.listing.root, self._feed_now(), self.progress))
                for task in done:
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _patiently(self, attempt: Callable[[int], Awaitable[None]]) -> None:
        """``attempt`` again, some times and said so, while broker or database is away."""
        for number, pause_s in enumerate(PAUSES_S):
            try:
                await attempt(number)
                return
            except (BrokerUnavailable, DatabaseUnavailable) as error:
                self.tell(Note("retrying", f"{error} Trying again in {pause_s:.0f} s."))
                await asyncio.sleep(pause_s)
        await attempt(len(PAUSES_S))

    async def _feed_once(self, attempt: int) -> None:
        clock = SystemClock()
        last_accepted = await self._ask(
            lambda tables: sources.find_last_accepted(tables, self.project_id)
        )
        self.feed = FeedReport(listed=len(self.listing.items))
        async with (
            open_publish(self.settings, clock, self.redactor) as publish,
            follow_answers(
                self.settings,
                self.project_id,
                self.trigger_key,
                from_start=self.request.key_may_repeat or attempt > 0,
                stalled=self._tell_stalled,
            ) as window,
        ):
            await feed(
                self.listing,
                self._order(),
                publish=publish,
                encrypt=self._encrypt,
                last_accepted=last_accepted,
                window=window,
                report=self.feed,
            )

    def _order(self) -> FeedOrder:
        return FeedOrder(
            self.project_id,
            self.trigger_key,
            Actor(type="human", id=self.request.actor),
            utc_millis(SystemClock().now()),
            lanes=LANES[self.request.lane],
            accept_removals=self.request.accept_removals,
            coverage_target=self.request.target,
            limits=self.request.limits,
            engine=self.request.engine or "heuristic",
        )

    async def _settle(self, _: int) -> None:
        while self.progress is None or not self.progress.settled:
            self.progress = await self._ask(
                lambda tables: read_trigger_progress(tables, self.project_id, self.trigger_key)
            )
            for each in reach_milestones(self.progress.runs, self.reached):
                self.tell(each)
            await asyncio.sleep(LOOK_EVERY_S)
        self.runs = tuple(await self._ask(self._list_runs))

    def _list_runs(self, tables: Conn) -> list[Run]:
        return list(take(partial(runs.list_runs, tables, self.project_id, self.trigger_key)))

    def _tell_stalled(self) -> None:
        sentence = f"Hygiene has not answered for {STALLED_AFTER_S:.0f} s; still waiting."
        self.tell(Note("hygiene_stalled", sentence))

    def _encrypt(self, part: bytes, owner: str) -> tuple[str, bytes]:
        return self.vault.encrypt(self.project_id, part, owner)

    def _feed_now(self) -> FeedReport:
        return replace(self.feed, unreadable=list(self.feed.unreadable))

    async def _ask(self, question: Callable[[Conn], Any]) -> Any:
        return await ask(self.settings, question)
