"""Reads chunks with a model: one call for several, one result for each, whatever comes of it.

Who could not be asked is not the chunk's fault: then the reader by rules reads it. So it does where
the providers refuse this very chunk. An answer that stays malformed is tried again chunk by chunk,
and a chunk whose answers all were is given up. What tries without a result have used counts for
their chunks.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from agents.extraction.answer import Answer, ReadChunk
from agents.extraction.candidates import make_candidates
from agents.extraction.packing import Waiting, share
from agents.extraction.prompt import PROMPT_VERSION, Prepared, ask_about
from agents.extraction.sentences import SUSPECT_TYPES, is_list_of_facts
from agents.models.answers import read_answer, refuse_answer
from agents.models.call import ChatModel, ModelAnswer
from agents.models.errors import AnswerMalformed, BudgetExceeded, ModelError, is_nobody_there
from agents.reader import most_atoms
from schemas.events.atom import CandidatesExtracted, Reading
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.model_reading import COST_DECIMALS, Spent
from schemas.versions import MODEL_EXTRACTOR_VERSION

ENGINE = "model"
TRIES = 3  # of a chunk by itself; within each the answer is sent back once with what is wrong


@dataclass(frozen=True, slots=True)
class Unread:
    """Why rules have to read a chunk, and what it has cost to ask about it in vain."""

    error: ModelError
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Asked:
    """A chunk to ask a model about, and for whom."""

    project_id: str
    correlation_id: str | None
    request: ExtractRequested
    chunk: ChunkCreated
    prepared: Prepared


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
) -> AsyncGenerator[tuple[int, CandidatesExtracted | Unread], None]:
    """The place of each chunk in ``asked`` with its result, each as soon as it is there.

    What a call about several chunks leaves out, or gets wrong as a whole, is asked chunk by chunk.
    """
    read: list[CandidatesExtracted | None] = [None] * len(asked)
    spent = [Spent()] * len(asked)
    stop: ModelError | None = None  # why the rest is not asked about
    if len(asked) > 1:
        try:
            read = await _ask(asked, model, 1, spent)
        except ModelError as error:
            spent = _share(count_spent(error), [one.chunk.token_estimate for one in asked])
            stop = error if _is_for_the_rest(error) else None
    for at, known in enumerate(read):
        if known is not None:
            yield at, known
    for at, one in enumerate(asked):
        if read[at] is not None:
            continue
        result = Unread(stop, spent[at]) if stop else await _read_alone(one, model, spent[at])
        if isinstance(result, Unread) and _is_for_the_rest(result.error):
            stop = result.error
        yield at, result


def note_unread(by_rules: CandidatesExtracted, unread: Unread) -> CandidatesExtracted:
    """What rules read in place of a model, with the reason and what it cost to ask in vain."""
    reading, spent = by_rules.reading, unread.spent
    noted = {
        "error": unread.error.code,
        "input_tokens": reading.input_tokens + spent.input_tokens,
        "output_tokens": reading.output_tokens + spent.output_tokens,
        "cost_usd": spent.cost_usd,
    }
    return by_rules.model_copy(update={"reading": reading.model_copy(update=noted)})


def count_spent(end: ModelAnswer | ModelError) -> Spent:
    """What all attempts used that ended in this answer or error."""
    return Spent(end.usage.input_tokens, end.usage.output_tokens, end.cost_usd or 0.0)


async def _read_alone(asked: Asked, model: ChatModel, spent: Spent) -> CandidatesExtracted | Unread:
    """The result for one chunk, poison when all answers were malformed. ``spent`` until now."""
    for attempt in range(1, TRIES + 1):
        try:
            (found,) = await _ask([asked], model, attempt, [spent])
        except AnswerMalformed as error:
            spent += count_spent(error)
        except ModelError as error:
            return Unread(error, spent + count_spent(error))
        else:
            assert found is not None, "the only chunk of an answer that names one"
            return found
    return _give_up(asked, spent)


async def _ask(
    asked: Sequence[Asked], model: ChatModel, attempt: int, before: Sequence[Spent]
) -> list[CandidatesExtracted | None]:
    """One call: what it found in each chunk, None for a chunk it left out. ``before``: what was
    spent on each until now. Raises ModelError.
    """
    first = asked[0]
    request = ask_about(
        [(one.request, one.prepared) for one in asked],
        first.project_id,
        first.correlation_id,
        occurrence=str(attempt) if attempt > 1 else "",
    )
    answer = await model.complete(request)
    read = _read(answer, len(asked))
    weights = [
        one.chunk.token_estimate if number in read else 0 for number, one in enumerate(asked, 1)
    ]
    parts = _share(count_spent(answer), weights)
    return [
        _result(one, read[number], answer, attempt, spent + part) if number in read else None
        for number, (one, spent, part) in enumerate(zip(asked, before, parts, strict=True), 1)
    ]


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


def _read(answer: ModelAnswer, count: int) -> dict[int, ReadChunk]:
    """The answer by the number of the chunk, from 1 to ``count``; the first one counts.

    Raises AnswerMalformed.
    """
    parsed = read_answer(answer, Answer)
    read: dict[int, ReadChunk] = {}
    for each in parsed.chunks:
        if 1 <= each.chunk <= count:
            read.setdefault(each.chunk, each)
    if not read:
        raise refuse_answer(answer, "The answer is about none of the chunks")
    return read


def _result(
    asked: Asked, read: ReadChunk, answer: ModelAnswer, attempt: int, spent: Spent
) -> CandidatesExtracted:
    request, chunk = asked.request, asked.chunk
    # A list of facts says by its last lines which of the others still hold.
    most = most_atoms(request.max_atoms_per_chunk, len(asked.prepared.sentences))
    most = len(read.atoms) if is_list_of_facts(chunk) else most
    return CandidatesExtracted(
        reading=_reading(
            asked,
            spent,
            provider=answer.provider,
            model=answer.model,
            attempts=attempt,
            truncated_atoms=max(0, len(read.atoms) - most),
        ),
        chunk_partition=request.chunk_partition,
        chunk_offset=request.chunk_offset,
        candidates=make_candidates(chunk, asked.prepared, request.run_id, read.atoms, most),
        gaps=[*dict.fromkeys(read.gaps)],
        latency_ms=answer.latency_ms,
    )


def _give_up(asked: Asked, spent: Spent) -> CandidatesExtracted:
    request = asked.request
    return CandidatesExtracted(
        reading=_reading(
            asked, spent, outcome="poison", error=AnswerMalformed.code, attempts=TRIES
        ),
        chunk_partition=request.chunk_partition,
        chunk_offset=request.chunk_offset,
    )


def _reading(asked: Asked, spent: Spent, **fields: object) -> Reading:
    request, chunk = asked.request, asked.chunk
    reading = Reading(
        run_id=request.run_id,
        batch_no=request.batch_no,
        position=request.position,
        batch_size=request.batch_size,
        lane=request.lane,
        chunk_id=request.chunk_id,
        source_id=request.source_id,
        sanitized_hash=chunk.sanitized_hash,
        structure_path=chunk.structure_path,
        outcome="extracted",
        engine=ENGINE,
        prompt_version=PROMPT_VERSION,
        extractor_version=MODEL_EXTRACTOR_VERSION,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        project_state_version=request.project_state_version,
    )
    return reading.model_copy(update=fields)
