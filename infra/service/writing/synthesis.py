"""Pieces of artifacts in a model's words: asked for, checked, handed to the writer of artifacts.

What the model words badly twice, or somebody changes meanwhile, stays as it is. Who reads and who
writes is handed in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agents.loop import NotKept
from agents.models.call import ChatModel, ModelAnswer
from agents.models.errors import RequestRefused
from agents.synthesis.counted import CountedModel
from agents.synthesis.order import (
    DOCUMENT_TYPES,
    DOCUMENTS,
    WORDED_TYPES,
    CitedArtifact,
    Order,
)
from agents.synthesis.prompts import PROMPT_VERSION
from agents.synthesis.wording import AGENT, Caller, Worded, word
from projections.read.quality import AssessedArtifact, CitedDocument
from projections.read.wording import ListedItem
from schemas.events.artifact_loops import LoopRecord
from schemas.events.artifact_parts import ArtifactType
from schemas.events.artifact_sections import ReviewFinding, Section
from schemas.events.change import ChangeRequested, SectionEdit
from schemas.events.ledger import ContradictionRecord
from schemas.ids import derive_id
from streams.reduce.artifacts.items import ENGINE
from streams.reduce.model_texts import draft_sections
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.texts.inputs import Grounds

MOST_REFUSED = 3  # sections in a row that providers refuse to word


@dataclass(frozen=True, slots=True)
class WriterPorts:
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

    def count(self, answer: ModelAnswer) -> None:
        self.tokens += answer.usage.input_tokens + answer.usage.output_tokens
        self.cost_usd += answer.cost_usd or 0.0
        if answer.model not in self.models:
            self.models.append(answer.model)

    def keep(self, order: Order, codes: Iterable[str]) -> None:
        for section in order.sections:
            self.kept[f"{order.artifact_id} {section.section_id}"] = sorted(set(codes))


class Cancelled(Exception):
    """Somebody has cancelled the work."""


class WordsRefused(NotKept):
    """The model's words for a piece are not taken; those of the rules stay."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What a model says in the place of the rules; ``text`` is all of it."""

    artifact: AssessedArtifact
    order: Order
    worded: Worded

    @property
    def text(self) -> str:
        return "\n".join(said.text for one in self.worded.sections for said in one.statements)

    @property
    def change(self) -> ChangeRequested:
        return make_change(self.artifact, self.worded.sections, self.worded.model)

    @property
    def key(self) -> str:
        """The same words for the same version are one request."""
        marks = [one.input_hash for one in self.worded.sections]
        artifact = self.artifact
        return derive_id(
            "syn", artifact.artifact_id, artifact.version, *marks, self.worded.request_hash
        )


@dataclass(slots=True)
class Writer:
    """Asks a model for pieces and hands them over; ``report`` says what came of it, and what all
    answers cost.
    """

    model: ChatModel
    project_id: str
    ports: WriterPorts
    correlation_id: str | None = None
    report: Report = field(default_factory=Report)
    refused: int = 0

    def __post_init__(self) -> None:
        self.model = CountedModel(self.model, self.report.count)

    @property
    def caller(self) -> Caller:
        return Caller(self.project_id, correlation_id=self.correlation_id)

    async def ask(
        self, artifact: AssessedArtifact, sections: Sequence[Section], earlier: str = ""
    ) -> Piece:
        """Raises WordsRefused, Cancelled, and ModelError where the model does not answer."""
        if await self.ports.is_cancelled():
            raise Cancelled
        order = make_order(artifact, sections, earlier)
        try:
            worded = await word(self.model, self.caller, order, find_errors_of(artifact))
        except RequestRefused as refused:
            self.refused += 1
            self.report.keep(order, [refused.code])
            if self.refused >= MOST_REFUSED:
                raise
            raise WordsRefused from refused
        self.refused = 0
        if not worded.sections:
            self.report.keep(order, (one.code for one in worded.findings))
            raise WordsRefused
        return Piece(artifact, order, worded)

    async def hand_over(self, piece: Piece) -> None:
        """Raises WordsRefused where the writer of artifacts does not take it."""
        if refusal := await self.ports.hand_over(piece.change, piece.key):
            self.report.keep(piece.order, [refusal])
            raise WordsRefused
        self.report.worded += 1

    async def tell_loop(self, loop: LoopRecord, artifact_id: str) -> None:
        """Have it recorded how the model went through a list."""
        change = ChangeRequested(
            artifact_id=artifact_id,
            sections=[],
            expected_version=0,
            editor=AGENT,
            editor_kind="model",
            loop=loop,
        )
        await self.ports.hand_over(
            change, derive_id("syn", self.project_id, loop.model_dump_json())
        )


def find_open(artifact: AssessedArtifact) -> list[Section]:
    """The sections that rules alone have worded, that a model may word, and nobody has edited."""
    wanted = _worded_sections(artifact)
    return [
        one
        for one in artifact.sections
        if one.statements
        and one.state == "generated"
        and one.engine == ENGINE
        and (wanted is None or one.section_id in wanted)
    ]


def _worded_sections(artifact: AssessedArtifact) -> Collection[str] | None:
    """Of a sprint plan or report those that a model words; None: all of them."""
    return DOCUMENTS.get(artifact.artifact_type)


def make_order(
    artifact: AssessedArtifact,
    sections: Sequence[Section],
    earlier: str = "",
    critique: Mapping[str, str] | None = None,
) -> Order:
    known = (*WORDED_TYPES, *DOCUMENT_TYPES)
    (artifact_type,) = (one for one in known if one == artifact.artifact_type)
    return Order(
        artifact_type=artifact_type,
        artifact_id=artifact.artifact_id,
        title=artifact.title,
        sections=sections,
        atoms={one.atom_id: one for one in artifact.atoms},
        artifacts={one.artifact_id: _cite(one) for one in artifact.documents},
        contradictions=_disputes_of(artifact),
        earlier=earlier,
        critique=critique or {},
    )


def _cite(document: CitedDocument) -> CitedArtifact:
    said = " ".join(document.statements)
    return CitedArtifact(document.artifact_id, document.artifact_type, document.title, said)


def _disputes_of(artifact: AssessedArtifact) -> Sequence[ContradictionRecord]:
    """A line of a plan or report names artifacts, and these name what is open in them."""
    return () if _worded_sections(artifact) else artifact.contradictions


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
    documents = {one.artifact_id: one.text for one in artifact.documents}
    grounds = Grounds(artifact.atoms, _disputes_of(artifact), documents)

    def find_errors(sections: Sequence[SectionEdit]) -> Sequence[ReviewFinding]:
        try:
            draft_sections(
                artifact.sections, make_change(artifact, sections, None), grounds, "deep"
            )
        except RefusedEdit as refused:
            return refused.findings
        return []

    return find_errors
