"""Remove single sources from a project, as a person asks for it."""

from __future__ import annotations

from dataclasses import dataclass

from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from infra.service.foundation.publishing import make_request, publish
from projections.read.session import Conn
from projections.read.sources import place_of
from schemas.events.ingestion_request import IngestionRequested, SourcesListed


@dataclass(frozen=True, slots=True)
class SourceRemoval:
    """A removal on the log; ``trigger_key`` is that of the runs that carry it out."""

    trigger_key: str
    source_id: str
    root: str
    path: str


async def remove_source(
    settings: Settings, project_id: str, source_id: str, *, actor: str, key: str
) -> SourceRemoval:
    """Let the next runs withdraw all evidence of a source. The same key again is the same request.

    Where the source is still there, the next complete ingest of its root brings it back. Raises
    NotFound, Unavailable.
    """
    root, path = await ask(settings, lambda tables: _find(tables, project_id, source_id))
    asked = IngestionRequested(trigger_key=key, root=root, accept_removals=True)
    listed = SourcesListed(
        trigger_key=key, root=root, complete=False, part_index=0, part_count=1, removed=[source_id]
    )
    await publish(settings, [make_request(each, project_id, actor) for each in (asked, listed)])
    return SourceRemoval(key, source_id, root, path)


def _find(tables: Conn, project_id: str, source_id: str) -> tuple[str, str]:
    found = place_of(tables, project_id, source_id)
    if found is None:
        raise NotFound(f"There is no source {source_id}.", code="unknown_source_id")
    return found
