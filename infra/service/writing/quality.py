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

from infra.platform.clock import SystemClock
from infra.platform.errors import Invalid, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import check_key, draw_key, redactor_of
from infra.service.models.models import open_model
from infra.service.planning.section_edits import request_change
from projections.read import projects, quality
from projections.read.quality import AssessedArtifact, QualityRunEvent, QualityRunRow
from projections.read.session import Conn
from schemas.codec import utc_millis
from schemas.envelope import Actor, Event, outside_fact
from schemas.events.artifact_quality import QualityMode, QualityRun
from schemas.events.artifact_sections import Section
from schemas.events.change import ChangeRequested, EditedStatement, SectionEdit
from schemas.events.quality import IterationCompleted, QualityRunFinished
from schemas.ids import derive_id
from streams.reduce.prd.revision import list_removals

if TYPE_CHECKING:
    from agents.quality.graph import Assessed, Parts
    from infra.service.writing.quality_parts import Assessor

QUALITY_GATE = Actor(type="agent", id="quality_gate")
MODES: dict[str, QualityMode] = {"prd": "full", "feature": "light"}
RUNNING = "running"

Tell = Callable[[Sequence[Event]], Awaitable[None]]
IsCancelled = Callable[[], Awaitable[bool]]
HandOver = Callable[[QualityRun, Sequence[Section]], Awaitable[QualityRun]]


@dataclass(frozen=True, slots=True)
class QualityGraph:
    nodes: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]


class RunCancelled(Exception):
    """Somebody has cancelled the run; its graph goes no further."""


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What to judge: ``artifact`` is an id, a number, or `prd`. ``mode`` None: that of its type.

    ``may_revise`` False: the run judges and changes nothing.
    """

    project: str
    artifact: str = "prd"
    mode: QualityMode | None = None
    key: str = field(default_factory=draw_key)
    may_revise: bool = True


async def never_cancelled() -> bool:
    return False


async def check_judged(
    settings: Settings, project: str, artifact: str, mode: QualityMode | None
) -> None:
    """Refuse at once what a run would refuse. Raises NotFound, Invalid, DatabaseUnavailable."""

    def read(tables: Conn) -> AssessedArtifact:
        project_id = projects.find_project(tables, project)
        return quality.read_assessed(tables, project_id, artifact, None)

    _choose_mode(await ask(settings, read), mode)


async def run_quality(
    settings: Settings, request: GateRequest, is_cancelled: IsCancelled = never_cancelled
) -> QualityRunRow:
    """Judge an artifact by the quality gate, and answer with the run as the tables hold it.

    Raises NotFound, Invalid for a mode that is not of the artifact's type, Unavailable.
    """
    from infra.service.writing.quality_parts import Assessor

    check_key(request.key)
    project_id = await ask(settings, lambda tables: projects.find_project(tables, request.project))
    run_id = _run_id_of(request, project_id)
    known = await ask(settings, lambda tables: quality.find_quality_run(tables, run_id))
    if known and known.status != RUNNING:
        return known
    begun = (known.artifact_version, known.input_ledger_seq or 0) if known else None
    artifact = await ask(
        settings, lambda tables: quality.read_assessed(tables, project_id, request.artifact, begun)
    )
    mode = _choose_mode(artifact, request.mode)
    async with _open_tell(settings, project_id) as tell, open_model(settings) as model:
        hand_over = partial(_hand_over, settings, project_id)
        run = await judge(
            artifact,
            run_id,
            mode,
            tell,
            is_cancelled,
            hand_over,
            Assessor(artifact, project_id, model, correlation_id=run_id),
            may_revise=request.may_revise,
        )
    return await _find_finished(settings, run)


async def find_newer_version(settings: Settings, request: GateRequest, version: int) -> int | None:
    """The version that has taken the place of ``version``; None as long as that is the present one,
    and for a run that has begun. Raises NotFound.
    """

    def question(tables: Conn) -> int | None:
        project_id = projects.find_project(tables, request.project)
        if quality.find_quality_run(tables, _run_id_of(request, project_id)):
            return None
        present = quality.read_assessed(tables, project_id, request.artifact).version
        return present if present != version else None

    return await ask(settings, question)


def _run_id_of(request: GateRequest, project_id: str) -> str:
    return derive_id("qlr", project_id, request.artifact, request.mode or "", request.key)


def describe_quality_graph() -> QualityGraph:
    """The nodes of the gate's graph and the steps between them."""
    from agents.quality.graph import draw_graph

    nodes, steps = draw_graph()
    return QualityGraph(tuple(nodes), tuple(steps))


async def read_quality_run(
    settings: Settings, project: str, run_id: str | None = None
) -> tuple[QualityRunRow, list[QualityRunEvent]]:
    """A run, by default the latest over the PRD, and its events. Raises NotFound."""

    def question(tables: Conn) -> tuple[QualityRunRow, list[QualityRunEvent]]:
        found = quality.read_quality_run(tables, projects.find_project(tables, project), run_id)
        return found, quality.list_quality_events(tables, found.quality_run_id)

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


async def judge(
    artifact: AssessedArtifact,
    run_id: str,
    mode: QualityMode,
    tell: Tell,
    is_cancelled: IsCancelled,
    hand_over: HandOver,
    assessor: Assessor,
    *,
    may_revise: bool = True,
) -> QualityRun:
    """Run the graph; its last event says how it ended, also where that is by no evaluation.

    Raises Unavailable, after which the run may go on, and Refusal when a part has failed.
    """
    from agents.quality.graph import Assessed, conclude, list_revised, run_gate

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
        may_revise=may_revise,
    )
    parts = _build_parts(assessor, tell_unless_cancelled, assessed)
    try:
        state = await run_gate(parts)
        run = assessor.describe(conclude(state, parts))
        run = await hand_over(run, list_revised(state))
        if run.revised_sections:
            removed = list_removals(assessed.sections, state["sections"])
            run = run.model_copy(update={"removed": removed})
    except RunCancelled:
        run = assessor.describe(_break_off(assessed, events, "cancelled"))
    except Unavailable:
        raise
    except Exception as error:
        failed = assessor.describe(_break_off(assessed, events, "failed", type(error).__name__))
        await tell([_finish(failed, events)])
        raise Refusal(
            f"The quality run {run_id} has failed: {type(error).__name__}.",
            code="quality_run_failed",
        ) from error
    except asyncio.CancelledError:
        if await is_cancelled():  # by a person, not by a process that gives the work to another
            ended = assessor.describe(_break_off(assessed, events, "cancelled"))
            await tell([_finish(ended, events)])
        raise
    await tell([_finish(run, events)])
    return run


async def _hand_over(
    settings: Settings, project_id: str, run: QualityRun, revised: Sequence[Section]
) -> QualityRun:
    """Ask the writer of artifacts to take over what was revised; ``error`` says why it did not.

    The run is over all the same: it has judged what there was.
    """
    if not revised:
        return run
    change = ChangeRequested(
        artifact_id=run.artifact_id,
        sections=[_describe_section(one) for one in revised],
        expected_version=run.artifact_version,
        editor=QUALITY_GATE.id,
        editor_kind="quality_gate",
        model=next((one.model for one in revised if one.model), None),
        prompt_version=next((one.prompt_version for one in revised if one.model), None),
    )
    fact = outside_fact(
        change,
        project_id=project_id,
        occurred_at=utc_millis(SystemClock().now()),
        actor=QUALITY_GATE,
        natural_key=run.quality_run_id,
    )
    try:
        await request_change(settings, fact)
    except Unavailable:
        raise
    except Refusal as refused:
        return run.model_copy(update={"error": refused.code, "revised_sections": []})
    return run


def _describe_section(section: Section) -> SectionEdit:
    statements = [
        EditedStatement(text=one.text, citations=one.citations) for one in section.statements
    ]
    return SectionEdit(section_id=section.section_id, statements=statements)


def _build_parts(assessor: Assessor, tell: Tell, assessed: Assessed) -> Parts:
    """The gate over what the artifact rests on."""
    from agents.quality.graph import Parts

    async def load() -> Assessed:
        return assessed

    return Parts(
        load,
        assessor.evaluate,
        assessor.revise,
        assessor.find_errors,
        tell,
        assessor.planned_engine,
    )


def _break_off(
    assessed: Assessed,
    events: Sequence[Event],
    status: Literal["failed", "cancelled"],
    error: str = "",
) -> QualityRun:
    """How a run ended that did not go through the graph."""
    from streams.reduce.artifacts.items import ENGINE

    done = [one.iteration for one in events if isinstance(one, IterationCompleted)]
    return QualityRun(
        quality_run_id=assessed.quality_run_id,
        artifact_id=assessed.artifact_id,
        artifact_version=assessed.version,
        mode=assessed.mode,
        status=status,
        iteration=max(done, default=0),
        max_iterations=assessed.max_iterations,
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
        found = quality.find_quality_run(tables, run.quality_run_id)
        return found if found and found.status != RUNNING else None

    return await wait_until_shown(settings, look, "The run", quality_run_id=run.quality_run_id)
