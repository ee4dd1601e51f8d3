"""Ask for reports: the writer of artifacts makes them from what is planned and known."""

from __future__ import annotations

from infra.clock import SystemClock
from infra.errors import NotFound, Unavailable
from infra.service.publishing import make_request, publish
from infra.service.reading import ask, wait_for
from infra.service.team import check_day
from infra.settings import Settings
from projections.read import artifacts, team
from projections.read.artifacts import Item as Item
from projections.read.projects import project_of
from projections.read.session import Conn
from schemas.events.artifact import ArtifactChanged
from schemas.events.team import ReportRequested, ReportType
from schemas.ids import artifact_id as derive_artifact_id
from schemas.ids import derive_event_id

ANSWERED_WITHIN_S = 60.0


async def request_report(
    settings: Settings,
    project: str,
    report_type: ReportType,
    *,
    as_of: str | None = None,
    actor: str,
    key: str,
) -> Item:
    """The report as of a day (None: today), as soon as the tables hold it.

    Raises NotFound where there is nothing to report, Invalid for what is no day, and Unavailable
    when nobody answers in time. The same key again returns the same report.
    """
    day = as_of or SystemClock().now().date().isoformat()
    check_day(day)
    project_id = await ask(settings, lambda tables: _find_project(tables, project))
    wanted = ReportRequested(report_type=report_type, as_of=day)
    request = make_request(wanted, project_id, actor, key)
    await publish(settings, [request])
    answer_id = derive_event_id(ArtifactChanged.type_name, project_id, f"{request.event_id}|")
    outcome = await wait_for(
        settings,
        lambda tables: team.answer_shown(tables, project_id, str(answer_id)),
        timeout_s=ANSWERED_WITHIN_S,
    )
    if outcome is None:
        raise Unavailable(
            f"The request is recorded, but nobody has answered within {ANSWERED_WITHIN_S:.0f} s.",
            code="report_unanswered",
            detail={"key": key},
        )
    if outcome == "refused":
        raise NotFound(
            "There is nothing to report: no task is planned. Add members, and a plan follows them.",
            code="nothing_to_report",
        )
    artifact_id = derive_artifact_id(project_id, "report", wanted.aggregate_id)
    return await ask(settings, lambda tables: artifacts.item(tables, project_id, artifact_id))


def _find_project(tables: Conn, project: str) -> str:
    """The id of a project in which a run has ended. Raises Refusal otherwise."""
    project_id = project_of(tables, project)
    artifacts.artifact(tables, project_id, "prd")
    return project_id
