"""Whether the service runs, what it can do, and what it could not process."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from infra.http.access import EVERYONE, OPERATORS, OWNERS, Guarded, allow, allow_anybody
from infra.http.api import ApiDep, CallerDep
from infra.http.bodies import MAX_BODY_BYTES
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project, problems
from infra.platform import metrics
from infra.platform.errors import NotFound
from infra.platform.metrics import Sample, render
from infra.service.reading.capabilities import Capabilities, list_capabilities
from infra.service.upkeep.dead_letters import RetriedLetter, retry_dead_letter
from infra.service.upkeep.health import Readiness, read_readiness, read_samples
from infra.store.requests import AuditRow, list_audit
from projections.read import dead_letters
from projections.read.dead_letters import DeadLetter
from projections.read.page import Page

router = APIRouter(route_class=Guarded, tags=["Operation"])
Settled = Annotated[bool, Query(description="Also list those that were decided after all.")]
open_to_all = problems(400, 429, 500, 503)


class Health(BaseModel):
    status: str


@router.get("/health", responses=open_to_all)
@allow_anybody()
async def check_health() -> Health:
    """The process serves requests; what it rests on may not."""
    return Health(status="ok")


@router.get(
    "/ready",
    response_model=Readiness,
    responses=problems(400, 429, 500) | {503: {"model": Readiness, "description": "Not ready."}},
)
@allow_anybody()
async def check_ready(api: ApiDep) -> Response:
    """Broker, database and topics are there; 503 says which one is not."""
    found = await read_readiness(api.settings, api.tables)
    parts = {
        "ready": found.ready,
        "broker": found.broker,
        "database": found.database,
        "topics": found.topics,
    }
    return JSONResponse(parts, 200 if found.ready else 503)


@router.get("/metrics", response_class=PlainTextResponse, responses=OF_ANY)
@allow(*OPERATORS, everywhere=True)
async def read_metrics(api: ApiDep) -> PlainTextResponse:
    """Counts and lag in the text form of Prometheus."""
    found = await read_samples(api.settings, api.tables)
    answered = (
        Sample(metrics.REQUESTS, {"operation": operation, "status": str(status)}, count)
        for (operation, status), count in sorted(api.answers.items())
    )
    following = Sample(metrics.STREAM_CLIENTS, {}, api.hub.count)
    return PlainTextResponse(render([*found, *answered, following]))


@router.get("/v1/openapi.json", responses=open_to_all, response_model=dict[str, Any])
@router.get("/openapi.json", include_in_schema=False)
@allow_anybody()
async def read_openapi(request: Request) -> Response:
    """This document; also at `/openapi.json`, where tools look for it."""
    return Response(await request.app.state.document.read(), media_type="application/json")


@router.get("/v1/capabilities", responses=OF_ANY)
@allow(*EVERYONE)
async def read_capabilities(request: Request, api: ApiDep) -> Capabilities:
    """Version, engines, kinds of connectors, formats, roles, areas and limits."""
    return list_capabilities(api.settings, request.app.state.areas, MAX_BODY_BYTES)


@router.get("/v1/admin/dlq", responses=OF_ANY)
@allow(*OPERATORS)
async def list_dead_letters(
    api: ApiDep,
    caller: CallerDep,
    settled: Settled = False,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[DeadLetter]:
    """Records that could not be processed, of the projects of the token."""
    return await api.tables.ask(
        dead_letters.list_dead_letters,
        only=caller.projects,
        settled=settled,
        cursor=cursor,
        limit=limit,
    )


@router.post("/v1/admin/dlq/{dead_letter_id}/retry", responses=OF_ANY)
@allow(*OPERATORS, writes=True)
async def retry_dead_letter_once(
    api: ApiDep, caller: CallerDep, dead_letter_id: Annotated[str, Path(max_length=100)]
) -> RetriedLetter:
    """Publish the record of a dead letter once more."""
    found = await api.tables.ask(dead_letters.find_dead_letter, dead_letter_id)
    if found is None or not caller.may_see(found.project_id):
        raise NotFound(f"There is no dead letter {dead_letter_id}.", code="unknown_dead_letter")
    return await retry_dead_letter(api.settings, dead_letter_id)


@router.get("/v1/admin/audit", responses=OF_ANY)
@allow(*OWNERS, everywhere=True)
async def read_audit(
    api: ApiDep, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[AuditRow]:
    """Every write that was asked for over HTTP, oldest first."""
    return await api.tables.ask(list_audit, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/audit", responses=OF_ANY)
@allow(*OWNERS)
async def read_project_audit(
    api: ApiDep, project: Project, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[AuditRow]:
    """Every write to the project that was asked for over HTTP, oldest first."""
    return await api.tables.ask(list_audit, project, cursor=cursor, limit=limit)
