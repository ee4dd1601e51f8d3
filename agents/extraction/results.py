"""What comes of asking about a chunk: what was found in it, or why rules have to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.extraction.answer import ReadAtom
from agents.extraction.candidates import make_candidates
from agents.extraction.prompt import PROMPT_VERSION, Prepared
from agents.extraction.sentences import is_list_of_facts
from agents.models.call import ModelAnswer
from agents.models.errors import ModelError
from agents.reader import describe_document, most_atoms
from schemas.areas import Area
from schemas.events.atom import Candidate, CandidatesExtracted, Reading
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.model_reading import Spent
from schemas.versions import MODEL_EXTRACTOR_VERSION

ENGINE, BY_RULES = "model", "heuristic"


@dataclass(frozen=True, slots=True)
class Unread:
    """Why rules have to read a chunk, or the rest of it, and what it has cost to ask about it.

    ``kept`` are the statements that answers about it did give.
    """

    error: ModelError
    spent: Spent = Spent()
    kept: tuple[ReadAtom, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A chunk to ask a model about, and for whom."""

    project_id: str
    correlation_id: str | None
    request: ExtractRequested
    chunk: ChunkCreated
    prepared: Prepared


def note_unread(
    by_rules: CandidatesExtracted, asked: Asked | None, unread: Unread
) -> CandidatesExtracted:
    """What rules read in place of a model, with the reason and what it cost to ask in vain.

    Beside the statements that a model did give, rules add only what stands elsewhere in the chunk.
    """
    reading, spent = by_rules.reading, unread.spent
    noted = {
        "error": unread.error.code,
        "input_tokens": reading.input_tokens + spent.input_tokens,
        "output_tokens": reading.output_tokens + spent.output_tokens,
        "cost_usd": spent.cost_usd,
    }
    if asked is None or not unread.kept:
        return by_rules.model_copy(update={"reading": reading.model_copy(update=noted)})
    most = most_atoms(asked.request.max_atoms_per_chunk, len(asked.prepared.sentences))
    kept = make_candidates(asked.chunk, asked.prepared, asked.request.run_id, [*unread.kept], most)
    others = [
        it.model_copy(update={"engine": BY_RULES})
        for it in by_rules.candidates
        if not any(_share_a_place(it, other) for other in kept)
    ]
    last = unread.error.attempts[-1] if unread.error.attempts else None
    named = {"provider": last.provider, "model": last.model} if last else {}
    whole = _reading(asked, spent, **noted, **named)
    return by_rules.model_copy(update={"reading": whole, "candidates": [*kept, *others]})


def count_spent(end: ModelAnswer | ModelError) -> Spent:
    """What all attempts used that ended in this answer or error."""
    return Spent(end.usage.input_tokens, end.usage.output_tokens, end.cost_usd or 0.0)


def make_result(
    asked: Asked,
    atoms: Sequence[ReadAtom],
    gaps: Sequence[Area],
    end: ModelAnswer | ModelError,
    spent: Spent,
    attempts: int = 1,
) -> CandidatesExtracted:
    request, chunk = asked.request, asked.chunk
    # A list of facts says by its last lines which of the others still hold.
    most = most_atoms(request.max_atoms_per_chunk, len(asked.prepared.sentences))
    most = len(atoms) if is_list_of_facts(chunk) else most
    served = end if isinstance(end, ModelAnswer) else next(iter(end.attempts[::-1]), None)
    return CandidatesExtracted(
        reading=_reading(
            asked,
            spent,
            provider=served.provider if served else None,
            model=served.model if served else None,
            attempts=attempts,
            truncated_atoms=max(0, len(atoms) - most),
        ),
        chunk_partition=request.chunk_partition,
        chunk_offset=request.chunk_offset,
        candidates=make_candidates(chunk, asked.prepared, request.run_id, [*atoms], most),
        gaps=[*dict.fromkeys(gaps)],
        latency_ms=end.latency_ms if isinstance(end, ModelAnswer) else 0,
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
        document=describe_document(chunk),
    )
    return reading.model_copy(update=fields)


def _share_a_place(a: Candidate, b: Candidate) -> bool:
    return any(
        one.char_start < other.char_end and other.char_start < one.char_end
        for one in a.evidence
        for other in b.evidence
    )
