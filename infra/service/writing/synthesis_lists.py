"""A model goes through a list: one item, handed over at once, then its decision to go on.

Rules have made the list; the items that come after the last one keep their words.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agents.loop import Surroundings, run_loop
from agents.models.errors import (
    AllProvidersFailed,
    BudgetExceeded,
    RequestRefused,
    is_nobody_there,
)
from agents.synthesis.lists import EarlierItem, EarlierItems, decide
from infra.service.writing.synthesis import Cancelled, Piece, Writer, find_open
from projections.read.quality import AssessedArtifact
from projections.read.wording import ListedItem
from schemas.events.artifact_parts import PHASES, ArtifactType
from schemas.generation import Decision, add_known
from streams.reduce.artifacts.items import MODEL
from streams.reduce.artifacts.loop import RULES

TOLD_CHARS = 300  # of an item that is told of to the next
FATAL = (AllProvidersFailed, Cancelled, RequestRefused)


class StepRefused(Exception):
    """A provider refuses what was asked besides the words of an item; others may be answered."""


@contextlib.contextmanager
def _refused_alone() -> Iterator[None]:
    """Raises StepRefused, or RequestRefused where any other request would be refused, too."""
    try:
        yield
    except RequestRefused as refused:
        if is_nobody_there(refused):
            raise
        raise StepRefused(str(refused)) from refused


@dataclass(slots=True)
class ListMaker:
    """See ``agents.loop.ItemMaker``: the open items in their order, in the model's words.

    ``told`` are the items that have a model's words, those of before the loop first, and ``kept``
    the words of those that it made. ``ended_by`` is what nobody can word on after.
    """

    writer: Writer
    left: deque[ListedItem]
    told: list[EarlierItem]
    earlier: EarlierItems
    kept: list[str] = field(default_factory=list)
    ended_by: Exception | None = None

    async def make(self, earlier: Sequence[Piece]) -> Piece | None:
        while self.left:
            artifact = await self.writer.ports.find(self.left.popleft().artifact_id)
            if artifact and (sections := find_open(artifact)):
                return await self.writer.ask(artifact, sections, await self._describe())
        return None

    async def decide(self, earlier: Sequence[Piece]) -> Decision:
        said = await self._describe()
        left = [one.title for one in self.left]
        with _refused_alone():
            return await decide(self.writer.model, self.writer.caller, said, left)

    async def _describe(self) -> str:
        with _refused_alone():
            return await self.earlier.describe(self.told)

    def text_of(self, item: Piece) -> str:
        return item.text

    def id_of(self, item: Piece) -> str:
        return item.artifact.artifact_id

    def list_inputs(self, item: Piece) -> list[str]:
        atoms = [one.atom_id for one in item.artifact.atoms]
        return [*atoms, *(one.contradiction_id for one in item.artifact.contradictions)]

    async def keep(self, item: Piece) -> None:
        await self.writer.hand_over(item)
        self.told.append(tell(item.artifact, item.text))
        self.kept.append(item.text)

    async def take_error(self, error: Exception, in_a_row: int) -> None:
        if isinstance(error, FATAL):
            self.ended_by = error

    def is_over(self) -> bool:
        return self.ended_by is not None


async def word_list(writer: Writer, artifact_type: ArtifactType) -> None:
    """Word a list until the model says that it is enough, and have it recorded how that went.

    An item that repeats another one ends its loop and keeps the words of the rules; what comes
    after it is for the next loop, or it would stand before that for good. Raises what nobody can
    word on after: AllProvidersFailed, BudgetExceeded, RequestRefused and Cancelled.
    """
    known, left = await _share(writer, await writer.ports.list_items(artifact_type))
    maker = ListMaker(
        writer,
        deque(left),
        [tell(*one) for one in known],
        EarlierItems(writer.model, writer.caller),
    )
    world: Surroundings[Piece] = Surroundings(maker.keep, maker.take_error, maker.is_over)
    texts = [text for _, text in known]
    while maker.left:
        first = maker.left[0].artifact_id
        loop = await run_loop(
            PHASES[artifact_type], maker, RULES, world, add_known([*texts, *maker.kept])
        )
        if not isinstance(maker.ended_by, AllProvidersFailed | RequestRefused):
            await writer.tell_loop(loop.model_copy(update={"engine": MODEL}), first)
        if maker.ended_by:
            raise maker.ended_by
        if loop.stop_reason == "budget_exceeded":
            raise BudgetExceeded("The budget does not allow another item.")
        if loop.stop_reason != "duplicate_detected":
            return


async def _share(
    writer: Writer, items: Sequence[ListedItem]
) -> tuple[list[tuple[AssessedArtifact, str]], list[ListedItem]]:
    """The items with a model's words and what they say, and those that wait for some."""
    known, left = [], []
    for item in items:
        artifact = await writer.ports.find(item.artifact_id)
        if artifact and find_open(artifact):
            left.append(item)
        elif artifact:
            texts = [said.text for one in artifact.sections for said in one.statements]
            known.append((artifact, "\n".join(texts)))
    return known, left


def tell(artifact: AssessedArtifact, text: str) -> EarlierItem:
    return EarlierItem(artifact.title, text[:TOLD_CHARS])
