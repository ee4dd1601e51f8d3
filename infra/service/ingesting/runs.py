"""Cancel and resume ingestion runs, and accept the removals that one has blocked."""

from __future__ import annotations

from dataclasses import dataclass

from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from infra.service.foundation.publishing import make_request, publish
from projections.read import projects, runs
from schemas.events.ingestion_request import (
    RemovalsAccepted,
    RunCancelRequested,
    RunResumeRequested,
)

RUNNING = "running"


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request about a run, as it was recorded; ``key`` makes it one request."""

    run_id: str
    key: str


@dataclass(frozen=True, slots=True)
class AcceptedRemovals:
    run_id: str
    root: str
    source_ids: tuple[str, ...]


async def cancel_run(
    settings: Settings, run_id: str, *, actor: str, key: str, reason: str = ""
) -> RunRequest:
    """Ask for the end of a run at its next batch border; what it has not read stays to be read.

    Raises NotFound, Conflict when the run has ended, Unavailable.
    """
    run = await ask(settings, lambda connection: runs.read_run(connection, run_id))
    if run.status != RUNNING:
        raise Conflict(
            f"This run has ended already ({run.stop_reason}).",
            code="run_ended",
            detail={"run_id": run_id, "stop_reason": run.stop_reason},
        )
    event = RunCancelRequested(run_id=run_id, request_key=key, reason=reason)
    await publish(settings, [make_request(event, run.project_id, actor)])
    return RunRequest(run_id, key)


async def resume_run(
    settings: Settings, run_id: str, *, actor: str, key: str, retry_poison: bool = False
) -> RunRequest:
    """Ask for a new run over what an ended run left; ``retry_poison``: also over what it gave up.

    Raises NotFound, Conflict when the run has not ended, Unavailable.
    """
    run = await ask(settings, lambda connection: runs.read_run(connection, run_id))
    if run.status == RUNNING:
        raise Conflict(
            "This run has not ended: it goes on by itself, also after an interruption.",
            code="run_not_ended",
            detail={"run_id": run_id},
        )
    event = RunResumeRequested(run_id=run_id, request_key=key, retry_poison=retry_poison)
    await publish(settings, [make_request(event, run.project_id, actor)])
    return RunRequest(run_id, key)


async def accept_removals(
    settings: Settings, project: str, run_id: str, *, actor: str
) -> AcceptedRemovals:
    """Remove the sources whose removal a run has blocked because they were too many.

    Raises NotFound, Conflict when the run blocks none, Unavailable.
    """
    project_id = await ask(settings, lambda connection: projects.find_project(connection, project))
    run = await ask(
        settings, lambda connection: runs.find_held_removals(connection, project_id, run_id)
    )
    if not run or not run.removals_held or not run.root:
        raise Conflict(
            f"Run {run_id} of {project} has no blocked removals.",
            code="no_removals_held",
            detail={"run_id": run_id, "project": project},
        )
    removed = run.removals_held
    event = RemovalsAccepted(run_id=run_id, root=run.root, source_ids=removed)
    await publish(settings, [make_request(event, project_id, actor)])
    return AcceptedRemovals(run_id, run.root, tuple(removed))
