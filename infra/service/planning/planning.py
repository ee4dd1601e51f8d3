"""Ask for reports and for lists to be made again: the writer of artifacts does both from what is
planned and known, and its answer is waited for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, NotFound, Unavailable
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_for
from infra.service.foundation.publishing import make_request, publish
from infra.service.planning.team import check_day
from projections.read import artifacts, loops, team
from projections.read.artifacts import Item as Item
from projections.read.loops import GenerationLoop
from projections.read.page import take
from projections.read.projects import find_project
from projections.read.session import Conn
from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactChanged
from schemas.events.change import GenerationRequested, ListPhase
from schemas.events.team import ReportRequested, ReportType
from schemas.ids import artifact_id as derive_artifact_id
from schemas.ids import derive_event_id

ANSWERED_WITHIN_S = 60.0
Answer = Literal["shown", "refused", "given_up"]
ITEMS_OF: Mapping[ListPhase, str] = {
    "insight_generation": "insight",
    "feature_generation": "feature",
    "task_breakdown": "task",
    "sprint_planning": "sprint_plan",
}


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

    Raises NotFound where there is nothing to report, Invalid for what is no day, Conflict when the
    writer gave it up, and Unavailable when nobody answers in time. The same key again returns the
    same report.
    """
    day = as_of or SystemClock().now().date().isoformat()
    check_day(day)
    project_id = await ask(settings, lambda tables: _find_project(tables, project))
    wanted = ReportRequested(report_type=report_type, as_of=day)
    request = make_request(wanted, project_id, actor, key)
    _, outcome = await _await_answer(settings, request)
    if outcome == "refused":
        raise NotFound(
            "There is nothing to report: no task is planned. Add members, and a plan follows them.",
            code="nothing_to_report",
        )
    artifact_id = derive_artifact_id(project_id, "report", wanted.aggregate_id)
    return await ask(settings, lambda tables: artifacts.read_item(tables, project_id, artifact_id))


@dataclass(frozen=True, slots=True)
class Generated:
    """What a list holds now; ``loop`` says how it was made, and is None for sprint plans."""

    artifact_ids: list[str]
    loop: GenerationLoop | None


async def request_generation(
    settings: Settings, project: str, phase: ListPhase, *, actor: str, key: str
) -> Generated:
    """Have a list made again, as soon as the tables hold what came of it.

    What it has already stays as it is. Raises NotFound where no run has ended, Conflict when the
    writer gave it up, and Unavailable when nobody answers in time. The same key again is the same
    request.
    """
    project_id = await ask(settings, lambda tables: _find_project(tables, project))
    request = make_request(GenerationRequested(phase=phase), project_id, actor, key)
    answer_id, _ = await _await_answer(settings, request)

    def look(tables: Conn) -> Generated:
        listed = partial(artifacts.list_items, tables, project_id, ITEMS_OF[phase])
        found = loops.list_loops_of_answer(tables, project_id, answer_id)
        return Generated(
            [item.artifact_id for item in take(listed)],
            next((one for one in found if one.phase == phase), None),
        )

    return await ask(settings, look)


async def _await_answer(settings: Settings, request: Envelope) -> tuple[str, Answer]:
    """Publish a request; the id of its answer, and what became of it.

    Raises Conflict for one that was given up, and Unavailable.
    """
    project_id = request.project_id
    await publish(settings, [request])
    answer_id = derive_event_id(ArtifactChanged.type_name, project_id, f"{request.event_id}|")
    outcome: Answer | None = await wait_for(
        settings,
        lambda tables: team.answer_shown(tables, project_id, str(answer_id)),
        timeout_s=ANSWERED_WITHIN_S,
    )
    if outcome is None:
        raise Unavailable(
            f"The request is recorded, but nobody has answered within {ANSWERED_WITHIN_S:.0f} s.",
            code="request_unanswered",
        )
    if outcome == "given_up":
        why = await ask(
            settings, lambda tables: team.why_given_up(tables, project_id, str(answer_id))
        )
        raise Conflict(
            "The request was given up and has changed nothing: the writer of artifacts failed at it"
            f" ({why or 'the dead letters say why'}). Report that failure, and ask again once it is"
            " mended.",
            code="request_given_up",
        )
    return str(answer_id), outcome


def _find_project(tables: Conn, project: str) -> str:
    """The id of a project in which a run has ended. Raises Refusal otherwise."""
    project_id = find_project(tables, project)
    artifacts.read_only_artifact(tables, project_id, "prd")
    return project_id
