"""What the command line shows beside the lists of the other areas: for people who look.

A client that follows a project by program needs none of it.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel

from infra.http.access import OBSERVERS, OPERATORS, READERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.http.routes.ledger import CardStatus
from infra.platform.clock import SystemClock
from infra.platform.loop import in_thread
from infra.service.reading import reasons
from infra.service.reading.exporting import ExportedProject, read_export
from infra.service.upkeep.status import InstallationStatus, read_status
from projections.read import belonging, contradictions, copies, deltas, runs, views
from projections.read.belonging import ProjectOfId
from projections.read.contradictions import Contradiction
from projections.read.copies import NearCopy
from projections.read.decisions import TraceReason
from projections.read.deltas import Delta
from projections.read.page import Page
from projections.read.runs import Phase
from projections.read.views import ArtifactView

router = APIRouter(route_class=Guarded, tags=["Views"])
Id = Annotated[str, Path(max_length=200)]


class Export(BaseModel):
    """``files`` by their names, as text."""

    project_id: str
    ledger_seq: int
    files: dict[str, str]


@router.get("/v1/status", responses=OF_ANY)
@allow(*OPERATORS, everywhere=True)
async def read_installation_status(api: ApiDep) -> InstallationStatus:
    """Processes, addresses, versions, and the lag of every stage."""
    return await in_thread(lambda: read_status(api.settings))


@router.get("/v1/projects/{project}/export", responses=OF_ANY)
@allow(*READERS)
async def export_project(api: ApiDep, project: Project) -> Export:
    """PRD, ledger and evidence as files of a site that opens without a server.

    The same position of the ledger gives the same files.
    """
    found = await read_export(api.settings, project)
    return await in_thread(partial(_build, found))


def _build(found: ExportedProject) -> Export:
    from infra.http.export.site import build_site

    files = {name: content.decode() for name, content in build_site(found).items()}
    return Export(project_id=found.project_id, ledger_seq=found.position.ledger_seq, files=files)


@router.get("/v1/ids/{known_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def find_project_of_id(api: ApiDep, caller: CallerDep, known_id: Id) -> ProjectOfId:
    """The project that something belongs to."""
    return await api.tables.ask(belonging.find_belonging, known_id, caller.projects)


@router.get("/v1/projects/{project}/views/{artifact_type}", responses=OF_ANY)
@allow(*READERS)
async def read_view(
    api: ApiDep, project: Project, artifact_type: Annotated[str, Path(max_length=100)]
) -> ArtifactView:
    """All artifacts of a type, what is written ahead of them, and what is no longer there."""
    return await api.tables.ask(views.read_view, project, artifact_type, SystemClock().now())


@router.get("/v1/projects/{project}/contradiction-pairs", responses=OF_ANY)
@allow(*READERS)
async def list_contradiction_pairs(
    api: ApiDep,
    project: Project,
    status: CardStatus = "open",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Contradiction]:
    """Contradictions with both titles, the gravest first."""
    wanted = None if status == "all" else status
    return await api.tables.ask(
        contradictions.list_contradiction_pairs, project, wanted, cursor=cursor, limit=limit
    )


@router.get("/v1/projects/{project}/near-copies", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_near_copies(api: ApiDep, project: Project) -> list[NearCopy]:
    """Sources that are read and are nearly copies of others, by path."""
    return await api.tables.ask(copies.list_near_copies, project)


@router.get("/v1/projects/{project}/phases", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_phases(api: ApiDep, project: Project) -> dict[str, list[Phase]]:
    """When each phase of a run began and ended, by the id of the run."""
    return await api.tables.ask(runs.list_phases, project)


@router.get("/v1/projects/{project}/deltas", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_deltas(
    api: ApiDep, project: Project, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Delta]:
    """What each merged pull request or push changed."""
    return await api.tables.ask(deltas.list_deltas, project, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/trace/{known_id}/reasons", responses=OF_ANY)
@allow(*READERS)
async def list_reasons(api: ApiDep, project: Project, known_id: Id) -> list[TraceReason]:
    """The decisions about an id, oldest first, with the rule or code of each."""
    await api.tables.ask(belonging.check_belongs, project, known_id)
    return await reasons.list_reasons(api.settings, known_id)
