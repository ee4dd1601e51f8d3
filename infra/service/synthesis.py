"""A model words the artifacts of a project: section by section, item by item.

Each piece is handed to the writer of artifacts before the next is asked for; what the model words
badly twice, or somebody changes meanwhile, stays as it is. Who reads and who writes is handed in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agents.models.call import ChatModel, ModelAnswer
from agents.models.errors import BudgetExceeded, RequestRefused
from agents.synthesis.lists import Decision, Earlier, Told, decide
from agents.synthesis.order import Order
from agents.synthesis.prompts import PROMPT_VERSION
from agents.synthesis.wording import AGENT, Caller, Worded, word
from projections.read.quality import AssessedArtifact
from projections.read.wording import ListedItem
from schemas.events.artifact_parts import (
    PHASES,
    ArtifactType,
    ContinuationRecord,
    LoopRecord,
    ReviewFinding,
    Section,
    StopReason,
)
from schemas.events.change import ChangeRequested, SectionEdit
from schemas.ids import derive_id
from streams.reduce.edits import RefusedEdit
from streams.reduce.inputs import Grounds
from streams.reduce.items import ENGINE, MODEL
from streams.reduce.loop import STEP_TIMEOUT_S, Course
from streams.reduce.model_texts import draft_sections

LISTS: tuple[ArtifactType, ...] = ("insight", "feature", "task")  # with a decision after each item
GROUPS: tuple[ArtifactType, ...] = ("epic",)
WORDED_TYPES: tuple[ArtifactType, ...] = ("prd", *LISTS, *GROUPS)
TOLD_CHARS = 300  # of an item that is told of to the next
MOST_REFUSED = 3  # sections in a row that providers refuse to word


@dataclass(frozen=True, slots=True)
class Desk:
    """Where artifacts are read, and where a model's words are handed over.

    ``find`` takes an id or ``prd``; None where there is none. ``hand_over`` answers with the reason
    of a refusal; the writer of artifacts takes the same key once.
    """

    find: Callable[[str], Awaitable[AssessedArtifact | None]]
    list_items: Callable[[ArtifactType], Awaitable[Sequence[ListedItem]]]
    hand_over: Callable[[ChangeRequested, str], Awaitable[str | None]]
    is_cancelled: Callable[[], Awaitable[bool]]


@dataclass(slots=True)
class Report:
    """What a model has worded: sections of the PRD and items. ``kept`` says by artifact and section
    why the words of the rules stay; ``stopped`` why the model did not go through everything.
    """

    worded: int = 0
    kept: dict[str, list[str]] = field(default_factory=dict)
    models: list[str] = field(default_factory=list)
    tokens: int = 0
    cost_usd: float = 0.0
    stopped: Literal["budget_exceeded", "cancelled", "model_request_refused"] | None = None

    def count(self, answers: Iterable[ModelAnswer]) -> None:
        for one in answers:
            self.tokens += one.usage.input_tokens + one.usage.output_tokens
            self.cost_usd += one.cost_usd or 0.0
            if one.model not in self.models:
                self.models.append(one.model)

    def keep(self, order: Order, codes: Iterable[str]) -> None:
        for section in order.sections:
            self.kept[f"{order.artifact_id} {section.section_id}"] = sorted(set(codes))


class _Cancelled(Exception):
    """Somebody has cancelled the work."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What came of one order; ``text`` is what the item says now."""

    outcome: Literal["worded", "kept", "repeats"]
    text: str = ""


@dataclass(slots=True)
class Synthesis:
    """One pass over the artifacts of a project."""

    model: ChatModel
    project_id: str
    desk: Desk
    correlation_id: str | None = None
    report: Report = field(default_factory=Report)
    refused: int = 0

    async def run(self) -> Report:
        """Word what only rules have worded. Raises AllProvidersFailed and Unavailable, after which
        it goes on where it was.
        """
        try:
            await self._word_prd()
            for artifact_type in LISTS:
                await self._word_list(artifact_type)
            for artifact_type in GROUPS:
                for item in await self.desk.list_items(artifact_type):
                    await self._word_item(item.artifact_id)
        except BudgetExceeded:
            self.report.stopped = "budget_exceeded"
        except RequestRefused:
            self.report.stopped = "model_request_refused"
        except _Cancelled:
            self.report.stopped = "cancelled"
        return self.report

    @property
    def caller(self) -> Caller:
        return Caller(self.project_id, correlation_id=self.correlation_id)

    async def _word_prd(self) -> None:
        """Section by section, each from the PRD as it is by then."""
        prd = await self.desk.find("prd")
        for section in find_open(prd.sections) if prd else ():
            await self._word_item("prd", only=section.section_id)

    async def _word_item(self, name: str, only: str | None = None) -> None:
        artifact = await self.desk.find(name)
        sections = find_open(artifact.sections) if artifact else []
        wanted = [one for one in sections if only in (None, one.section_id)]
        if artifact and wanted:
            await self._word(artifact, wanted)

    async def _word_list(self, artifact_type: ArtifactType) -> None:
        """One item at a time, with those before in view, until the model says that it is enough."""
        items = await self.desk.list_items(artifact_type)
        course: Course[Told] = Course()
        earlier = Earlier(self.model, self.caller)
        stop: StopReason = "should_continue_false"
        for place, item in enumerate(items):
            artifact = await self.desk.find(item.artifact_id)
            if artifact is None:
                continue
            if not find_open(artifact.sections):
                self._know(course, artifact, _say(artifact.sections))
            elif ended := await self._step(course, earlier, artifact, items[place + 1 :]):
                stop = ended
                break
        if course.steps:
            await self._tell_loop(course.record(PHASES[artifact_type], stop, MODEL), items[0])

    async def _step(
        self,
        course: Course[Told],
        earlier: Earlier,
        artifact: AssessedArtifact,
        left: Sequence[ListedItem],
    ) -> StopReason | None:
        """One item and the decision after it; why the list ends with it, if it does."""
        course.ask()
        said = await earlier.describe(course.items)
        try:
            async with asyncio.timeout(STEP_TIMEOUT_S):
                piece = await self._word(
                    artifact, find_open(artifact.sections), said, course.repeats
                )
        except TimeoutError:
            return course.fail()
        if piece.outcome == "repeats":
            return "duplicate_detected"
        if piece.outcome == "kept":
            return course.fail()
        self._know(course, artifact, piece.text)
        said = await earlier.describe(course.items)
        decision = await decide(self.model, self.caller, said, [one.title for one in left])
        self.report.count([decision.answer])
        return course.decide(_record(artifact, decision))

    @staticmethod
    def _know(course: Course[Told], artifact: AssessedArtifact, text: str) -> None:
        course.take(Told(artifact.title, text[:TOLD_CHARS]), text)

    async def _word(
        self,
        artifact: AssessedArtifact,
        sections: Sequence[Section],
        earlier: str = "",
        is_repeat: Callable[[str], bool] = lambda text: False,
    ) -> _Piece:
        """Ask the model, and hand over what it says. Raises ModelError."""
        if await self.desk.is_cancelled():
            raise _Cancelled
        order = make_order(artifact, sections, earlier)
        try:
            worded = await word(self.model, self.caller, order, find_errors_of(artifact))
        except RequestRefused:
            self.refused += 1
            self.report.keep(order, ["model_request_refused"])
            if self.refused >= MOST_REFUSED:
                raise
            return _Piece("kept")
        self.refused = 0
        self.report.count(worded.answers)
        if not worded.sections:
            self.report.keep(order, (one.code for one in worded.findings))
            return _Piece("kept")
        text = "\n".join(said.text for one in worded.sections for said in one.statements)
        if is_repeat(text):
            self.report.keep(order, ["duplicate_detected"])
            return _Piece("repeats")
        return await self._hand_over(artifact, order, worded, text)

    async def _hand_over(
        self, artifact: AssessedArtifact, order: Order, worded: Worded, text: str
    ) -> _Piece:
        change = make_change(artifact, worded.sections, worded.model)
        marks = [one.input_hash for one in worded.sections]
        key = derive_id("syn", artifact.artifact_id, artifact.version, *marks, worded.request_hash)
        if refusal := await self.desk.hand_over(change, key):
            self.report.keep(order, [refusal])
            return _Piece("repeats" if refusal == "repeats_another" else "kept")
        self.report.worded += 1
        return _Piece("worded", text)

    async def _tell_loop(self, loop: LoopRecord, item: ListedItem) -> None:
        """Have it recorded how the model went through a list."""
        change = ChangeRequested(
            artifact_id=item.artifact_id,
            sections=[],
            expected_version=0,
            editor=AGENT,
            editor_kind="model",
            loop=loop,
        )
        await self.desk.hand_over(change, derive_id("syn", self.project_id, loop.model_dump_json()))


def find_open(sections: Iterable[Section]) -> list[Section]:
    """Those that rules alone have worded, and that nobody has edited."""
    return [
        one
        for one in sections
        if one.statements and one.state == "generated" and one.engine == ENGINE
    ]


def make_order(
    artifact: AssessedArtifact,
    sections: Sequence[Section],
    earlier: str = "",
    critique: Mapping[str, str] | None = None,
) -> Order:
    (artifact_type,) = (one for one in WORDED_TYPES if one == artifact.artifact_type)
    return Order(
        artifact_type=artifact_type,
        artifact_id=artifact.artifact_id,
        title=artifact.title,
        sections=sections,
        atoms={one.atom_id: one for one in artifact.atoms},
        contradictions=artifact.contradictions,
        earlier=earlier,
        critique=critique or {},
    )


def make_change(
    artifact: AssessedArtifact, sections: Sequence[SectionEdit], model: str | None
) -> ChangeRequested:
    """The request that the sections say this."""
    return ChangeRequested(
        artifact_id=artifact.artifact_id,
        sections=list(sections),
        expected_version=artifact.version,
        editor=AGENT,
        editor_kind="model",
        model=model,
        prompt_version=PROMPT_VERSION,
    )


def find_errors_of(
    artifact: AssessedArtifact,
) -> Callable[[Sequence[SectionEdit]], Sequence[ReviewFinding]]:
    """What the writer of artifacts will object to, by its own check."""
    grounds = Grounds(artifact.atoms, artifact.contradictions)

    def find_errors(sections: Sequence[SectionEdit]) -> Sequence[ReviewFinding]:
        try:
            draft_sections(
                artifact.sections, make_change(artifact, sections, None), grounds, "deep"
            )
        except RefusedEdit as refused:
            return refused.findings
        return []

    return find_errors


def _say(sections: Iterable[Section]) -> str:
    return "\n".join(said.text for one in sections for said in one.statements)


def _record(artifact: AssessedArtifact, decision: Decision) -> ContinuationRecord:
    atoms = [one.atom_id for one in artifact.atoms]
    return ContinuationRecord(
        artifact_id=artifact.artifact_id,
        made_from=[*atoms, *(one.contradiction_id for one in artifact.contradictions)],
        should_continue=decision.should_continue,
        confidence=decision.confidence,
        coverage_assessment=decision.coverage_assessment,
        gaps_remaining=list(decision.gaps_remaining),
    )
