"""What a project is, what is known of it, what disagrees, what runs and what it costs."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import EVERYONE, OBSERVERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.following import follow
from infra.platform.errors import NotFound
from infra.service.upkeep.pipeline import build_pipeline
from projections.read import (
    artifact_list,
    atoms,
    contradictions,
    costs,
    pipeline,
    projects,
    waiting,
)
from projections.read.artifact_list import ArtifactDetail
from projections.read.coverage import read_coverage
from projections.read.runs import list_runs
from projections.read.streams import read_stream, unknown_stream
from schemas.areas import AREAS
from schemas.envelope import SERVICE_WIDE

pages = Pages()
FACTS_SHOWN, DISPUTES_SHOWN, STATEMENTS_SHOWN, RUNS_SHOWN = 6, 3, 6, 4
PROJECTS_SHOWN = 50


@pages.show("/projects", *EVERYONE)
async def list_projects(visit: PageContext) -> Response:
    """The projects that the token may see, by name."""
    listed = await visit.ask(
        projects.list_projects,
        only=visit.caller.projects,
        cursor=visit.asked("cursor"),
        limit=PROJECTS_SHOWN,
    )
    return visit.show("projects.html", listed=listed)


@pages.show("/projects/{project}", *OBSERVERS)
async def show_overview(visit: PageContext) -> Response:
    """The first page of a project."""
    project = visit.project_id
    counted = await visit.ask(projects.list_projects, only=[project], limit=1)
    runs = await visit.ask(list_runs, project, newest_first=True, limit=RUNS_SHOWN)
    coverage = await visit.ask(read_coverage, project)
    facts, disputes = [], []
    if visit.reads:
        facts = (await visit.ask(atoms.list_atoms, project, limit=FACTS_SHOWN)).items
        disputes = (
            await visit.ask(
                contradictions.list_contradictions, project, "open", limit=DISPUTES_SHOWN
            )
        ).items
    return visit.show(
        "overview.html",
        counted=counted.items[0],
        runs=runs.items,
        facts=facts,
        disputes=disputes,
        waiting=await visit.ask(waiting.count_waiting, project),
        pipeline=build_pipeline(
            visit.api.settings,
            await visit.ask(pipeline.count_pipeline, project),
            await visit.api.lag.read(),
        ),
        areas=AREAS,
        coverage=coverage,
        costs=await visit.ask(costs.read_costs, project, "agent"),
        prd=await find_prd(visit) if visit.reads else None,
        statements_shown=STATEMENTS_SHOWN,
    )


@pages.show("/projects/{project}/live", *OBSERVERS, is_for_scripts=True)
async def follow_project(visit: PageContext) -> Response:
    """The frames of the project's stream, so that open pages follow it."""
    return await follow_stream(visit, visit.project_id)


async def follow_stream(visit: PageContext, stream_id: str) -> Response:
    """The frames of a stream of the project of the address, behind the last one that the browser
    has. Where the address has no project it is one of the assistant.

    Raises NotFound for a stream of another project, or of somebody else.
    """
    stream = await visit.ask(read_stream, stream_id)
    project_id = visit.request.path_params.get("project", SERVICE_WIDE)
    if stream.project_id != project_id or not visit.caller.may_follow(stream):
        raise unknown_stream(stream_id)
    return await follow(
        visit.api,
        visit.caller,
        stream,
        visit.request.headers.get("last-event-id"),
        find_again=lambda: visit.api.callers.find_signed_in(visit.cookie),
    )


async def find_prd(visit: PageContext) -> ArtifactDetail | None:
    """The published PRD; None before the first."""
    page = await visit.ask(
        artifact_list.list_artifacts, visit.project_id, artifact_type="prd", limit=1
    )
    if not page.items:
        return None
    try:
        found: ArtifactDetail = await visit.ask(
            artifact_list.read_artifact, visit.project_id, page.items[0].artifact_id
        )
    except NotFound:
        return None
    return found
