"""Who ends a run before it has read all it may: a person, or a newer listing of the same root."""

from __future__ import annotations

from schemas.events.ingestion_request import IngestionRequested
from schemas.ids import run_id as derive_run_id
from streams.run_control.state import RunControlState, RunRow

SUPERSEDED = "superseded"


def why_cancelled(state: RunControlState, project: str, run: RunRow) -> str | None:
    """Why the run is to end at its next batch border; None when nobody wants it to."""
    if request := state.cancels.get(f"{project}|{run.started.run_id}"):
        return request.reason
    return SUPERSEDED if _superseded(state, project, run) else None


def older_of_root(
    state: RunControlState, project: str, requested: IngestionRequested
) -> list[RunRow]:
    """The runs of earlier requests for the same root that have no last turn yet."""
    earlier: set[str] = set()
    for trigger in state.project_triggers(project):
        if trigger.requested.trigger_key == requested.trigger_key:
            break
        if trigger.requested.root == requested.root:
            earlier.add(trigger.requested.trigger_key)
    return [run for run in state.open_runs(project) if run.started.trigger_key in earlier]


def _superseded(state: RunControlState, project: str, run: RunRow) -> bool:
    """Whether a later request has listed the whole root anew and has not begun yet.

    Once it has begun, its root's older runs have ended: one that is open was resumed since.
    """
    later = False
    for trigger in state.project_triggers(project):
        requested = trigger.requested
        if requested.trigger_key == run.started.trigger_key:
            later = True
        elif later and requested.root == run.started.root:
            if _begun(state, project, requested):
                continue
            listing = state.listing(project, requested.trigger_key)
            if listing and listing.complete:
                return True
    return False


def _begun(state: RunControlState, project: str, requested: IngestionRequested) -> bool:
    return any(
        f"{project}|{derive_run_id(project, requested.trigger_key, lane)}" in state.runs
        for lane in requested.lanes
    )
