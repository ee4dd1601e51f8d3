"""What a project is, what is known of it, what disagrees, what runs and what it costs."""

from __future__ import annotations

from starlette.responses import Response

from infra.errors import DatabaseUnavailable, NotFound
from infra.http.access import EVERYONE, OBSERVERS
from infra.http.console.pages import Pages, Visit
from infra.http.sse import EventStream, parse_event_id
from infra.service import http_questions as ask
from infra.service import streams
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
        areas=AREAS,
        coverage=await visit.ask(ask.read_coverage, project),
        costs=await visit.ask(ask.read_costs, project, "agent"),
        prd=await find_prd(visit) if visit.reads else None,
        statements_shown=STATEMENTS_SHOWN,
    )


@pages.show("/projects/{project}/live", *OBSERVERS)
async def follow_project(visit: Visit) -> Response:
    """The frames of the project's stream, so that open pages follow it."""
    return await follow(visit, visit.project_id)


async def follow(visit: Visit, stream_id: str) -> Response:
    """The frames of a stream of the project, behind the last one that the browser has."""
    stream = await visit.ask(streams.stream, stream_id)
    if stream.project_id != visit.project_id:
        raise streams.unknown_stream(stream_id)
    last = visit.request.headers.get("last-event-id")
    epoch, seq = parse_event_id(last) if last else (stream.epoch, -1)
    ends = await visit.ask(streams.ends_of, stream_id, seq)
    is_reset = bool(last) and not (epoch == stream.epoch and ends.is_known)
    after = seq if last and not is_reset else -1
    if not last and stream.is_endless:
        after = ends.last
    api, caller = visit.api, visit.caller

    async def is_allowed() -> bool:
        if api.sessions.read(visit.cookie) is None:
            return False
        try:
            known = await api.callers.find_by_id(caller.token_id)
        except DatabaseUnavailable:  # nothing can be revoked now, nor does anything new come
            return True
        return known is not None and known.may_see(stream.project_id)

    return EventStream(
        api.hub.follow(stream_id, after), stream.epoch, is_allowed, is_reset=is_reset
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
