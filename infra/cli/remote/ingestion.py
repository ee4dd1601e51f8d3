"""Ingest over HTTP: what is here is packed and sent, an address is fetched by the service.

A packed source is all of its root where the source itself is: what it lacks is removed.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import tarfile
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

from connectors.connector import Listing, SourceUnavailable
from connectors.recognise import open_source
from infra.cli.remote.asking import adopt, adopt_all, ask, ask_of
from infra.client.client import Client
from infra.client.models.ingestion import IngestionStatus, Repository
from infra.platform.addresses import without_credentials
from infra.platform.errors import Invalid, Refusal
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.service.foundation.progress import Note, Tell, follow
from infra.service.ingesting.ingestion import (
    LOOK_EVERY_S,
    FeedReport,
    IngestRequest,
    IngestStep,
    Milestone,
    SourceIngested,
    SourceListed,
    SourceProgress,
    check_request,
    check_roots,
    reach_milestones,
)
from infra.service.ingesting.uploaded_sources import ADDRESS
from projections.read.progress import TriggerProgress
from projections.read.runs import Run
from streams.hygiene.redaction.strings import redact_text

MIB = 1024 * 1024
UNRECORDED = ("waiting", "recording", "retrying")


def ingest(settings: Settings, request: IngestRequest) -> AsyncGenerator[IngestStep, None]:
    check_request(request)
    return follow(lambda tell: _ingest_all(settings, request, tell))


async def _ingest_all(settings: Settings, request: IngestRequest, tell: Tell[IngestStep]) -> None:
    project_id = await ask_of(settings, request.project, lambda client, known: known)
    before: list[SourceIngested] = []
    for index, source in enumerate(request.sources):
        one = replace(request, sources=(source,), key=request.trigger_key(index))
        if ADDRESS.fullmatch(source):
            done = await _send_address(settings, one, project_id, tell)
        else:
            done = await _send_local(settings, one, project_id, before, tell)
        tell(SourceProgress(done.root, done.feed, done.progress))
        if request.wait:
            done = await _settle(settings, done, tell)
        before.append(done)
        tell(done)


async def _send_address(
    settings: Settings, request: IngestRequest, project_id: str, tell: Tell[IngestStep]
) -> SourceIngested:
    body = Repository(
        kind="repository",
        address=request.sources[0],
        root=request.as_name,
        accept_removals=request.accept_removals,
        lane=request.lane,
        target=request.target,
        limits=dict(request.limits),
        engine=request.engine,
    )
    kept = await ask(
        settings, lambda client: client.ingest_sources(project_id, body, key=request.key)
    )
    recorded = await _await_recorded(settings, kept, tell)
    for note in recorded.notes:
        tell(Note("told_by_service", note))
    return _result(request, recorded, recorded.notices)


async def _send_local(
    settings: Settings,
    request: IngestRequest,
    project_id: str,
    before: list[SourceIngested],
    tell: Tell[IngestStep],
) -> SourceIngested:
    """Pack what is at the source, and send it. Raises Invalid where the service takes less."""
    if request.limits:
        raise Invalid(
            "A service elsewhere takes limits for a repository's address alone: leave --limit out.",
            code="limits_not_taken",
        )
    connector = open_source(
        request.sources[0],
        request.as_name,
        settings.home / "clones",
        lambda line: tell(Note("fetching", line)),
        any_folder=request.any_folder,
    )
    with await in_thread(connector.list) as listing:
        name = redact_text(without_credentials(request.sources[0]))
        notices = dict(sorted(Counter(str(one.code) for one in listing.notices).items()))
        count = len(listing.items)
        tell(SourceListed(name, listing.root, listing.complete, count, tuple(listing.notices)))
        feed = FeedReport(listed=count)
        planned = _planned(request, project_id, listing, feed)
        check_roots(before, planned)
        content = await in_thread(lambda: _pack(listing, feed.unreadable.append))
    kept = await ask(settings, _sending(request, project_id, listing, content))
    recorded = await _await_recorded(settings, kept, tell)
    done = _result(request, recorded, notices)
    return replace(done, feed=replace(done.feed, unreadable=feed.unreadable))


async def _await_recorded(
    settings: Settings, kept: IngestionStatus, tell: Tell[IngestStep]
) -> IngestionStatus:
    """The ingest as soon as the service has recorded it. Raises Refusal when it will not."""
    status, told = kept, ""
    while status.state in UNRECORDED:
        if status.problem and status.problem.message != told:
            told = status.problem.message
            tell(Note("retrying", told))
        await asyncio.sleep(LOOK_EVERY_S)
        status = await ask(
            settings, lambda client: client.read_ingestion(kept.project_id, kept.trigger_key)
        )
    if status.feed is not None:
        return status
    if status.problem and status.problem.status == 422:
        raise Invalid(status.problem.message, code=status.problem.code)
    why = status.problem.message if status.problem else f"it is {status.state}"
    raise Refusal(f"The service has not recorded it: {why}", code="ingestion_ended")


def _sending(
    request: IngestRequest, project_id: str, listing: Listing, content: bytes
) -> Callable[[Client], IngestionStatus]:
    def send(client: Client) -> IngestionStatus:
        most = client.read_capabilities().limits.body_bytes
        if len(content) > most:
            raise Invalid(
                f"{listing.root} is {len(content) / MIB:.0f} MiB when packed, and the service takes"
                f" {most / MIB:.0f} MiB at once: give its parts with names of their own, or the"
                " address of its repository.",
                code="source_too_large",
            )
        return client.ingest_uploaded_archive(
            project_id,
            content,
            name="source.tar.gz",
            root=listing.root,
            complete=listing.complete and not request.partial,
            accept_removals=request.accept_removals,
            lane=request.lane,
            target=request.target,
            engine=request.engine,
            key=request.key,
        )

    return send


def _pack(listing: Listing, tell_unreadable: Callable[[str], None]) -> bytes:
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
                tell_unreadable(str(error))
                continue
            member = tarfile.TarInfo(item.path)
            member.size = len(content)
            if current := item.with_content(content).source_time:
                member.mtime = int(current.timestamp())
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


async def _settle(
    settings: Settings, done: SourceIngested, tell: Tell[IngestStep]
) -> SourceIngested:
    """What became of it, when all that follows can be read."""
    reached: set[Milestone] = set()
    while True:
        progress = await ask(settings, lambda client: _progress(client, done))
        for each in reach_milestones(progress.runs, reached):
            tell(each)
        tell(SourceProgress(done.root, done.feed, progress))
        if progress.settled:
            break
        await asyncio.sleep(LOOK_EVERY_S)
    runs = await ask(
        settings,
        lambda client: adopt_all(
            Run, client.list_runs(done.project_id, trigger_key=done.trigger_key)
        ),
    )
    return replace(done, progress=progress, runs=tuple(runs))


def _progress(client: Client, done: SourceIngested) -> TriggerProgress:
    return adopt(TriggerProgress, client.read_ingestion(done.project_id, done.trigger_key))


def _planned(
    request: IngestRequest, project_id: str, listing: Listing, feed: FeedReport
) -> SourceIngested:
    return SourceIngested(
        source=request.sources[0],
        project=request.project,
        project_id=project_id,
        trigger_key=request.key,
        root=listing.root,
        complete=listing.complete,
        feed=feed,
        notices={},
    )


def _result(
    request: IngestRequest, recorded: IngestionStatus, notices: dict[str, int]
) -> SourceIngested:
    return SourceIngested(
        source=redact_text(without_credentials(request.sources[0])),
        project=request.project,
        project_id=recorded.project_id,
        trigger_key=recorded.trigger_key,
        root=recorded.root or "",
        complete=bool(recorded.complete),
        feed=adopt(FeedReport, recorded.feed) if recorded.feed else FeedReport(),
        notices=notices,
    )
