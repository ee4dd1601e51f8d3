"""Bring sources: documents, an archive, or the address of a repository; and watch them be read.

The answer comes at once (202): what was sent is kept, and a job records it. `Location` names the
address that tells how far it is, and what became of each document. With ``wait`` the answer comes
when all that follows is readable (200), if that takes no longer than a minute.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Body, Path, Query
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WrapValidator
from starlette.responses import Response

from infra.http.access import LEADERS, OBSERVERS, WRITERS, Guarded, allow, check_at_home
from infra.http.api import Api, ApiDep, CallerDep, Write, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project, Wait
from infra.platform.addresses import check_repository_address
from infra.platform.errors import Forbidden, Invalid
from infra.platform.loop import in_thread
from infra.service.ingesting import ingestion_progress as ingestions
from infra.service.ingesting.ingestion import Lane
from infra.service.ingesting.ingestion_progress import IngestionStatus, url_of
from infra.service.ingesting.upload_checks import (
    Document,
    RefusedDocument,
    check_archive,
    check_documents,
    require_some,
    shorten,
)
from infra.service.ingesting.uploads import Upload, check_upload, keep_upload
from infra.store.ingestion_results import DocumentResult, list_document_results
from projections.read.page import Page
from schemas.events.ingestion_request import CoverageTarget, Engine

router = APIRouter(route_class=Guarded, tags=["Ingestion"])
WAITS_S, LOOK_EVERY_S = 60.0, 0.5
MAX_DOCUMENTS = 2_000
RootName = Annotated[str, Field(min_length=1, max_length=200)]
TriggerKey = Annotated[str, Path(max_length=300)]
Limits = Annotated[dict[str, float], Field(max_length=20)]


class DocumentBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, max_length=400, description="Below the root: `docs/a.md`.")
    text: str = Field(max_length=8 * 1024 * 1024)


def keep_unfit(value: Any, validate: Any) -> Any:
    """A document that is none refuses itself alone: it is kept as its reason."""
    try:
        return validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "document"
        path = value.get("path") if isinstance(value, dict) else None
        return RefusedDocument(
            -1,
            shorten(path) if isinstance(path, str) else "",
            "path_invalid" if place == "path" else "document_invalid",
            f"The document is invalid at {place}: {first['msg']}.",
        )


class Documents(BaseModel):
    """Texts of one root. ``complete``: what the root had before and is not here is removed.

    A document that cannot be taken is refused by itself, and the others are read. ``engine`` null:
    a model reads where one is configured.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Literal["documents"]
    root: RootName
    documents: list[Annotated[DocumentBody, WrapValidator(keep_unfit)]] = Field(
        min_length=1, max_length=MAX_DOCUMENTS
    )
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


class Folder(BaseModel):
    """What is at a path of the machine of the service; for the owner's token of the installation.

    ``any_folder``: also a system folder or a whole home folder.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Literal["folder"]
    path: str = Field(min_length=1, max_length=4_000)
    any_folder: bool = False
    root: RootName | None = None
    accept_removals: bool = False
    lane: Lane = "both"
    target: CoverageTarget = "best_effort"
    limits: Limits = {}
    engine: Engine | None = None


RECORDED: dict[int | str, dict[str, Any]] = OF_ANY | {
    200: {"model": IngestionStatus, "description": "All that follows from it can be read."},
    202: {
        "model": IngestionStatus,
        "description": "It is kept, and being recorded and read.",
        "headers": {
            "Location": {
                "description": "Where to ask how far it is.",
                "schema": {"type": "string"},
            }
        },
    },
}
STATUS: TypeAdapter[IngestionStatus] = TypeAdapter(IngestionStatus)


@router.post(
    "/v1/projects/{project}/sources",
    status_code=202,
    response_model=IngestionStatus,
    responses=RECORDED,
)
@allow(*WRITERS, writes=True, takes_files=True)
async def ingest_sources(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    body: Annotated[Documents | Repository | Folder, Field(discriminator="kind")],
    wait: Wait = False,
) -> Response:
    """Read documents, a repository by its address, or a folder of the machine of the service.

    Follow it at `Location`.
    """
    upload = Upload(
        kind=body.kind,
        actor=caller.name,
        root=body.root,
        partial=isinstance(body, Documents) and not body.complete,
        accept_removals=body.accept_removals,
        lane=body.lane,
        target=body.target,
        limits=body.limits,
        engine=body.engine,
    )
    if isinstance(body, Documents):
        fit, refused = await in_thread(partial(_sort, body))
        require_some(fit, refused)
        upload = upload.model_copy(update={"documents": tuple(fit)})
        return await _keep(api, project, upload, write, wait, refused=refused)
    if isinstance(body, Folder):
        check_at_home(caller)
        local = {"path": body.path, "any_folder": body.any_folder}
        return await _keep(api, project, upload.model_copy(update=local), write, wait)
    if caller.role not in LEADERS:
        raise Forbidden("Owner and pm name repositories.", code="role_not_allowed")
    check_repository_address(body.address)
    upload = upload.model_copy(update={"address": body.address})
    return await _keep(api, project, upload, write, wait)


@router.post(
    "/v1/projects/{project}/archives",
    status_code=202,
    response_model=IngestionStatus,
    responses=RECORDED,
)
@allow(*WRITERS, writes=True, takes_files=True)
async def ingest_uploaded_archive(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    name: Annotated[str, Query(min_length=1, max_length=200)],
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

    With ``complete`` false it is a part of it, and nothing is removed. One whose first or last
    bytes are no archive's is refused at once (422); one that turns out to be broken when it is
    read has the state ``refused`` at `Location`, with the reason.
    """
    check_archive(name, body)
    upload = Upload(
        kind="archive",
        actor=caller.name,
        root=root,
        archive_name=name,
        partial=not complete,
        accept_removals=accept_removals,
        lane=lane,
        target=target,
        engine=engine,
    )
    return await _keep(api, project, upload, write, wait, body)


@router.post(
    "/v1/projects/{project}/imports",
    status_code=202,
    response_model=IngestionStatus,
    responses=RECORDED,
)
@allow(*LEADERS, writes=True, takes_files=True)
async def import_exported_file(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    service: Literal["jira", "slack"],
    body: Annotated[bytes, Body(media_type="application/octet-stream")] = b"",
    path: Annotated[str | None, Query(max_length=4_000, description="Of the machine.")] = None,
    site: Annotated[str, Query(max_length=400, description="Jira: host of the site.")] = "",
    channel: Annotated[list[str] | None, Query(max_length=200)] = None,
    team: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Read a file that was exported from Jira (JSON or CSV) or Slack (zip; the named channels).

    With the owner's token of the installation ``path`` may name it, in the place of the body.
    """
    if path is not None:
        check_at_home(caller)
    upload = Upload(
        kind=service,
        actor=caller.name,
        path=path or "",
        site=site,
        channels=tuple(channel or ()),
        team=team,
    )
    return await _keep(api, project, upload, write, wait=False, content=body)


@router.get("/v1/projects/{project}/ingestions/{trigger_key:path}/documents", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_ingested_documents(
    api: ApiDep,
    project: Project,
    trigger_key: TriggerKey,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[DocumentResult]:
    """What became of each document of an ingest; those that were refused come first."""
    return await api.tables.ask(
        list_document_results, project, trigger_key, cursor=cursor, limit=limit
    )


@router.get("/v1/projects/{project}/ingestions/{trigger_key:path}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_ingestion(api: ApiDep, project: Project, trigger_key: TriggerKey) -> IngestionStatus:
    """How far an ingest is; ``settled``: all that follows from it can be read."""
    return await api.tables.ask(ingestions.read_ingestion, project, trigger_key)


def _sort(body: Documents) -> tuple[list[Document], list[RefusedDocument]]:
    given = cast(list[DocumentBody | RefusedDocument], body.documents)
    return check_documents(
        [
            replace(each, index=index)
            if isinstance(each, RefusedDocument)
            else Document(each.path, each.text)
            for index, each in enumerate(given)
        ]
    )


async def _keep(
    api: Api,
    project: str,
    upload: Upload,
    write: Write,
    wait: bool,
    content: bytes = b"",
    *,
    refused: list[RefusedDocument] | None = None,
) -> Response:
    """Keep what was sent, with its job; what cannot be is refused before that."""
    check_upload(api.settings, upload, project, write.key)
    await keep_upload(api.settings, project, upload, content, refused=refused or [], key=write.key)
    status = await _look(api, project, write.key, WAITS_S if wait else 0.0)
    if wait and status.state == "refused" and status.problem:
        raise Invalid(status.problem.message, code=status.problem.code)
    code = 200 if status.settled else 202
    location = {"location": url_of(project, write.key)}
    return Response(STATUS.dump_json(status), code, location, "application/json")


async def _look(api: Api, project_id: str, trigger_key: str, patience_s: float) -> IngestionStatus:
    """The status when it is at an end, or as it is when the time is over."""
    deadline = asyncio.get_running_loop().time() + patience_s
    while True:
        found = await api.tables.ask(ingestions.read_ingestion, project_id, trigger_key)
        is_over = found.settled or found.state in ("refused", "failed", "cancelled")
        if is_over or asyncio.get_running_loop().time() >= deadline:
            return found
        await asyncio.sleep(LOOK_EVERY_S)
