"""Bring sources to the service, and watch until what follows from them can be read.

A service on this machine reads its user's folders itself, with what git knows of them. Elsewhere
what is here is packed and sent; an address is fetched by the service in any case.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from connectors.connector import Connector, Listing, Notice, SourceUnavailable
from connectors.recognise import Root, check_roots, open_source
from infra.cli.calls import LOOK_EVERY_S, Cairn, told
from infra.cli.context import load
from infra.cli.hints import with_hint
from infra.client.models.ingestion import Folder, IngestionStatus, Repository
from infra.client.models.runs import Run
from infra.platform.addresses import without_credentials
from infra.platform.errors import Invalid, Refusal
from streams.hygiene.redaction.strings import redact_text

ADDRESS = re.compile(r"https://[^\s\x00-\x1f]{1,2000}|github:[\w.-]{1,100}/[\w.-]{1,100}")
MIB = 1024 * 1024
STALLED_AFTER_S = 60.0
UNRECORDED = ("waiting", "recording", "retrying")
OF_WAITING = ("hygiene_stalled", "retrying")  # notes that say nothing once it is over
MILESTONES = ("first_atom_ms", "prd_v0_ms", "features_v0_ms")
OF_UPLOAD = {  # of a status; all else of it is the progress of what was recorded
    *("trigger_key", "project_id", "url", "documents_url", "state", "job_id", "root", "complete"),
    *("results", "unread", "sent", "unchanged", "notices", "not_read", "notes", "feed", "problem"),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants read, and how. ``key`` is the trigger's with one source."""

    sources: tuple[str, ...]
    project: str
    key: str
    as_name: str | None = None
    any_folder: bool = False
    wait: bool = False
    how: dict[str, Any] = field(default_factory=dict)  # lane, target, limits and so on

    def key_of(self, index: int) -> str:
        return self.key if len(self.sources) == 1 else f"{self.key}|{index}"


@dataclass(slots=True)
class Brought:
    """One source on its way; ``status`` is what the service tells of it."""

    source: str
    project: str
    status: IngestionStatus
    notices: dict[str, int]
    runs: list[Run] = field(default_factory=list)
    is_awaited: bool = False

    @property
    def failed(self) -> bool:
        return any(run.status == "failed" for run in self.runs)

    @property
    def blocked_removals(self) -> list[Run]:
        """The runs that keep sources until a person accepts their removal."""
        return [run for run in self.runs if run.removals_held]

    def as_object(self) -> dict[str, Any]:
        status = self.status.model_dump()
        feed = status["feed"]
        names = ("project_id", "trigger_key", "root", "complete")
        progress = {name: value for name, value in status.items() if name not in OF_UPLOAD}
        return {
            "source": self.source,
            "project": self.project,
            **{name: status[name] for name in names},
            "feed": feed,
            "notices": self.notices,
            "progress": progress if self.is_awaited else None,
            "runs": [run.model_dump() for run in self.runs],
        }


@dataclass(frozen=True, slots=True)
class Listed:
    """A source is known: what is at it that will not be read, the first of each kind."""

    complete: bool
    counts: dict[str, int]
    first: list[Notice]


@dataclass(frozen=True, slots=True)
class Milestone:
    """Something can be read from now on, ``after_ms`` from the run's start."""

    name: str
    after_ms: float


Step = str | Listed | Milestone | Brought
Tell = Callable[[Step], None]


def bring(cairn: Cairn, wish: Wish, tell: Tell) -> list[Brought]:
    """Every source as the service has recorded it, with ``wait`` also what follows from it.

    ``tell`` is called with what a person who waits is shown. Raises Invalid, Refusal, Unavailable.
    """
    opened = [_open(wish, source, tell) for source in wish.sources]
    project_id = cairn.project_of(wish.project)
    roots: list[Root] = []
    brought = []
    for index, (source, connector) in enumerate(zip(wish.sources, opened, strict=True)):
        if connector is not None and len(opened) > 1:
            with connector.list() as listing:
                root = Root(_shown(source), listing.root, listing.complete)
            check_roots(roots, root)
            roots.append(root)
        one = _bring(cairn, wish, source, connector, project_id, wish.key_of(index), tell)
        brought.append(one)
    return brought


def _open(wish: Wish, source: str, tell: Tell) -> Connector | None:
    """What reads a source that is here. Raises UnknownSource, SourceRefused."""
    if ADDRESS.fullmatch(source):
        return None
    clones = load().home / "clones"
    return open_source(source, wish.as_name, clones, tell, any_folder=wish.any_folder)


def _bring(
    cairn: Cairn,
    wish: Wish,
    source: str,
    connector: Connector | None,
    project_id: str,
    key: str,
    tell: Tell,
) -> Brought:
    how, listed = told(root=wish.as_name, **wish.how), None
    if connector is None:
        repository = Repository.model_construct(kind="repository", address=source, **how)
        kept = cairn.ingest_sources(project_id, repository, key=key)
    elif cairn.is_here:
        how |= {"path": cairn.place_of(source), "any_folder": wish.any_folder}
        body = Folder.model_construct(kind="folder", **how)
        kept = cairn.ingest_sources(project_id, body, key=key)
    else:
        kept, listed = _send(cairn, connector, project_id, key, how, tell)
    status = await_recorded(cairn, kept, tell)
    for note in status.notes:
        if note.code in OF_WAITING:
            continue
        told_note = Refusal(note.message, code=note.code, detail=note.detail)
        warns = "Warning: " if note.code == "many_sources_gone" else ""
        tell(f"{warns}{with_hint(told_note)}")
    if listed is None:
        first = [Notice(each.path, each.code, each.detail) for each in status.not_read]  # type: ignore[arg-type]
        listed = Listed(bool(status.complete), status.notices, first)
        tell(listed)
    done = Brought(_shown(source), wish.project, status, listed.counts)
    tell(done)
    if wish.wait:
        _settle(cairn, done, tell)
    return done


def _send(
    cairn: Cairn,
    connector: Connector,
    project_id: str,
    key: str,
    how: dict[str, Any],
    tell: Tell,
) -> tuple[IngestionStatus, Listed]:
    """Pack what is at the source, and send it. Raises Invalid where the service takes less."""
    if how.pop("limits", None):
        raise Invalid(
            "A service elsewhere takes limits for a repository's address alone: leave --limit out.",
            code="limits_not_taken",
        )
    with connector.list() as listing:
        counts = dict(sorted(Counter(str(one.code) for one in listing.notices).items()))
        listed = Listed(listing.complete, counts, list(listing.notices))
        tell(listed)
        content = _pack(listing, tell)
        most = cairn.read_capabilities().limits.body_bytes
        if len(content) > most:
            raise Invalid(
                f"{listing.root} is {len(content) / MIB:.0f} MiB when packed, and the service takes"
                f" {most / MIB:.0f} MiB at once: give its parts with names of their own, or the"
                " address of its repository.",
                code="source_too_large",
            )
        kept = cairn.ingest_uploaded_archive(
            project_id,
            content,
            name="source.tar.gz",
            complete=listing.complete,
            key=key,
            **(how | {"root": listing.root}),
        )
    return kept, listed


def await_recorded(
    cairn: Cairn,
    kept: IngestionStatus,
    tell: Callable[[str], None],
    stalled_after_s: float = STALLED_AFTER_S,
) -> IngestionStatus:
    """The ingest as soon as the service has recorded it, however long that takes.

    ``tell`` is called with what holds it up. Raises Refusal when it will not be recorded.
    """
    status, problem = kept, ""
    tell_at_s = time.monotonic() + stalled_after_s
    while status.state in UNRECORDED:
        if time.monotonic() >= tell_at_s:
            so_far = f"after {stalled_after_s:.0f} s (state: {status.state})"
            said = f"The source is not recorded {so_far}; still waiting."
            tell(with_hint(Refusal(said, code="hygiene_stalled")))
            tell_at_s = math.inf
        if status.problem and status.problem.message != problem:
            problem = status.problem.message
            tell(problem)
        time.sleep(LOOK_EVERY_S)
        status = cairn.read_ingestion(kept.project_id, kept.trigger_key)
    if status.feed is not None:
        return status
    if status.problem is not None and status.state == "refused":
        kind = Invalid if status.problem.status == 422 else Refusal
        raise kind(status.problem.message, code=status.problem.code)
    why = status.problem.message if status.problem else f"it is {status.state}"
    raise Refusal(f"The service has not recorded it: {why}", code="ingestion_ended")


def _pack(listing: Listing, tell: Tell) -> bytes:
    """The items as a compressed archive; one that cannot be read is told and left out."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as squeezed,  # the same bytes each time:
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as archive,  # one key
    ):
        for item in listing.items:
            try:
                content = item.read()
            except SourceUnavailable as error:
                tell(f"Warning: {error}")
                continue
            member = tarfile.TarInfo(item.path)
            member.size = len(content)
            if current := item.with_content(content).source_time:
                member.mtime = int(current.timestamp())
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _settle(cairn: Cairn, done: Brought, tell: Tell) -> None:
    """Look until all that follows from it can be read."""
    known, key = done.status.project_id, done.status.trigger_key
    done.is_awaited = True
    reached: set[str] = set()
    while True:
        done.status = cairn.read_ingestion(known, key)
        for milestone in _reach(done.status.runs, reached):
            tell(milestone)
        tell(done)
        if done.status.settled:
            break
        time.sleep(LOOK_EVERY_S)
    done.runs = list(cairn.list_runs(known, trigger_key=key))


def _reach(runs: list[dict[str, Any]], reached: set[str]) -> Iterator[Milestone]:
    """What can be looked at from now on, though the rest is still being read; each once."""
    for milestone in MILESTONES:
        taken_ms = [run[milestone] for run in runs if run[milestone] is not None]
        if taken_ms and milestone not in reached:
            reached.add(milestone)
            yield Milestone(milestone, min(taken_ms))


def _shown(source: str) -> str:
    return redact_text(without_credentials(source))
