"""Small projects to ingest: files as the facts a feeder would publish of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any

from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.ingestion_request import (
    IngestionRequested,
    ListedSource,
    RunLane,
    SourcesListed,
    SourcesUnchanged,
)
from schemas.events.source import SourceInfo, SourceRevised
from schemas.ids import source_id
from schemas.source_kinds import language_of, priority_tier_of, source_type_of

PROJECT = "prj_parcel"
AT = datetime(2026, 1, 1, tzinfo=UTC)
ANA = Actor(type="human", id="ana")


def fact(event: Event) -> Envelope:
    return outside_fact(event, project_id=PROJECT, occurred_at=AT, actor=ANA)


def ingestion(
    files: dict[str, bytes],
    key: str = "k1",
    root: str = "parcel",
    lanes: tuple[RunLane, ...] = ("preview", "deep"),
    accept_removals: bool = False,
    complete: bool = True,
    removed: tuple[str, ...] = (),
    unchanged: Collection[str] = (),
    limits: dict[str, float] | None = None,
    **asking: Any,
) -> Iterator[Envelope]:
    """A request with its listing, then the content in listing order; ``removed`` are paths.

    ``unchanged`` are the paths whose content the feeder knows to be accepted already; ``asking`` is
    what else the request says.
    """
    sources = sorted((info(path, root) for path in files), key=_listing_order)
    listed = [
        ListedSource(
            source_id=source.source_id,
            path=source.path,
            source_type=source.source_type,
            priority_tier=source.priority_tier,
        )
        for source in sources
    ]
    yield fact(
        IngestionRequested(
            trigger_key=key,
            root=root,
            lanes=list(lanes),
            accept_removals=accept_removals,
            limits=limits or {},
            **asking,
        )
    )
    yield fact(
        SourcesListed(
            trigger_key=key,
            root=root,
            complete=complete,
            part_index=0,
            part_count=1,
            sources=listed,
            removed=[info(path, root).source_id for path in removed],
        )
    )
    known = [source.source_id for source in sources if source.path in unchanged]
    if known:
        yield fact(SourcesUnchanged(trigger_key=key, part_index=0, source_ids=known))
    for source in sources:
        if source.path in unchanged:
            continue
        content = files[source.path]
        yield fact(
            SourceRevised(
                source=source,
                trigger_key=key,
                byte_count=len(content),
                raw_sha256=hashlib.sha256(content).hexdigest(),
                key_id="clear",
                content=content,
            )
        )


def info(path: str, root: str) -> SourceInfo:
    source_type = source_type_of(path)
    return SourceInfo(
        source_id=source_id(PROJECT, "upload", f"{root}@{path}"),
        root=root,
        external_ref=f"{root}@{path}",
        path=path,
        title=path.rsplit("/", 1)[-1],
        source_type=source_type,
        priority_tier=priority_tier_of(source_type),
        language=language_of(path),
    )


def _listing_order(source: SourceInfo) -> tuple[int, int, int, str]:
    first = {"readme": 0, "agent_guide": 1}.get(source.source_type, 2)
    return source.priority_tier, first, source.path.count("/"), source.path
