"""What clients that follow a project live get to see, made from the facts of its stages.

Stateless: a frame is a view of one fact, so its id follows from the fact's, and a repeat of the
fact repeats the frame with the same id. The stream of a project shows everything and has no end;
that of a run shows its progress and ends with the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from schemas.envelope import Envelope, Event
from schemas.events.artifact import ArtifactChanged, ArtifactSpeculated
from schemas.events.artifact_parts import PHASES, ArtifactChange, ArtifactSnapshot, Section
from schemas.events.hygiene import ChunkCreated
from schemas.events.ingestion import BatchCommitted, RunStarted, RunStopped
from schemas.events.pipeline import (
    PIPELINE_FACTS,
    ArtifactsAttached,
    PipelineCancelled,
    PipelineChanged,
    PipelineCompleted,
    PipelineFailed,
    PipelineWaits,
    StageChanged,
)
from schemas.events.quality import QualityEvent, QualityRunFinished
from schemas.events.stream import StreamFrame
from streams.quality_frames import QUALITY_EVENTS, make_quality_frames
from streams.stage import Step

TYPES = {phase: artifact_type for artifact_type, phase in PHASES.items()}
Frame = tuple[str, dict[str, Any]]


def make_frames(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """The frames of one fact, in the order in which clients get them."""
    fact = cause.event
    if isinstance(fact, QUALITY_EVENTS):
        return _frames_of_quality_run(cause, fact)
    of_project = list(_frames_of(fact))
    frames = _numbered(cause.project_id, of_project)
    if isinstance(fact, PipelineChanged):
        ended = isinstance(fact, PipelineCompleted | PipelineCancelled)
        frames += _numbered(fact.aggregate_id, of_project, ended)
    if isinstance(fact, RunStarted | BatchCommitted | RunStopped):
        ended = isinstance(fact, RunStopped)
        frames += _numbered(fact.run_id, [*of_project, *([_done(fact)] if ended else [])], ended)
    return frames


def _frames_of_quality_run(cause: Envelope, fact: QualityEvent) -> list[Event]:
    """Those of a run that somebody asked for: in the project's stream, and in its own."""
    if cause.actor.type != "agent":
        return []
    frames = list(make_quality_frames(fact))
    ended = isinstance(fact, QualityRunFinished)
    of_project = [frame for frame in frames if frame[0] != "done"]
    own = _numbered(fact.quality_run_id, frames, ended)
    return [*_numbered(cause.project_id, of_project), *own]


def _numbered(stream_id: str, frames: list[Frame], ended: bool = False) -> list[Event]:
    return [
        StreamFrame(
            stream_id=stream_id,
            ordinal=ordinal,
            name=name,
            data=json.dumps(data, ensure_ascii=False, separators=(",", ":")),
            is_last=ended and ordinal == len(frames) - 1,
        )
        for ordinal, (name, data) in enumerate(frames)
    ]


def _frames_of(fact: Event) -> Iterator[Frame]:
    match fact:
        case RunStarted():
            yield (
                "run",
                {
                    "run_id": fact.run_id,
                    "status": "running",
                    "lane": fact.lane,
                    "trigger": fact.trigger,
                },
            )
        case BatchCommitted():
            yield (
                "progress",
                {
                    "stage": "ingestion",
                    "run_id": fact.run_id,
                    "batch_no": fact.batch_no,
                    "detail": fact.counters.model_dump(),
                },
            )
        case RunStopped():
            yield (
                "run",
                {
                    "run_id": fact.run_id,
                    "status": "stopped",
                    "stop_reason": fact.stop_reason,
                },
            )
        case PipelineChanged():
            yield _pipeline(fact)
        case ArtifactSpeculated():
            for change in fact.changes:
                yield from _sections(change, speculative=True)
        case ArtifactChanged():
            yield from _answer(fact)
        case _:
            return


def _done(fact: Event) -> Frame:
    assert isinstance(fact, RunStopped)
    return "done", {"run_id": fact.run_id, "total": fact.totals.atoms_created}


def _pipeline(fact: PipelineChanged) -> Frame:
    pipeline = fact.pipeline
    told = {"pipeline_id": pipeline.pipeline_id, "version": pipeline.version}
    match fact:
        case StageChanged():
            status = "complete" if fact.after == "completed" else fact.after
            return "phase", told | {"name": fact.stage, "status": status}
        case ArtifactsAttached():
            return "artifacts", told | fact.attached.model_dump()
        case PipelineWaits():
            why = {"stage": fact.stage, "reason": fact.reason, "actions": pipeline.actions}
            return "waiting_for_human", told | why
        case PipelineFailed():
            return "error", told | {"stage": fact.stage, "message": fact.error, "retriable": True}
        case PipelineCompleted() | PipelineCancelled():
            artifacts = {each.artifact_type: each.artifact_ids for each in pipeline.artifacts}
            return "done", told | {"status": pipeline.status, "artifacts": artifacts}
        case _:
            return fact.type_name.replace(".", "_"), told | {"stage": pipeline.current_stage}


def _answer(answer: ArtifactChanged) -> Iterator[Frame]:
    """The PRD's sections, each loop between its two frames, what has no loop, the position."""
    prd = answer.prd
    if prd.outcome == "published":
        yield "phase", {"name": "prd_generation", "status": "running"}
        yield from _sections(prd, speculative=False)
        yield "phase", {"name": "prd_generation", "status": "complete"}
    yield from _moved(prd)
    left = list(answer.items)
    for loop in answer.loops:
        kind = TYPES.get(loop.phase)
        items = [change for change in left if change.snapshot.artifact_type == kind]
        left = [change for change in left if change not in items]
        yield "phase", {"name": loop.phase, "status": "running"}
        for change in items:
            yield from _item(change)
        yield "phase", {"name": loop.phase, "status": "complete", "total": loop.items}
    for change in left:
        yield from _item(change)
    yield "settled", {"ledger_seq": answer.input_ledger_seq}


def _item(change: ArtifactChange) -> Iterator[Frame]:
    if change.outcome == "published":
        yield change.snapshot.artifact_type, _short(change.snapshot)
    yield from _moved(change)


def _short(artifact: ArtifactSnapshot) -> dict[str, Any]:
    said = [each for section in artifact.sections for each in section.statements]
    return {
        "id": artifact.artifact_id,
        "number": artifact.number,
        "title": artifact.title,
        "description": said[0].text if said else "",
        "atom_ids": sorted({cited.atom_id for each in said for cited in each.citations}),
    }


def _sections(change: ArtifactChange, *, speculative: bool) -> Iterator[Frame]:
    artifact = change.snapshot
    if artifact.artifact_type != "prd":
        yield artifact.artifact_type, _short(artifact) | {"speculative": speculative}
        return
    for section in artifact.sections:
        if section.section_id in change.recomputed_sections:
            shown = {"artifact_id": artifact.artifact_id, "speculative": speculative}
            yield "prd_section", _section(section) | shown


def _section(section: Section) -> dict[str, Any]:
    return {
        "section_id": section.section_id,
        "title": section.title,
        "state": section.state,
        "gap": section.gap,
        "statements": [
            {"text": each.text, "atom_ids": [cited.atom_id for cited in each.citations]}
            for each in section.statements
        ],
    }


def _moved(change: ArtifactChange) -> Iterator[Frame]:
    artifact = change.snapshot
    if change.outcome in ("published", "state_changed") and (
        change.state_before != artifact.artifact_state
    ):
        yield (
            "artifact_state",
            {
                "artifact_id": artifact.artifact_id,
                "type": artifact.artifact_type,
                "state": artifact.artifact_state,
            },
        )


FRAME = Step(
    name="frame",
    inputs=("ingestion.v1", "pipeline.v1", "quality.v1", "reduce.v1"),
    handle=make_frames,
    only=(
        RunStarted.type_name,
        BatchCommitted.type_name,
        RunStopped.type_name,
        *(kind.type_name for kind in PIPELINE_FACTS),
        ArtifactSpeculated.type_name,
        ArtifactChanged.type_name,
        *(each.type_name for each in QUALITY_EVENTS),
    ),
)
