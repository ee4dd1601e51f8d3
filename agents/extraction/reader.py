"""Reads chunks with a model: one call for several, one result for each, whatever comes of it.

Who could not be asked is not the chunk's fault: then there is no result here, and the reader by
rules reads it. An answer that stays malformed is tried again chunk by chunk, and a chunk whose
answers all were is given up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from agents.extraction.answer import Answer, ReadChunk
from agents.extraction.candidates import make_candidates
from agents.extraction.packing import Waiting, share
from agents.extraction.prompt import PROMPT_VERSION, Prepared, ask_about
from agents.extraction.sentences import SUSPECT_TYPES
from agents.models.call import ChatModel, ModelAnswer
from agents.models.errors import AnswerMalformed, ModelError, RequestRefused
from schemas.events.atom import CandidatesExtracted, Reading
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.versions import MODEL_EXTRACTOR_VERSION

ENGINE = "model"
TRIES = 3  # of a chunk by itself; within each the answer is sent back once with what is wrong
COST_DECIMALS = 9
NOT_THE_CHUNKS_FAULT = (401, 403, 404)  # HTTP: the key or the model is refused


@dataclass(frozen=True, slots=True)
class ReadTogether:
    """The results of chunks in order, None where rules have to read; ``away``: why nobody can be
    asked any more.
    """

    results: list[CandidatesExtracted | None]
    away: ModelError | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What one chunk has of the cost of its call, and which attempt that was."""

    input_tokens: int
    output_tokens: int
    cost_usd: float
    attempt: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A chunk to ask a model about, and for whom."""

    project_id: str
    correlation_id: str | None
    request: ExtractRequested
    chunk: ChunkCreated
    prepared: Prepared


def wait_for_call(asked: Asked) -> Waiting[Asked]:
    """The chunk as it waits for a call. One that was flagged shares none: what it may talk a model
    into stays with it.
    """
    request, chunk = asked.request, asked.chunk
    alone = (
        chunk.chunk_id
        if any(it.annotation_type in SUSPECT_TYPES for it in chunk.annotations)
        else ""
    )
    context = (asked.project_id, request.run_id, request.project_state_version, alone)
    return Waiting(asked, context, chunk.token_estimate)


async def read_together(asked: Sequence[Asked], model: ChatModel) -> ReadTogether:
    """The result for each chunk in order.

    What a call about several chunks leaves out, or gets wrong as a whole, is asked chunk by chunk.
    """
    found: list[CandidatesExtracted | None] = [None] * len(asked)
    try:
        if len(asked) > 1:
            with contextlib.suppress(AnswerMalformed, RequestRefused):
                found = await _ask(asked, model, attempt=1)
        for at, one in enumerate(asked):
            found[at] = found[at] or await _read_alone(one, model)
    except ModelError as error:
        return ReadTogether(found, error)
    return ReadTogether(found)


async def _read_alone(asked: Asked, model: ChatModel) -> CandidatesExtracted | None:
    """The result for one chunk, poison when all answers were malformed; None when the providers
    refuse this very chunk. Raises ModelError when nobody can be asked.
    """
    for attempt in range(1, TRIES + 1):
        try:
            (found,) = await _ask([asked], model, attempt)
        except AnswerMalformed:
            continue
        except RequestRefused as error:
            if any(each.status in NOT_THE_CHUNKS_FAULT for each in error.attempts):
                raise
            return None
        if found is not None:
            return found
    return _give_up(asked)


async def _ask(
    asked: Sequence[Asked], model: ChatModel, attempt: int
) -> list[CandidatesExtracted | None]:
    """One call: what it found in each chunk, None for a chunk it left out.

    Raises ModelError.
    """
    first = asked[0]
    request = ask_about(
        [(one.request, one.prepared) for one in asked],
        first.project_id,
        first.correlation_id,
        occurrence=str(attempt) if attempt > 1 else "",
    )
    answer = await model.complete(request)
    read = _read(answer)
    known = [number in read for number in range(1, len(asked) + 1)]
    weights = [
        one.chunk.token_estimate if is_known else 0
        for one, is_known in zip(asked, known, strict=True)
    ]
    parts = zip(
        share(answer.usage.input_tokens, weights),
        share(answer.usage.output_tokens, weights),
        _share_cost(answer.cost_usd or 0.0, weights),
        strict=True,
    )
    return [
        _result(one, read[number], answer, Part(*part, attempt)) if number in read else None
        for number, (one, part) in enumerate(zip(asked, parts, strict=True), 1)
    ]


def _read(answer: ModelAnswer) -> dict[int, ReadChunk]:
    """The answer by the number of the chunk; the first one counts. Raises AnswerMalformed."""
    try:
        parsed = Answer.model_validate(answer.data)
    except ValidationError as error:
        raise AnswerMalformed(f"{error.error_count()} fields of the answer do not fit") from None
    read: dict[int, ReadChunk] = {}
    for each in parsed.chunks:
        read.setdefault(each.chunk, each)
    return read


def _share_cost(cost_usd: float, weights: Sequence[int]) -> list[float]:
    """The cost in parts by ``weights`` that add up to it, to the billionth of a dollar."""
    billionths = round(cost_usd * 10**COST_DECIMALS)
    return [part / 10**COST_DECIMALS for part in share(billionths, weights)]


def _result(asked: Asked, read: ReadChunk, answer: ModelAnswer, part: Part) -> CandidatesExtracted:
    request, chunk = asked.request, asked.chunk
    most = request.max_atoms_per_chunk
    reading = _reading(asked).model_copy(
        update={
            "provider": answer.provider,
            "model": answer.model,
            "attempts": part.attempt,
            "input_tokens": part.input_tokens,
            "output_tokens": part.output_tokens,
            "cost_usd": part.cost_usd,
            "truncated_atoms": max(0, len(read.atoms) - most),
        }
    )
    return CandidatesExtracted(
        reading=reading,
        chunk_partition=request.chunk_partition,
        chunk_offset=request.chunk_offset,
        candidates=make_candidates(chunk, asked.prepared, request.run_id, read.atoms, most),
        gaps=[*dict.fromkeys(read.gaps)],
        latency_ms=answer.latency_ms,
    )


def _give_up(asked: Asked) -> CandidatesExtracted:
    given_up = {"outcome": "poison", "error": AnswerMalformed.code, "attempts": TRIES}
    request = asked.request
    return CandidatesExtracted(
        reading=_reading(asked).model_copy(update=given_up),
        chunk_partition=request.chunk_partition,
        chunk_offset=request.chunk_offset,
    )


def _reading(asked: Asked) -> Reading:
    request, chunk = asked.request, asked.chunk
    return Reading(
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
        project_state_version=request.project_state_version,
    )
