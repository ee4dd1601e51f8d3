"""What a project is, what is known of it, what disagrees, what runs and what it costs."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import EVERYONE, OBSERVERS
from infra.http.console.pages import Pages, Visit
from infra.http.following import follow
from infra.platform.errors import NotFound
from infra.service.reading import live_streams as streams
from infra.service.reading import queries as ask
from infra.service.upkeep.pipeline import build_pipeline
from schemas.areas import AREAS

pages = Pages()
FACTS_SHOWN, DISPUTES_SHOWN, STATEMENTS_SHOWN, RUNS_SHOWN = 6, 3, 6, 4
PROJECTS_SHOWN = 50


@pages.show("/projects", *EVERYONE)
async def list_projects(visit: Visit) -> Response:
    """The projects that the token may see, by name."""
    listed = await visit.ask(
        ask.list_projects,
        only=visit.caller.projects,
        cursor=visit.asked("cursor"),
        limit=PROJECTS_SHOWN,
    )
    return visit.show("projects.html", listed=listed)


@pages.show("/projects/{project}", *OBSERVERS)
async def show_overview(visit: Visit) -> Response:
    """The first page of a project."""
    project = visit.project_id
    counted = await visit.ask(ask.list_projects, only=[project], limit=1)
    runs = await visit.ask(ask.list_runs, project, newest_first=True, limit=RUNS_SHOWN)
    coverage = await visit.ask(ask.read_coverage, project)
    facts, disputes = [], []
    if visit.reads:
        facts = (await visit.ask(ask.list_atoms, project, limit=FACTS_SHOWN)).items
        disputes = (await visit.ask(ask.list_cards, project, "open", limit=DISPUTES_SHOWN)).items
    return visit.show(
        "overview.html",
        counted=counted.items[0],
        runs=runs.items,
        facts=facts,
        disputes=disputes,
        waiting=await visit.ask(ask.count_waiting, project),
        pipeline=build_pipeline(
            visit.api.settings,
            await visit.ask(ask.count_pipeline, project),
            await visit.api.lag.read(),
        ),
        areas=AREAS,
        coverage=coverage,
        costs=await visit.ask(ask.read_costs, project, "agent"),
        prd=await find_prd(visit) if visit.reads else None,
        statements_shown=STATEMENTS_SHOWN,
    )


@pages.show("/projects/{project}/live", *OBSERVERS, is_for_scripts=True)
async def follow_project(visit: Visit) -> Response:
    """The frames of the project's stream, so that open pages follow it."""
    return await follow_stream(visit, visit.project_id)


async def follow_stream(visit: Visit, stream_id: str) -> Response:
    """The frames of a stream of the project, behind the last one that the browser has.

    Raises NotFound for a stream of another project.
    """
    stream = await visit.ask(streams.stream, stream_id)
    if stream.project_id != visit.project_id:
        raise streams.unknown_stream(stream_id)
    return await follow(
        visit.api,
        visit.caller,
        stream,
        visit.request.headers.get("last-event-id"),
        find_again=lambda: visit.api.callers.find_signed_in(visit.cookie),
    )


async def find_prd(visit: Visit) -> ask.WholeArtifact | None:
    """The published PRD; None before the first."""
    page = await visit.ask(ask.list_artifacts, visit.project_id, artifact_type="prd", limit=1)
    if not page.items:
        return None
    try:
        found: ask.WholeArtifact = await visit.ask(
            ask.whole_artifact, visit.project_id, page.items[0].artifact_id
        )
    except NotFound:
        return None
    return found
