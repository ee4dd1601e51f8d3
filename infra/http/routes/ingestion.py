"""Bring sources: documents, an archive, or the address of a repository; and watch them be read.

The answer comes when everything is recorded (202), and with ``wait`` when all that follows is
readable (200), if that takes no longer than a minute. `GET …/ingestions/{trigger_key}` tells how
far it is.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.errors import Forbidden
from infra.http.access import LEADERS, OBSERVERS, WRITERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Project, Wait
from infra.service import http_questions as ask
from infra.service.http_questions import TriggerProgress
from infra.service.http_uploads import (
    Document,
    Ingested,
    ingest_address,
    ingest_archive,
    ingest_documents,
)
from infra.service.ingestion import FeedReport, IngestRequest, Lane
from schemas.events.ingestion_request import CoverageTarget, Engine

router = APIRouter(route_class=Guarded, tags=["Ingestion"])
WAITS_S, LOOK_EVERY_S = 60.0, 0.5
MAX_DOCUMENTS = 2_000
RootName = Annotated[str, Field(min_length=1, max_length=200)]
Limits = Annotated[dict[str, float], Field(max_length=20)]


class DocumentBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, max_length=400, description="Below the root: `docs/a.md`.")
    text: str = Field(max_length=8 * 1024 * 1024)


class Documents(BaseModel):
    """Texts of one root. ``complete``: what the root had before and is not here is removed.

    ``engine`` null: a model reads where one is configured.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Literal["documents"]
    root: RootName
    documents: list[DocumentBody] = Field(min_length=1, max_length=MAX_DOCUMENTS)
    complete: bool = False
    accept_removals: bool = False
    lane: Lane = "both"
    target: CoverageTarget = "best_effort"
    limits: Limits = {}
    engine: Engine | None = None


class Repository(BaseModel):
    """A git repository: ``https://…`` or ``github:owner/repo``; owner and pm only."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["repository"]
    address: str = Field(min_length=1, max_length=2_000)
    root: RootName | None = None
    accept_removals: bool = False
    lane: Lane = "both"
    target: CoverageTarget = "best_effort"
    limits: Limits = {}
    engine: Engine | None = None


class Recorded(BaseModel):
    """What was recorded. ``progress`` is what the tables show of it; ``feed`` counts sources."""

    trigger_key: str
    project_id: str
    root: str
    complete: bool
    listed: int
    sent: int
    unchanged: int
    notices: dict[str, int]
    notes: list[str]
    progress: TriggerProgress
    feed: FeedReport


RECORDED: dict[int | str, dict[str, Any]] = OF_ANY | {
    200: {"model": Recorded, "description": "All that follows from it can be read."},
    202: {"model": Recorded, "description": "It is recorded, and being read."},
}


@router.post(
    "/v1/projects/{project}/sources",
    status_code=202,
    response_model=Recorded,
    responses=RECORDED,
)
@allow(*WRITERS, writes=True, takes_files=True)
async def ingest_sources(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    body: Annotated[Documents | Repository, Field(discriminator="kind")],
    wait: Wait = False,
) -> Response:
    """Read documents, or a repository by its address."""
    request = IngestRequest(
        sources=("",),
        project=project,
        actor=caller.name,
        key=write.key,
        key_may_repeat=write.repeated,
        lane=body.lane,
        as_name=body.root,
        accept_removals=body.accept_removals,
        partial=isinstance(body, Documents) and not body.complete,
        target=body.target,
        limits=body.limits,
        engine=body.engine,
    )
    if isinstance(body, Documents):
        documents = [Document(each.path, each.text) for each in body.documents]
        return await _answer(api, await ingest_documents(api.settings, request, documents), wait)
    if caller.role not in LEADERS:
        raise Forbidden("Owner and pm name repositories.", code="role_not_allowed")
    return await _answer(api, await ingest_address(api.settings, request, body.address), wait)


@router.post(
    "/v1/projects/{project}/archives",
    status_code=202,
    response_model=Recorded,
    responses=RECORDED,
)
@allow(*WRITERS, writes=True, takes_files=True)
async def ingest_uploaded_archive(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    name: Annotated[str, Query(min_length=1, max_length=200, description="`handbook.tar.gz`")],
    body: Annotated[bytes, Body(media_type="application/octet-stream")],
    root: Annotated[str | None, Query(min_length=1, max_length=200)] = None,
    complete: bool = True,
    accept_removals: bool = False,
    lane: Lane = "both",
    target: CoverageTarget = "best_effort",
    engine: Engine | None = None,
    wait: Wait = False,
) -> Response:
    """Read an archive, which is all of its root: what is not in it any more is removed.

    With ``complete`` false it is a part of it, and nothing is removed.
    """
    request = IngestRequest(
        sources=("",),
        project=project,
        actor=caller.name,
        key=write.key,
        key_may_repeat=write.repeated,
        lane=lane,
        as_name=root,
        accept_removals=accept_removals,
        partial=not complete,
        target=target,
        engine=engine,
    )
    return await _answer(api, await ingest_archive(api.settings, request, name, body), wait)


@router.get("/v1/projects/{project}/ingestions/{trigger_key}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_ingestion(
    api: ApiDep, project: Project, trigger_key: Annotated[str, Path(max_length=300)]
) -> TriggerProgress:
    """How far an ingest is; ``settled``: all that follows from it can be read."""
    return await api.tables.ask(ask.trigger_progress, project, trigger_key)


async def _answer(api: Api, ingested: Ingested, wait: bool) -> Response:
    result = ingested.result
    progress = await _look(api, result.project_id, result.trigger_key, WAITS_S if wait else 0.0)
    recorded = Recorded(
        trigger_key=result.trigger_key,
        project_id=result.project_id,
        root=result.root,
        complete=result.complete,
        listed=result.feed.listed,
        sent=result.feed.fed,
        unchanged=result.feed.unchanged + result.feed.answered_before,
        notices=result.notices,
        notes=[note.message for note in ingested.notes],
        progress=progress,
        feed=result.feed,
    )
    status = 200 if progress.settled else 202
    return Response(recorded.model_dump_json(), status, media_type="application/json")


async def _look(api: Api, project_id: str, trigger_key: str, patience_s: float) -> TriggerProgress:
    """The progress when it is settled, or as it is when the time is over."""
    found = await api.tables.ask(ask.trigger_progress, project_id, trigger_key)
    deadline = asyncio.get_running_loop().time() + patience_s
    while not found.settled and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(LOOK_EVERY_S)
        found = await api.tables.ask(ask.trigger_progress, project_id, trigger_key)
    return found
