"""Who ends a run before it has read all it may: a person, or a newer listing of the same root."""

from __future__ import annotations

from schemas.events.ingestion_request import IngestionRequested
from schemas.ids import run_id as derive_run_id
from streams.run_control.rows import RunRow
from streams.run_control.scope import ProjectScope, RunScope

SUPERSEDED = "superseded"


def why_cancelled(scope: RunScope) -> str | None:
    """Why the run is to end at its next batch border; None when nobody wants it to."""
    if request := scope.project.cancels.get(scope.run_id):
        return request.reason
    return SUPERSEDED if _is_superseded(scope) else None


def find_older_runs(project: ProjectScope, requested: IngestionRequested) -> list[RunRow]:
    """The runs of earlier requests for the same root that have no last turn yet."""
    earlier: set[str] = set()
    for trigger in project.triggers.values():
        if trigger.requested.trigger_key == requested.trigger_key:
            break
        if trigger.requested.root == requested.root:
            earlier.add(trigger.requested.trigger_key)
    return [run for run in project.open_runs() if run.started.trigger_key in earlier]


def _is_superseded(scope: RunScope) -> bool:
    """Whether a later request has listed the whole root anew and has not begun yet.

    Once it has begun, its root's older runs have ended: one that is open was resumed since.
    """
    later = False
    for trigger in scope.project.triggers.values():
        requested = trigger.requested
        if requested.trigger_key == scope.started.trigger_key:
            later = True
        elif later and requested.root == scope.started.root:
            if _has_begun(scope.project, requested):
                continue
            listing = scope.project.listing(requested.trigger_key)
            if listing and listing.complete:
                return True
    return False


def _has_begun(project: ProjectScope, requested: IngestionRequested) -> bool:
    return any(
        derive_run_id(project.id, requested.trigger_key, lane) in project.runs
        for lane in requested.lanes
    )
