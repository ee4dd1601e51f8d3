"""The beginning of runs: a request whose listing is whole starts one run a lane.

A run starts when no earlier run of its project waits for its last turn in the ledger. So requests
made one after another begin at the same ledger sequence on every machine.
"""

from __future__ import annotations

from schemas.events.hygiene import VERSIONS
from schemas.events.ingestion import Limits, RunStarted
from schemas.events.ingestion_request import (
    CoverageTarget,
    IngestionRequested,
    RunLane,
    SourcesListed,
)
from schemas.fingerprint import FINGERPRINT_VERSION
from schemas.ids import run_id as derive_run_id
from schemas.versions import (
    CONTRADICTIONS_VERSION,
    DUPLICATES_VERSION,
    EXTRACTOR_VERSION,
    LEDGER_VERSION,
    REFLECTION_VERSION,
)
from streams.run_control.cancelling import older_of_root
from streams.run_control.state import RunControlState, RunRow
from streams.stage import Decision

LANES: tuple[RunLane, ...] = ("preview", "deep")
FIRST_SOURCES = 32  # what a preview reads of a listing without mandatory sources
FRACTIONAL = frozenset({"new_atoms_per_10k_tokens"})
OFFLINE_LIMITS: dict[RunLane, Limits] = {
    "preview": Limits(
        batch_size=16,
        planned_ahead=3,
        horizon=8,
        max_chunks_per_run=400,
        token_budget=200_000,
        max_concurrency=2,
        low_batches=2,
    ),
    "deep": Limits(
        batch_size=64,
        planned_ahead=2,
        horizon=256,
        max_chunks_per_run=1_000_000,
        token_budget=0,
        max_concurrency=2,
    ),
}


def start(state: RunControlState, project: str) -> Decision | None:
    """The next run of a request whose listing is whole."""
    runs = {run.started.run_id: run for run in state.project_runs(project)}
    for trigger in state.project_triggers(project):
        requested = trigger.requested
        missing = {
            lane: run_id
            for lane in LANES
            if lane in requested.lanes
            and (run_id := derive_run_id(project, requested.trigger_key, lane)) not in runs
        }
        listing = state.listing(project, requested.trigger_key) if missing else None
        if listing is None:
            continue
        for lane, run_id in missing.items():
            if any(run.stopped and not run.ended_seq for run in runs.values()):
                return None
            if listing.complete and older_of_root(state, project, requested):
                break
            limits = limits_of(lane, requested)
            place = state.place(project)
            started = RunStarted(
                run_id=run_id,
                trigger_key=requested.trigger_key,
                root=requested.root,
                lane=lane,
                trigger=requested.trigger,
                coverage_target="tier1" if lane == "preview" else requested.coverage_target,
                engine=requested.engine,
                limits=limits,
                versions=versions(),
                basis_seq=place.seq,
                basis_gaps=place.gaps,
                source_count=_scope(listing, lane, requested.coverage_target),
            )
            return Decision((trigger.cause.caused(started, lane=lane, run_id=run_id),))
    return _resume(state, project, runs)


def _resume(state: RunControlState, project: str, runs: dict[str, RunRow]) -> Decision | None:
    """A new run over what a run that has ended left, once for each request for it."""
    for _, resume in state.resumes.with_prefix(f"{project}|"):
        ended = runs.get(resume.requested.run_id)
        if ended is None or not ended.ended_seq:
            continue
        began, lane = ended.started, ended.started.lane
        key = f"{began.run_id}|resumed|{resume.requested.request_key}"
        run_id = derive_run_id(project, key, lane)
        if run_id in runs:
            continue
        place = state.place(project)
        changed = {
            "run_id": run_id,
            "basis_seq": place.seq,
            "basis_gaps": place.gaps,
            "resumed_from": began.run_id,
            "retry_poison": resume.requested.retry_poison,
        }
        started = began.model_copy(update=changed)
        return Decision((resume.cause.caused(started, lane=lane, run_id=run_id),))
    return None


def _scope(listing: SourcesListed, lane: RunLane, target: CoverageTarget) -> int:
    """How many of the listing's first sources a run may read; tiers come in order."""
    if lane == "deep" and target == "best_effort":
        return len(listing.sources)
    tiers = 1 if lane == "preview" or target == "tier1" else 2
    mandatory = sum(source.priority_tier <= tiers for source in listing.sources)
    return mandatory or min(len(listing.sources), FIRST_SOURCES)


def limits_of(lane: RunLane, requested: IngestionRequested) -> Limits:
    """The lane's limits with what the request overrides; unknown names are ignored by design."""
    given = {
        name: value if name in FRACTIONAL else int(value)
        for name, value in requested.limits.items()
        if name in Limits.model_fields
    }
    return OFFLINE_LIMITS[lane].model_copy(update=given)


def versions() -> dict[str, str]:
    """The versions of all that has a part in what a run finds."""
    hygiene = VERSIONS
    return {
        "hygiene_version": hygiene.hygiene,
        "redactor_version": hygiene.redactor,
        "annotator_version": hygiene.annotator,
        "chunker_version": hygiene.chunk,
        "heuristics_version": EXTRACTOR_VERSION,
        "reflection_version": REFLECTION_VERSION,
        "duplicates_version": DUPLICATES_VERSION,
        "contradictions_version": CONTRADICTIONS_VERSION,
        "ledger_version": LEDGER_VERSION,
        "fingerprint_version": str(FINGERPRINT_VERSION),
    }
