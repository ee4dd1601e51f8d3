"""The quality gate as a graph of its own: ``init`` -> ``evaluator`` -> end, or ``reviser`` ->
``evaluator``.

Who judges and who revises is handed in, by rule now and by a model one day; so is the validator of
citations. The graph alone sees to it that only failing sections change, and to the limits of a
mode.
"""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypedDict

from agents.runs.graphs import DrawnGraph, describe_graph, run_to_end
from agents.runs.review_loop import Round, decide_next, limit_steps
from schemas.envelope import Event
from schemas.events.artifact_quality import DimensionScore, QualityMode, QualityRun
from schemas.events.artifact_sections import ReviewFinding, Section
from schemas.events.quality import QualityRunStarted, SectionRevised
from schemas.quality_gate import (
    MAX_ITERATIONS,
    describe_evaluation,
    final_tier,
    list_failing_sections,
    passes,
    select_dimensions,
)

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

EVALUATOR, REVISER = "evaluator", "reviser"
STEPS = limit_steps(max(MAX_ITERATIONS.values()), 2)  # never met: a mode has a limit of its own


@dataclass(frozen=True, slots=True)
class Assessed:
    """The version that a run is about, as it is at a position of the ledger.

    ``may_revise`` False: the run only judges, once.
    """

    quality_run_id: str
    artifact_id: str
    version: int
    input_ledger_seq: int
    mode: QualityMode
    sections: tuple[Section, ...]
    may_revise: bool = True

    @property
    def max_iterations(self) -> int:
        return MAX_ITERATIONS[self.mode] if self.may_revise else 1


Load = Callable[[], Awaitable[Assessed]]
Evaluate = Callable[[QualityMode, Sequence[Section]], Awaitable[list[DimensionScore]]]
Revise = Callable[[Sequence[Section], Sequence[DimensionScore]], Awaitable[Sequence[Section]]]
FindErrors = Callable[[Sequence[Section]], Sequence[ReviewFinding]]
Tell = Callable[[Sequence[Event]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the graph is built of. ``tell`` hears of each node's events before the next begins."""

    load: Load
    evaluate: Evaluate
    revise: Revise
    find_errors: FindErrors
    tell: Tell
    engine: str
    model: str | None = None


class GateState(TypedDict, total=False):
    """``events`` are all so far; their number is the last ``seq``."""

    assessed: Assessed
    sections: list[Section]
    iteration: int
    dimensions: list[DimensionScore]
    events: Annotated[list[Event], operator.add]


class Node(Protocol):
    async def __call__(self, state: GateState) -> dict[str, Any]: ...


def load_with(parts: Parts) -> Node:
    async def init(state: GateState) -> dict[str, Any]:
        assessed = await parts.load()
        started = QualityRunStarted(
            quality_run_id=assessed.quality_run_id,
            artifact_id=assessed.artifact_id,
            seq=1,
            artifact_version=assessed.version,
            input_ledger_seq=assessed.input_ledger_seq,
            mode=assessed.mode,
            max_iterations=assessed.max_iterations,
            dimensions=select_dimensions(
                assessed.mode, [section.section_id for section in assessed.sections]
            ),
            engine=parts.engine,
            model=parts.model,
        )
        await parts.tell([started])
        sections = list(assessed.sections)
        return {"assessed": assessed, "sections": sections, "iteration": 0, "events": [started]}

    return init


def evaluate_with(parts: Parts) -> Node:
    async def evaluator(state: GateState) -> dict[str, Any]:
        assessed, iteration = state["assessed"], state["iteration"] + 1
        dimensions = await parts.evaluate(assessed.mode, state["sections"])
        events = describe_evaluation(
            assessed.quality_run_id,
            assessed.artifact_id,
            len(state["events"]) + 1,
            iteration,
            dimensions,
        )
        await parts.tell(events)
        return {"iteration": iteration, "dimensions": dimensions, "events": events}

    return evaluator


def revise_with(parts: Parts) -> Node:
    async def reviser(state: GateState) -> dict[str, Any]:
        """Failing sections as the reviser made them; one that the validator refuses stays."""
        before, dimensions = state["sections"], state["dimensions"]
        proposed = await parts.revise(before, dimensions)
        allowed = list_failing_sections(dimensions)
        sections = _take_over(before, proposed, allowed)
        refused = {finding.section_id for finding in parts.find_errors(sections)}
        sections = _take_over(before, sections, set(allowed) - refused)
        events = _describe_revision(state, sections)
        await parts.tell(events)
        return {"sections": sections, "events": events}

    return reviser


def after_evaluator(state: GateState) -> Literal["reviser", "__end__"]:
    last = Round(is_accepted=passes(state["dimensions"]))
    step = decide_next(last, None, state["iteration"], state["assessed"].max_iterations)
    return "reviser" if step == "revise" else "__end__"


def build_graph(parts: Parts) -> CompiledStateGraph[GateState, None, GateState, GateState]:
    from langgraph.graph import START, StateGraph

    graph = StateGraph(GateState)
    graph.add_node("init", load_with(parts))
    graph.add_node(EVALUATOR, evaluate_with(parts))
    graph.add_node(REVISER, revise_with(parts))
    graph.add_edge(START, "init")
    graph.add_edge("init", EVALUATOR)
    graph.add_conditional_edges(EVALUATOR, after_evaluator)
    graph.add_edge(REVISER, EVALUATOR)
    return graph.compile(name="quality_gate")


def draw_graph() -> tuple[list[str], list[tuple[str, str]]]:
    """The nodes, first and last ones included, and the steps from node to node."""
    drawn = _draw()
    return list(drawn.nodes), [(edge.source, edge.target) for edge in drawn.edges]


def describe_drawing() -> DrawnGraph:
    """The graph as it is compiled."""
    return describe_graph(_draw())


def _draw() -> Any:
    async def nobody(*_: object) -> Any:
        raise NotImplementedError("a drawn graph does not run")

    return build_graph(
        Parts(nobody, nobody, nobody, lambda sections: (), nobody, engine="")
    ).get_graph()


async def run_gate(parts: Parts) -> GateState:
    """Go through the graph once; its last state. Raises what the parts raise."""
    return await run_to_end(build_graph(parts), GateState(events=[]), STEPS)


def conclude(state: GateState, parts: Parts) -> QualityRun:
    """How a run that went through the graph ended."""
    assessed, dimensions = state["assessed"], state["dimensions"]
    return QualityRun(
        quality_run_id=assessed.quality_run_id,
        artifact_id=assessed.artifact_id,
        artifact_version=assessed.version,
        mode=assessed.mode,
        status="passed" if passes(dimensions) else "needs_attention",
        iteration=state["iteration"],
        max_iterations=assessed.max_iterations,
        final_tier=final_tier(dimensions),
        dimensions=dimensions,
        revised_sections=[section.section_id for section in list_revised(state)],
        engine=parts.engine,
        model=parts.model,
    )


def list_revised(state: GateState) -> list[Section]:
    """The sections that are others than those the run began with."""
    before = {section.section_id: section.content_hash for section in state["assessed"].sections}
    return [
        section
        for section in state["sections"]
        if before[section.section_id] != section.content_hash
    ]


def _take_over(
    before: Sequence[Section], proposed: Sequence[Section], allowed: Collection[str]
) -> list[Section]:
    """The sections of ``before`` in their order, the ``allowed`` ones as proposed."""
    others = {section.section_id: section for section in proposed if section.section_id in allowed}
    return [others.get(section.section_id, section) for section in before]


def _describe_revision(state: GateState, sections: Sequence[Section]) -> list[Event]:
    assessed, seq = state["assessed"], len(state["events"]) + 1
    changed = [
        (before, after)
        for before, after in zip(state["sections"], sections, strict=True)
        if before.content_hash != after.content_hash
    ]
    return [
        SectionRevised(
            quality_run_id=assessed.quality_run_id,
            artifact_id=assessed.artifact_id,
            seq=seq + at,
            iteration=state["iteration"],
            section=after,
            previous_content_hash=before.content_hash,
        )
        for at, (before, after) in enumerate(changed)
    ]
