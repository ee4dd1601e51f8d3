"""What clients that follow a project live get to see, made from the facts of its stages.

Stateless: a frame is a view of one fact, so its id follows from the fact's, and a repeat of the
fact repeats the frame with the same id. The stream of a project shows everything and has no end;
that of a run shows its progress and ends with the run; that of a loop of generation shows what the
loop has made, and ends. That of a pipeline is a part of its project's, chosen where it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from schemas.envelope import Envelope, Event
from schemas.events.artifact import ArtifactChanged, ArtifactSpeculated
from schemas.events.artifact_parts import PHASES, ArtifactChange, ArtifactSnapshot
from schemas.events.artifact_sections import Section
from schemas.events.hygiene import ChunkCreated
from schemas.events.ingestion import BatchCommitted, RunStarted, RunStopped
from schemas.events.ledger import LedgerChanged
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
from schemas.events.team import RebalanceProposed, TeamFact
from schemas.ids import loop_id
from schemas.topics import BY_NAME
from streams.ledger_frames import make_ledger_frames
from streams.quality_frames import QUALITY_EVENTS, make_quality_frames
from streams.stage import Step

TYPES = {phase: artifact_type for artifact_type, phase in PHASES.items()}
KEPT = timedelta(milliseconds=BY_NAME[StreamFrame.topic].retention_ms)
WRITTEN = "all_sections_written"  # the PRD has a fixed list of sections
Frame = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class Telling:
    """The frames of one answer of the writer: those of its project, and those of its loops."""

    project_id: str
    answer: ArtifactChanged
    of_project: list[Frame] = field(default_factory=list)
    of_loops: list[Event] = field(default_factory=list)

    def tell_loop(
        self, phase: str, item: str, shown: list[Frame], stop_reason: str, stands: int
    ) -> None:
        """A loop in its project's stream and in its own, which has the frames of an ``item`` only
        and ends with their number. The list of the loop has ``stands`` items, old ones included.
        """
        stream_id = loop_id(self.project_id, self.answer.artifact_seq, phase)
        begun: Frame = ("phase", {"name": phase, "status": "running"})
        over: Frame = ("phase", {"name": phase, "status": "complete"})
        link: dict[str, Any] = {"stream_id": stream_id}
        self.of_project.append((begun[0], begun[1] | link))
        self.of_project += shown
        self.of_project.append((over[0], over[1] | link | {"total": stands}))
        made = [frame for frame in shown if frame[0] == item]
        started: Frame = ("started", {"name": phase, "ledger_seq": self.answer.input_ledger_seq})
        done: Frame = ("done", {"total": len(made), "stop_reason": stop_reason})
        self.of_loops += _numbered(stream_id, [started, begun, *made, over, done], ended=True)


def make_frames(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """The frames of one fact, in the order in which clients get them."""
    fact = cause.event
    if isinstance(fact, QUALITY_EVENTS):
        return _frames_of_quality_run(cause, fact)
    if isinstance(fact, ArtifactChanged):
        return _frames_of_answer(cause.project_id, fact)
    of_project = list(_frames_of(fact))
    frames = _numbered(cause.project_id, of_project)
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
        case LedgerChanged():
            yield from make_ledger_frames(fact)
        case TeamFact() | RebalanceProposed():
            yield "team", {"change": fact.type_name.partition(".")[2]}
        case PipelineChanged():
            yield _pipeline(fact)
        case ArtifactSpeculated():
            for change in fact.changes:
                yield from _sections(change, speculative=True)
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


def _frames_of_answer(project_id: str, answer: ArtifactChanged) -> list[Event]:
    """The PRD's sections, the items of each loop as it made them, what has no loop, the end."""
    telling, prd = Telling(project_id, answer), answer.prd
    if prd.outcome == "published":
        sections = list(_sections(prd, speculative=False))
        telling.tell_loop(PHASES["prd"], "prd_section", sections, WRITTEN, len(sections))
    telling.of_project += _moved(prd)
    left: dict[str, list[Frame]] = {}
    for change in answer.items:
        left.setdefault(change.snapshot.artifact_id, []).extend(_item(change))
    for loop in answer.loops:
        made = [continuation.artifact_id for continuation in loop.continuations]
        shown = [frame for artifact_id in made for frame in left.pop(artifact_id, ())]
        telling.tell_loop(loop.phase, TYPES[loop.phase], shown, loop.stop_reason, loop.items)
    telling.of_project += [frame for frames in left.values() for frame in frames]
    telling.of_project.append(("settled", {"ledger_seq": answer.input_ledger_seq}))
    return _numbered(project_id, telling.of_project) + telling.of_loops


def _item(change: ArtifactChange) -> Iterator[Frame]:
    if change.outcome == "published":
        yield change.snapshot.artifact_type, _short(change.snapshot)
    yield from _moved(change)


def _short(artifact: ArtifactSnapshot) -> dict[str, Any]:
    statements = [each for section in artifact.sections for each in section.statements]
    return {
        "id": artifact.artifact_id,
        "number": artifact.number,
        "title": artifact.title,
        "description": statements[0].text if statements else "",
        "atom_ids": sorted({cited.atom_id for each in statements for cited in each.citations}),
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
    inputs=("ingestion.v1", "ledger.v1", "pipeline.v1", "quality.v1", "reduce.v1", "team.v1"),
    handle=make_frames,
    only=(
        RunStarted.type_name,
        BatchCommitted.type_name,
        RunStopped.type_name,
        LedgerChanged.type_name,
        *BY_NAME[TeamFact.topic].events,
        *(kind.type_name for kind in PIPELINE_FACTS),
        ArtifactSpeculated.type_name,
        ArtifactChanged.type_name,
        *(each.type_name for each in QUALITY_EVENTS),
    ),
    within=KEPT,
)
