"""Runs of the quality gate: the parts of its graph put together, and its events published.

A run is named by its key. One that was interrupted goes on under its name over the very version
it began with, and tells the same events again, which count once; one that has ended is not
repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from infra.clock import SystemClock
from infra.errors import Invalid, Refusal, Unavailable
from infra.service.publishing import check_key, draw_key, redactor_of
from infra.service.reading import ask, wait_for
from infra.settings import Settings
from projections.read import projects, quality
from projections.read.page import take
from projections.read.quality import AssessedArtifact, QualityRunEvent, QualityRunRow
from projections.read.session import Conn
from schemas.codec import utc_millis
from schemas.envelope import Actor, Event, outside_fact
from schemas.events.artifact_parts import (
    DimensionScore,
    QualityMode,
    QualityRun,
    ReviewFinding,
    Section,
)
from schemas.events.quality import IterationCompleted, QualityRunFinished
from schemas.ids import derive_id
from schemas.quality_gate import MAX_ITERATIONS

if TYPE_CHECKING:
    from agents.quality.graph import Assessed, Parts

QUALITY_GATE = Actor(type="agent", id="quality_gate")
MODES: dict[str, QualityMode] = {"prd": "full", "feature": "light"}
SHOWN_WITHIN_S = 30.0
RUNNING = "running"

Tell = Callable[[Sequence[Event]], Awaitable[None]]
IsCancelled = Callable[[], Awaitable[bool]]


class RunCancelled(Exception):
    """Somebody has cancelled the run; its graph goes no further."""


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What to judge: ``artifact`` is an id, a number, or `prd`. ``mode`` None: that of its type."""

    project: str
    artifact: str = "prd"
    mode: QualityMode | None = None
    key: str = field(default_factory=draw_key)


async def never_cancelled() -> bool:
    return False


async def run_quality(
    settings: Settings, request: GateRequest, is_cancelled: IsCancelled = never_cancelled
) -> QualityRunRow:
    """Judge an artifact by the quality gate, and answer with the run as the tables hold it.

    Raises NotFound, Invalid for a mode that is not of the artifact's type, Unavailable.
    """
    check_key(request.key)
    project_id = await ask(settings, lambda tables: projects.project_of(tables, request.project))
    run_id = derive_id("qlr", project_id, request.artifact, request.mode or "", request.key)
    known = await ask(settings, lambda tables: quality.find_run(tables, run_id))
    if known and known.status != RUNNING:
        return known
    begun = (known.artifact_version, known.input_ledger_seq or 0) if known else None
    artifact = await ask(
        settings, lambda tables: quality.assessed(tables, project_id, request.artifact, begun)
    )
    mode = _choose_mode(artifact, request.mode)
    async with _open_tell(settings, project_id) as tell:
        run = await _go_through(artifact, run_id, mode, tell, is_cancelled)
    return await _find_finished(settings, run)


async def list_quality_runs(
    settings: Settings, project: str, artifact: str | None = None
) -> list[QualityRunRow]:
    """All runs of a project, or of one artifact, oldest first. Raises NotFound."""

    def question(tables: Conn) -> list[QualityRunRow]:
        project_id = projects.project_of(tables, project)
        found = quality.assessed(tables, project_id, artifact).artifact_id if artifact else None
        return list(take(partial(quality.runs, tables, project_id, found)))

    return await ask(settings, question)


async def read_quality_run(
    settings: Settings, project: str, run_id: str | None = None
) -> tuple[QualityRunRow, list[QualityRunEvent]]:
    """A run, by default the latest over the PRD, and its events. Raises NotFound."""

    def question(tables: Conn) -> tuple[QualityRunRow, list[QualityRunEvent]]:
        found = quality.run(tables, projects.project_of(tables, project), run_id)
        return found, quality.events(tables, found.quality_run_id)

    return await ask(settings, question)


def _choose_mode(artifact: AssessedArtifact, wanted: QualityMode | None) -> QualityMode:
    mode = MODES.get(artifact.artifact_type)
    if mode is None:
        raise Invalid(
            f"The quality gate judges the PRD and features, not this {artifact.artifact_type}.",
            code="not_judged",
        )
    if wanted not in (None, mode):
        raise Invalid(
            f"A {artifact.artifact_type} is judged in {mode} mode, not in {wanted} mode.",
            code="wrong_mode",
        )
    return mode


async def _go_through(
    artifact: AssessedArtifact,
    run_id: str,
    mode: QualityMode,
    tell: Tell,
    is_cancelled: IsCancelled,
) -> QualityRun:
    """Run the graph; its last event says how it ended, also where that is by no evaluation.

    Raises Unavailable, after which the run may go on, and Refusal when a part has failed.
    """
    from agents.quality.graph import Assessed, conclude, run_gate

    events: list[Event] = []

    async def tell_unless_cancelled(new: Sequence[Event]) -> None:
        if await is_cancelled():
            raise RunCancelled
        events.extend(new)
        await tell(new)

    assessed = Assessed(
        quality_run_id=run_id,
        artifact_id=artifact.artifact_id,
        version=artifact.version,
        input_ledger_seq=artifact.ledger_seq,
        mode=mode,
        sections=tuple(artifact.sections),
    )
    parts = _build_parts(artifact, tell_unless_cancelled, assessed)
    try:
        run = conclude(await run_gate(parts), parts)
    except RunCancelled:
        run = _break_off(assessed, events, "cancelled")
    except Unavailable:
        raise
    except Exception as error:
        await tell([_finish(_break_off(assessed, events, "failed", type(error).__name__), events)])
        raise Refusal(
            f"The quality run {run_id} has failed: {type(error).__name__}.",
            code="quality_run_failed",
        ) from error
    except asyncio.CancelledError:
        if await is_cancelled():  # by a person, not by a process that gives the work to another
            await tell([_finish(_break_off(assessed, events, "cancelled"), events)])
        raise
    await tell([_finish(run, events)])
    return run


def _build_parts(artifact: AssessedArtifact, tell: Tell, assessed: Assessed) -> Parts:
    """The gate by rule, over what the artifact rests on."""
    from agents.quality.graph import Parts
    from schemas.quality_gate import list_failing_sections
    from streams.reduce import gate, revision
    from streams.reduce.inputs import Grounds
    from streams.reduce.items import ENGINE
    from streams.reduce.validator import errors, validate

    grounds = Grounds(artifact.atoms, artifact.contradictions)

    async def load() -> Assessed:
        return assessed

    async def evaluate(mode: QualityMode, sections: Sequence[Section]) -> list[DimensionScore]:
        return gate.evaluate(mode, sections, grounds)

    async def revise(
        sections: Sequence[Section], dimensions: Sequence[DimensionScore]
    ) -> list[Section]:
        return revision.revise(sections, list_failing_sections(dimensions), grounds)

    def find_errors(sections: Sequence[Section]) -> list[ReviewFinding]:
        return errors(validate(sections, grounds, "deep"))

    return Parts(load, evaluate, revise, find_errors, tell, ENGINE)


def _break_off(
    assessed: Assessed,
    events: Sequence[Event],
    status: Literal["failed", "cancelled"],
    error: str = "",
) -> QualityRun:
    """How a run ended that did not go through the graph."""
    from streams.reduce.items import ENGINE

    done = [one.iteration for one in events if isinstance(one, IterationCompleted)]
    return QualityRun(
        quality_run_id=assessed.quality_run_id,
        artifact_id=assessed.artifact_id,
        artifact_version=assessed.version,
        mode=assessed.mode,
        status=status,
        iteration=max(done, default=0),
        max_iterations=MAX_ITERATIONS[assessed.mode],
        engine=ENGINE,
        error=error,
    )


def _finish(run: QualityRun, events: Sequence[Event]) -> QualityRunFinished:
    return QualityRunFinished(
        quality_run_id=run.quality_run_id,
        artifact_id=run.artifact_id,
        seq=len(events) + 1,
        run=run,
    )


@asynccontextmanager
async def _open_tell(settings: Settings, project_id: str) -> AsyncIterator[Tell]:
    """What publishes events as the quality gate's, in their order."""
    from connectors.runner import open_publish

    async with open_publish(settings, SystemClock(), redactor_of(settings)) as publish:

        async def tell(events: Sequence[Event]) -> None:
            for event in events:  # one after the other, or a broken connection could mix them
                at = utc_millis(SystemClock().now())
                await publish(
                    [outside_fact(event, project_id=project_id, occurred_at=at, actor=QUALITY_GATE)]
                )

        yield tell


async def _find_finished(settings: Settings, run: QualityRun) -> QualityRunRow:
    """The run as the tables hold it when they have its end. Raises Unavailable."""

    def look(tables: Conn) -> QualityRunRow | None:
        found = quality.find_run(tables, run.quality_run_id)
        return found if found and found.status != RUNNING else None

    found = await wait_for(settings, look, timeout_s=SHOWN_WITHIN_S)
    if found is None:
        raise Unavailable(
            f"The run is recorded, but the tables have not shown it within {SHOWN_WITHIN_S:.0f} s.",
            code="tables_behind",
            detail={"quality_run_id": run.quality_run_id},
        )
    return found
