"""Reads chunks with a model: one call for several, one result for each, whatever comes of it.

Who could not be asked is not the chunk's fault: then the reader by rules reads it. So it does where
an answer about this very chunk cannot be used. An answer about several that cannot be used is asked
for again about fewer, one about a single chunk that was cut about the sentences it did not reach.
What is complete in such an answer is kept. No question is asked a third time, and after a few
answers in a row that bring nothing the rest is left to the rules: the model is not well. What tries
without a result have used counts for their chunks.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from agents.extraction.anchors import has_words
from agents.extraction.answer import Answer, ReadAtom, ReadChunk
from agents.extraction.packing import Waiting, share
from agents.extraction.prompt import Prepared, ask_about, list_shown, show_only
from agents.extraction.results import Asked, Unread, count_spent, make_result
from agents.extraction.sentences import SUSPECT_TYPES, is_list_of_facts
from agents.models.answers import read_answer, refuse_answer
from agents.models.call import ChatModel, ModelAnswer
from agents.models.errors import (
    AnswerCut,
    AnswerMalformed,
    BudgetExceeded,
    ModelError,
    is_nobody_there,
)
from schemas.areas import Area
from schemas.events.atom import CandidatesExtracted
from schemas.model_reading import COST_DECIMALS, Spent

MOST_USELESS = 3  # answers in a row that bring nothing, until the rest of a call is left to rules
MOST_PARTS = 6  # questions about one chunk whose answers are cut


Result = CandidatesExtracted | Unread


def wait_for_call(asked: Asked, is_alone: bool = False) -> Waiting[Asked]:
    """The chunk as it waits for a call. One that was flagged shares none: what it may talk a model
    into stays with it. Nor does a list of facts, whose answer is long.
    """
    request, chunk = asked.request, asked.chunk
    is_flagged = any(it.annotation_type in SUSPECT_TYPES for it in chunk.annotations)
    is_alone = is_alone or is_flagged or is_list_of_facts(chunk)
    alone = chunk.chunk_id if is_alone else ""
    context = (asked.project_id, request.run_id, request.project_state_version, alone)
    return Waiting(asked, context, chunk.token_estimate)


async def read_together(
    asked: Sequence[Asked], model: ChatModel
) -> AsyncGenerator[tuple[int, Result], None]:
    """The place of each chunk in ``asked`` with its result, each as soon as it is there."""
    reading = _Together(asked, model)
    async for at, result in reading.read([*range(len(asked))], may_repair=True):
        yield at, result


@dataclass
class _Together:
    """The chunks of one call until each has its result. ``stop``: why the rest is not asked about,
    ``useless`` counts the answers in a row that brought nothing.
    """

    asked: Sequence[Asked]
    model: ChatModel
    spent: list[Spent] = field(default_factory=list)
    stop: ModelError | None = None
    useless: int = 0

    def __post_init__(self) -> None:
        self.spent = [Spent()] * len(self.asked)

    async def read(
        self, places: Sequence[int], may_repair: bool
    ) -> AsyncGenerator[tuple[int, Result], None]:
        """The result of each of these chunks."""
        if self.stop is None and len(places) == 1:
            yield places[0], await self._read_alone(places[0], may_repair)
            return
        results: dict[int, CandidatesExtracted] = {}
        error: ModelError | None = self.stop
        if error is None:
            try:
                results = await self._ask_together(places, may_repair)
            except ModelError as refused:
                error = refused
                results = self._take_complete(places, refused)
        for at, candidates in results.items():
            yield at, candidates
        left = [at for at in places if at not in results]
        if self.stop is not None:
            for at in left:
                yield at, Unread(self.stop, self.spent[at])
            return
        for fewer in [left] if results else _halve(left):
            if fewer:
                async for at, result in self.read(fewer, may_repair=error is None):
                    yield at, result

    async def _ask_together(
        self, places: Sequence[int], may_repair: bool
    ) -> dict[int, CandidatesExtracted]:
        """What a call found in each chunk that it is about. Raises ModelError."""
        asked = [self.asked[at] for at in places]
        answer = await self._ask([(it, it.prepared) for it in asked], may_repair)
        read = _by_number(answer, len(places))
        self.useless = 0
        weights = [
            request.chunk.token_estimate if number in read else 0
            for number, request in enumerate(asked, 1)
        ]
        self._charge(places, count_spent(answer), weights)
        atoms = _move_home(asked, read)
        return {
            at: make_result(
                self.asked[at], atoms[number], read[number].gaps, answer, self.spent[at]
            )
            for number, at in enumerate(places, 1)
            if number in read
        }

    async def _ask(self, asked: Sequence[tuple[Asked, Prepared]], may_repair: bool) -> ModelAnswer:
        first = asked[0][0]
        request = ask_about(
            [(item.request, prepared) for item, prepared in asked],
            first.project_id,
            first.correlation_id,
            may_repair=may_repair,
        )
        return await self.model.complete(request)

    def _take_complete(
        self, places: Sequence[int], error: ModelError
    ) -> dict[int, CandidatesExtracted]:
        """The chunks of which an answer that cannot be used says all; the rest is asked again."""
        weights = [self.asked[at].chunk.token_estimate for at in places]
        self._charge(places, count_spent(error), weights)
        if _is_for_the_rest(error):
            self.stop = error
            return {}
        read = _list_complete(error)
        results = {
            at: make_result(
                self.asked[at], read[number].atoms, read[number].gaps, error, self.spent[at]
            )
            for number, at in enumerate(places, 1)
            if number in read
        }
        self._count_useless(error, is_useless=not results)
        return results

    async def _read_alone(self, at: int, may_repair: bool) -> Result:
        """The result for one chunk, part by part where its answers are cut."""
        asked = self.asked[at]
        parts, kept, gaps, calls = [asked.prepared], list[ReadAtom](), list[Area](), 0
        end: ModelAnswer | ModelError
        while parts:
            part = parts.pop(0)
            calls += 1
            try:
                end = await self._ask([(asked, part)], may_repair)
                read = _by_number(end, 1)[1]
            except ModelError as error:
                self.spent[at] += count_spent(error)
                given = [it for chunk in _list_given(error) for it in chunk.atoms]
                kept += given
                rest = _go_on(part, given) if isinstance(error, AnswerCut) else None
                if rest is None or calls == MOST_PARTS:
                    self._stop_for(error, is_useless=not kept)
                    return Unread(error, self.spent[at], tuple(kept))
                parts[:0] = rest
                end = error
                continue
            self.useless = 0
            self.spent[at] += count_spent(end)
            kept += read.atoms
            gaps += read.gaps
        return make_result(asked, kept, gaps, end, self.spent[at], calls)

    def _stop_for(self, error: ModelError, is_useless: bool) -> None:
        if _is_for_the_rest(error):
            self.stop = error
        else:
            self._count_useless(error, is_useless)

    def _count_useless(self, error: ModelError, is_useless: bool) -> None:
        self.useless = self.useless + 1 if is_useless else 0
        if self.useless >= MOST_USELESS:
            self.stop = error

    def _charge(self, places: Sequence[int], spent: Spent, weights: Sequence[int]) -> None:
        for at, part in zip(places, _share(spent, weights), strict=True):
            self.spent[at] += part


def _go_on(part: Prepared, given: Sequence[ReadAtom]) -> list[Prepared] | None:
    """What of a part is still to be asked about after its answer was cut; None: it cannot be made
    smaller.
    """
    shown = list_shown(part)
    quoted = [number for atom in given for quote in atom.evidence for number in quote.sentences]
    if not any(number in shown for number in quoted):
        halves = [show_only(part, half) for half in _halve(shown) if half]
        return halves if len(halves) > 1 else None
    reached = max(number for number in quoted if number in shown)
    rest = [number for number in shown if number > reached]
    return [show_only(part, rest)] if rest else []


def _halve(places: Sequence[int]) -> list[list[int]]:
    middle = len(places) // 2
    return [[*places[:middle]], [*places[middle:]]]


def _is_for_the_rest(error: ModelError) -> bool:
    """Whether other chunks of the same run would not be read, either."""
    return isinstance(error, BudgetExceeded) or is_nobody_there(error)


def _share(spent: Spent, weights: Sequence[int]) -> list[Spent]:
    """``spent`` in parts by ``weights`` that add up to it, to the billionth of a dollar."""
    billionths = share(round(spent.cost_usd * 10**COST_DECIMALS), weights)
    tokens = zip(
        share(spent.input_tokens, weights), share(spent.output_tokens, weights), strict=True
    )
    return [
        Spent(*used, part / 10**COST_DECIMALS)
        for used, part in zip(tokens, billionths, strict=True)
    ]


def _by_number(answer: ModelAnswer, count: int) -> dict[int, ReadChunk]:
    """The answer by the number of the chunk, from 1 to ``count``; the first one counts. Statements
    about one chunk are about that one, whatever number they have, and an answer that counts from 0
    is counted from 1.

    Raises AnswerMalformed.
    """
    chunks = read_answer(answer, Answer).chunks
    if count == 1 and len(chunks) == 1 and chunks[0].atoms:
        return {1: chunks[0]}
    numbers = {each.chunk for each in chunks}
    step = 1 if 0 in numbers and count not in numbers else 0
    read: dict[int, ReadChunk] = {}
    for each in chunks:
        if 1 <= each.chunk + step <= count:
            read.setdefault(each.chunk + step, each)
    if not read:
        raise refuse_answer(answer, "The answer is about none of the chunks")
    return read


def _move_home(asked: Sequence[Asked], read: dict[int, ReadChunk]) -> dict[int, list[ReadAtom]]:
    """The statements by the number of the chunk that has their words: an answer may take one chunk
    for another.
    """
    texts = {number: asked[number - 1].chunk.text_payload for number in read}
    placed: dict[int, list[ReadAtom]] = {number: [] for number in read}
    for number, chunk in read.items():
        for atom in chunk.atoms:
            quotes = [quote.anchor for quote in atom.evidence]
            homes = [at for at, text in texts.items() if has_words(text, quotes)]
            is_elsewhere = len(homes) == 1 and number not in homes
            placed[homes[0] if is_elsewhere else number].append(atom)
    return placed


def _list_given(error: ModelError) -> list[ReadChunk]:
    """What an answer that cannot be used does say."""
    given = error.kept.data if isinstance(error, AnswerMalformed) else None
    return Answer.model_validate(given).chunks if given else []


def _list_complete(error: ModelError) -> dict[int, ReadChunk]:
    """The chunks of which it says all, by number: those that lack nothing, nor where it was cut."""
    if not isinstance(error, AnswerMalformed):
        return {}
    given = _list_given(error)
    last = len(given) - 1 if isinstance(error, AnswerCut) else len(given)
    read: dict[int, ReadChunk] = {}
    for place, each in enumerate(given):
        if place not in error.kept.lossy and place < last:
            read.setdefault(each.chunk, each)
    return read
