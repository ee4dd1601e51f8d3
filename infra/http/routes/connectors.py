"""Services that are connected to a project: connect, check, read and disconnect them.

A secret is never sent: a credential is the name of a variable or file that the operator has set
aside for connectors (`env:CONNECTOR_…`, or `file:NAME` in the folder `secrets` of CAIRN_HOME).
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OBSERVERS, OWNERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Project
from infra.service.connecting import client_connectors as service
from infra.service.connecting.client_connectors import Added, ConnectorState
from infra.service.connecting.connectors import ConnectorCheck, ConnectorSpec
from infra.service.jobs.jobs import JobRequest, enqueue_job
from projections.read.jobs import Job
from schemas.events.connector import ConnectorService

router = APIRouter(route_class=Guarded, tags=["Connectors"])
ROOT = "/v1/projects/{project}/connectors"
ConnectorId = Annotated[str, Path(max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class ConnectorRequest(BaseModel):
    """``credentials`` are names of secrets by role; no streams: all that the service has.

    ``check``: ask the service first, and refuse what it does not let us read.
    """

    model_config = ConfigDict(extra="forbid")

    service: ConnectorService
    target: str = Field(min_length=1, max_length=400, description="`owner/repo`, say.")
    credentials: dict[Name, Name] = Field(min_length=1, max_length=10)
    base_url: str | None = Field(None, max_length=400)
    streams: list[Name] = Field([], max_length=50)
    options: dict[Name, Annotated[str, Field(max_length=1_000)]] = Field({}, max_length=20)
    every_s: int = Field(300, ge=10, le=31 * 86_400)
    budget_percent: int = Field(50, ge=1, le=100)
    check: bool = True


class SyncRequest(BaseModel):
    """No streams: all. ``reconcile``: compare everything that is there, and remove what is gone.

    ``accept_removals``: also where more is gone than the safety threshold allows.
    ``tells_failures``: a stream that cannot be read is told in the result of the job.
    """

    model_config = ConfigDict(extra="forbid")

    streams: Annotated[list[Name], Field(max_length=50)] = []
    reconcile: bool = False
    accept_removals: bool = False
    tells_failures: bool = False


@router.get(ROOT, responses=OF_ANY)
@allow(*OBSERVERS)
async def list_connectors(api: ApiDep, project: Project) -> list[ConnectorState]:
    """Connected services, and how far each stream is read."""
    return await service.list_connectors(api.settings, api.environ, project)


@router.post(ROOT, status_code=201, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def add_connector(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: ConnectorRequest
) -> Added:
    """Connect a service; the same target again replaces what was set before."""
    spec = ConnectorSpec(
        body.service,
        body.target,
        body.credentials,
        body.base_url,
        body.streams,
        body.options,
        body.every_s,
        body.budget_percent,
    )
    return await service.connect_service(
        api.settings,
        api.environ,
        project,
        spec,
        actor=caller.name,
        key=write.key,
        check=body.check,
        by_owner_of_all=caller.projects is None,
        any_place=caller.has_home,
    )


@router.get(ROOT + "/{connector_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_connector(
    api: ApiDep, project: Project, connector_id: ConnectorId
) -> ConnectorState:
    """A connected service, and how far each stream is read."""
    return await service.read_connector(api.settings, api.environ, project, connector_id)


@router.delete(ROOT + "/{connector_id}", status_code=204, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def remove_connector(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, connector_id: ConnectorId
) -> None:
    """Stop reading a service; what was read stays."""
    await service.disconnect_service(
        api.settings, api.environ, project, connector_id, actor=caller.name, key=write.key
    )


@router.post(ROOT + "/{connector_id}/check", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def check_connector(
    api: ApiDep, project: Project, connector_id: ConnectorId
) -> ConnectorCheck:
    """Ask the service now which streams may be read, and which permission is missing."""
    return await service.check_connector_access(api.settings, api.environ, project, connector_id)


@router.post(ROOT + "/{connector_id}/sync", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def sync_connector(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    connector_id: ConnectorId,
    body: SyncRequest | None = None,
) -> Job:
    """Read what has changed, in a job; the poller does so by itself every ``every_s``."""
    await service.read_connector(api.settings, api.environ, project, connector_id)
    asked = body or SyncRequest()
    request = JobRequest(
        "connector_sync",
        project,
        payload={"connector": connector_id} | asked.model_dump(),
        key=write.key,
        priority="urgent",
    )
    return (await enqueue_job(api.settings, request, actor=caller.name)).job
