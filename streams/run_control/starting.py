"""The beginning of runs: a request whose listing is whole starts one run a lane.

A run starts when no earlier run of its project waits for its last turn in the ledger. So requests
made one after another begin at the same ledger sequence on every machine.
"""

from __future__ import annotations

from schemas.events.hygiene import VERSIONS
from schemas.events.ingestion import Limits, RunStarted
from schemas.events.ingestion_request import (
    Engine,
    IngestionRequested,
    RunLane,
    SourcesListed,
)
from schemas.fingerprint import FINGERPRINT_VERSION
from schemas.ids import run_id as derive_run_id
from schemas.model_reading import ADJUDICATE_TIERS, MAP_TIERS
from schemas.versions import (
    CONTRADICTIONS_VERSION,
    DUPLICATES_VERSION,
    EXTRACTOR_VERSION,
    LEDGER_VERSION,
    MODEL_EXTRACTOR_VERSION,
    REFLECTION_VERSION,
)
from streams.run_control.cancelling import find_older_runs
from streams.run_control.rows import RunRow
from streams.run_control.scope import ProjectScope
from streams.stage import Decision
from streams.undecidable import settled_by

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
GIVEN_UP = "given_up"  # among the versions of a run that could not be begun: the error's class
MODEL_TOKENS: dict[RunLane, int] = {"preview": 20_000, "deep": 400_000}  # of a run, in and out


def start(project: ProjectScope) -> Decision | None:
    """The next run of a request whose listing is whole."""
    runs = {run.started.run_id: run for run in project.runs.values()}
    for trigger in project.triggers.values():
        requested = trigger.requested
        missing = {
            lane: run_id
            for lane in LANES
            if lane in requested.lanes
            and (run_id := derive_run_id(project.id, requested.trigger_key, lane)) not in runs
        }
        listing = project.listing(requested.trigger_key) if missing else None
        if listing is None:
            continue
        for lane, run_id in missing.items():
            if any(run.stopped and not run.ended_seq for run in runs.values()):
                return None
            if listing.complete and find_older_runs(project, requested):
                break
            started = begin(project, requested, lane, _count_sources(listing, lane, requested))
            first = trigger.cause.caused(started, lane=lane, run_id=run_id)
            return Decision((*settled_by(trigger.cause, "run_control"), first))
    return _resume(project, runs)


def begin(
    project: ProjectScope, requested: IngestionRequested, lane: RunLane, source_count: int
) -> RunStarted:
    """The first fact of the request's run in a lane."""
    ledger = project.position
    return RunStarted(
        run_id=derive_run_id(project.id, requested.trigger_key, lane),
        trigger_key=requested.trigger_key,
        root=requested.root,
        lane=lane,
        trigger=requested.trigger,
        coverage_target="tier1" if lane == "preview" else requested.coverage_target,
        engine=requested.engine,
        limits=limits_of(lane, requested),
        versions=list_versions(requested.engine, lane),
        basis_seq=ledger.seq,
        basis_gaps=ledger.gaps,
        source_count=source_count,
    )


def begin_nothing(
    project: ProjectScope, requested: IngestionRequested, lane: RunLane, error_class: str
) -> RunStarted:
    """The first fact of a run that cannot be begun: it reads nothing and ends."""
    plain = requested.model_copy(update={"limits": {}})
    versions = {GIVEN_UP: error_class}
    return begin(project, plain, lane, 0).model_copy(update={"versions": versions})


def _resume(project: ProjectScope, runs: dict[str, RunRow]) -> Decision | None:
    """A new run over what a run that has ended left, once for each request for it."""
    for resume in project.resumes.values():
        ended = runs.get(resume.requested.run_id)
        if ended is None or not ended.ended_seq:
            continue
        began, lane = ended.started, ended.started.lane
        key = f"{began.run_id}|resumed|{resume.requested.request_key}"
        run_id = derive_run_id(project.id, key, lane)
        if run_id in runs:
            continue
        ledger = project.position
        changed = {
            "run_id": run_id,
            "basis_seq": ledger.seq,
            "basis_gaps": ledger.gaps,
            "resumed_from": began.run_id,
            "retry_poison": resume.requested.retry_poison,
        }
        changed |= _begin_again(project, began)
        started = began.model_copy(update=changed)
        first = resume.cause.caused(started, lane=lane, run_id=run_id)
        return Decision((*settled_by(resume.cause, "run_control"), first))
    return None


def _begin_again(project: ProjectScope, began: RunStarted) -> dict[str, object]:
    """What a run that could not be begun did not say: its sources and versions."""
    trigger = project.trigger(began.trigger_key)
    listing = project.listing(began.trigger_key)
    if GIVEN_UP not in began.versions or trigger is None or listing is None:
        return {}
    count = _count_sources(listing, began.lane, trigger.requested)
    fresh = begin(project, trigger.requested, began.lane, count)
    return {"source_count": count, "versions": fresh.versions, "limits": fresh.limits}


def _count_sources(listing: SourcesListed, lane: RunLane, requested: IngestionRequested) -> int:
    """How many of the listing's first sources a run may read; tiers come in order."""
    target = requested.coverage_target
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
    by_model = {"token_budget": MODEL_TOKENS[lane]} if requested.engine == "model" else {}
    return OFFLINE_LIMITS[lane].model_copy(update=by_model | given)


def list_versions(engine: Engine, lane: RunLane) -> dict[str, str]:
    """The versions of all that has a part in what a run finds; with a model also its tiers."""
    hygiene = VERSIONS
    by_model = {
        "map_tier": MAP_TIERS[lane],
        "adjudicate_tier": ADJUDICATE_TIERS[lane],
        "extractor_version": MODEL_EXTRACTOR_VERSION,
    }
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
        **(by_model if engine == "model" else {}),
    }
