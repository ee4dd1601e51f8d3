"""Onboarding: the eight stages as they go on, and what a person does where they wait."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from infra.http.access import LEADERS, OBSERVERS, OWNERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.platform.addresses import check_repository_address
from infra.platform.errors import Invalid
from infra.service.projects import onboarding
from projections.read import belonging
from projections.read import onboarding as onboarding_read
from projections.read.onboarding import list_pipeline_events, read_pipeline
from schemas.events.pipeline import PipelineRecord

pages = Pages()
ROOT = "/projects/{project}/onboarding"
MOST_SOURCES = 50
EVENTS_SHOWN = 30
Change = Callable[..., Awaitable[PipelineRecord]]


@pages.show(ROOT, *OBSERVERS)
async def list_pipelines(visit: PageContext) -> Response:
    """The newest pipeline with its stages, those before it, and how another one is started."""
    return await _show(visit, None)


@pages.show(ROOT + "/{pipeline}", *OBSERVERS)
async def show_pipeline(visit: PageContext) -> Response:
    """One pipeline, whatever came after it."""
    await visit.ask(belonging.check_belongs, visit.project_id, visit.part("pipeline"))
    return await _show(visit, visit.part("pipeline"))


@pages.act(ROOT, *LEADERS)
async def start(visit: PageContext) -> Response:
    """Start a pipeline over addresses of repositories, or over what the project has."""
    sources = visit.form.get("sources", "").split()
    if len(sources) > MOST_SOURCES:
        raise Invalid(
            f"A pipeline reads at most {MOST_SOURCES} addresses.", code="too_many_sources"
        )
    for address in sources:
        check_repository_address(address)
    started = await onboarding.start_onboarding(
        visit.api.settings,
        visit.project_id,
        sources,
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    return _lead(visit, started.record.pipeline_id, "Started; this page updates itself.")


@pages.act(ROOT + "/{pipeline}/resume", *LEADERS)
async def resume(visit: PageContext) -> Response:
    """Go on where the pipeline waits or has failed."""
    return await _change(visit, onboarding.resume_onboarding, "Resumed.")


@pages.act(ROOT + "/{pipeline}/accept", *OWNERS)
async def accept(visit: PageContext) -> Response:
    """Take the PRD as it is, although the quality gate has not passed it."""
    return await _change(visit, onboarding.accept_onboarding, "The PRD is accepted.")


@pages.act(ROOT + "/{pipeline}/skip", *LEADERS)
async def skip(visit: PageContext) -> Response:
    """Leave out the stage that waits, and say why."""
    reason = visit.sent_reason()
    return await _change(visit, onboarding.skip_onboarding_stage, "Skipped.", reason)


@pages.act(ROOT + "/{pipeline}/cancel", *LEADERS)
async def cancel(visit: PageContext) -> Response:
    """End the pipeline for a reason; what it has made stays."""
    visit.sent_reason()
    return await _change(
        visit, onboarding.cancel_onboarding, "The pipeline has ended; its results are kept."
    )


async def _change(visit: PageContext, change: Change, told: str, *more: str) -> Response:
    """Do what the page offered, if the pipeline is still as the page has shown it."""
    pipeline_id = visit.part("pipeline")
    await visit.ask(belonging.check_belongs, visit.project_id, pipeline_id)
    await change(
        visit.api.settings,
        pipeline_id,
        *more,
        actor=visit.caller.name,
        expected_version=visit.sent_number("version"),
    )
    return _lead(visit, pipeline_id, told)


async def _show(visit: PageContext, pipeline_id: str | None) -> Response:
    found = await visit.ask(onboarding_read.list_pipelines, visit.project_id)
    records = [each.record for each in found]
    if pipeline_id is None:
        record = records[0] if records else None
    else:
        record = (await visit.ask(read_pipeline, pipeline_id)).record
    told = await visit.ask(list_pipeline_events, record.pipeline_id) if record else []
    return visit.show(
        "onboarding.html",
        record=record,
        records=records,
        events=list(reversed(told))[:EVENTS_SHOWN],
        can_lead=visit.leads,
        is_owner=visit.owns,
    )


def _lead(visit: PageContext, pipeline_id: str, told: str) -> Response:
    return visit.go("projects", visit.project_id, "onboarding", pipeline_id, told=told)
