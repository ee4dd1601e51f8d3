"""How lists of artifacts were generated: one loop for each list and settled position."""

from __future__ import annotations

from fastapi import APIRouter

from infra.http.access import READERS, Guarded, allow
from infra.http.api import ApiDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Named, Project
from projections.read.loops import GenerationLoop, list_loops
from projections.read.page import Page

router = APIRouter(route_class=Guarded, tags=["Artifacts"])


@router.get("/v1/projects/{project}/generation-loops", responses=OF_ANY)
@allow(*READERS)
async def list_generation_loops(
    api: ApiDep,
    project: Project,
    phase: Named = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[GenerationLoop]:
    """Loops, newest first; each has a stream that shows its items and ends with their number."""
    return await api.tables.ask(list_loops, project, phase=phase, cursor=cursor, limit=limit)
