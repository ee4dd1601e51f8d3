"""The tasks of which a model does a part, by the functions that the stages ask it with.

Each answer says in ``engine`` who read: rules do where nobody could be asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from typing import Any

from agents.extraction.packing import take_pack
from agents.extraction.prompt import prepare
from agents.extraction.reader import read_together, wait_for_call
from agents.extraction.results import Asked, Unread, note_unread
from agents.models.call import ChatModel
from agents.models.errors import ModelError
from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from infra.measure import classify, contradict, extract
from infra.measure.rows import Options, Row
from infra.platform.errors import Refusal
from schemas.events.atom import AtomReflected, Candidate, CandidatesExtracted
from schemas.events.hygiene import ChunkCreated
from schemas.events.judgement import JudgementRequested, PairToJudge, StatementToJudge
from schemas.ids import sha256_hex
from streams.ledger.opposition.opposition import SURE
from streams.ledger.pairs.doubts import DOUBTFUL_FROM
from streams.ledger.pairs.judged_pairs import MOST_PAIRS
from streams.ledger.turns.turns import settle
from streams.reflection import reflect
from streams.reflection.adjudication import decide_by_rule
from streams.reflection.sampling import may_ask
from streams.shell.single_calls import ask_about_borderline, ask_judge

PROJECT = "prj_eval"  # whose costs these are
AT_ONCE = 8
MODEL_TASKS = ("classify", "contradict", "extract")


def check_task(task: str) -> None:
    """Raises Refusal for a task of which a model does no part."""
    if task not in MODEL_TASKS:
        raise Refusal(
            f"A model has no part in {task}; it has in {', '.join(MODEL_TASKS)}."
            " Leave out the engine.",
            code="no_model_in_task",
        )


async def answer_by_model(
    task: str, rows: Sequence[Row], options: Options, model: ChatModel
) -> AsyncIterator[dict[str, Any]]:
    """The answers to ``rows`` in their order."""
    if task == "classify":
        chunks = [_sentence_chunk(row) for row in rows]
        for row, read in zip(rows, await _read(chunks, model), strict=True):
            yield _classified(row, read)
        return
    if task == "contradict":
        for line in await _judge(rows, options, model):
            yield line
        return
    cleaned = [extract.clean_row(row) for row in rows]
    read_ones = iter(await _read([it for one in cleaned for it in one.chunks], model))
    for row, one in zip(rows, cleaned, strict=True):
        readings = [next(read_ones) for _ in one.chunks]
        judged = [
            await _reflect(reading, chunk, model)
            for reading, chunk in zip(readings, one.chunks, strict=True)
        ]
        engines = {reading.reading.engine for reading in readings}
        for line in extract.tell(row, one, judged, options):
            yield line | {"engine": "heuristic" if engines == {"heuristic"} else "model"}


async def _read(chunks: Sequence[ChunkCreated], model: ChatModel) -> list[CandidatesExtracted]:
    """The readings of the chunks in order; all of a document are one batch."""
    asked = [
        Asked(PROJECT, None, extract.request_for(it, "model", at, count), it, prepare(it))
        for it, at, count in _places(chunks)
    ]
    gate = asyncio.Semaphore(AT_ONCE)

    async def read(pack: Sequence[Asked]) -> dict[str, CandidatesExtracted]:
        async with gate:
            return {
                pack[at].chunk.chunk_id: _complete(pack[at], result)
                async for at, result in read_together(pack, model)
            }

    found: dict[str, CandidatesExtracted] = {}
    for of_pack in await asyncio.gather(*(read(pack) for pack in _packs(asked))):
        found |= of_pack
    return [found[it.chunk.chunk_id] for it in asked]


def _places(chunks: Sequence[ChunkCreated]) -> Iterator[tuple[ChunkCreated, int, int]]:
    """Each chunk with its place among those of its source, from 1, and how many those are."""
    counts: dict[str, int] = {}
    for chunk in chunks:
        counts[chunk.source_id] = counts.get(chunk.source_id, 0) + 1
    reached: dict[str, int] = {}
    for chunk in chunks:
        reached[chunk.source_id] = reached.get(chunk.source_id, 0) + 1
        yield chunk, reached[chunk.source_id], counts[chunk.source_id]


def _packs(asked: Sequence[Asked]) -> Iterator[list[Asked]]:
    left = [wait_for_call(it) for it in asked]
    while left:
        taken = take_pack(left)
        yield [left[at].item for at in taken]
        left = [it for at, it in enumerate(left) if at not in taken]


def _complete(asked: Asked, result: CandidatesExtracted | Unread) -> CandidatesExtracted:
    if not isinstance(result, Unread):
        return result
    by_rules = OfflineReader().read(ReadRequest(asked.request, asked.chunk))
    return note_unread(by_rules, asked, result)


async def _reflect(
    extracted: CandidatesExtracted, chunk: ChunkCreated, model: ChatModel
) -> AtomReflected:
    reflected = reflect(extracted, chunk, has_model=extracted.reading.engine == "model")
    verdicts = decide_by_rule(reflected)
    if reflected.adjudicate and may_ask(reflected.reading):
        with suppress(ModelError):
            verdicts = await ask_about_borderline(reflected, chunk, PROJECT, None, model)
    return settle(reflected, verdicts)


async def _judge(rows: Sequence[Row], options: Options, model: ChatModel) -> list[dict[str, Any]]:
    """The rules' answers, and the model's where those leave a doubt, as in the ledger."""
    answers = [it | {"engine": "heuristic"} for it in contradict.answer_all(rows, options)]
    doubtful = [at for at, it in enumerate(answers) if DOUBTFUL_FROM <= it["score"] < SURE]
    gate = asyncio.Semaphore(AT_ONCE)

    async def ask(places: Sequence[int]) -> None:
        pairs = [_pair(rows[at]) for at in places]
        requested = JudgementRequested(run_id="", batch_no=places[0], pairs=pairs)
        async with gate:
            with suppress(ModelError):
                judged = await ask_judge(requested, PROJECT, None, model)
                for at, said in zip(places, judged, strict=True):
                    answers[at] |= contradict.tell(said)

    packs = (doubtful[at : at + MOST_PAIRS] for at in range(0, len(doubtful), MOST_PAIRS))
    await asyncio.gather(*map(ask, packs))
    return answers


def _pair(row: Row) -> PairToJudge:
    """The two texts of a row as claims."""
    a, b = (
        StatementToJudge(atom_id=f"{row['id']} {side}", kind="claim", title=text, body=text)
        for side, text in (("a", row["a"]), ("b", row["b"]))
    )
    return PairToJudge(a=a, b=b)


def _sentence_chunk(row: Row) -> ChunkCreated:
    """The text of a row as a chunk of a document of its own."""
    text = row["text"]
    name = sha256_hex(f"{row['id']}|{text}")
    return ChunkCreated(
        chunk_id=f"chk_{name[:16]}",
        source_id=f"src_{name[:16]}",
        path=extract.NAME_WITHOUT_PATH,
        title="",
        source_type="doc",
        priority_tier=3,
        sanitized_hash=name,
        anchor_type="window",
        anchor_start=0,
        anchor_end=len(text),
        chunk_version="eval",
        line_start=1,
        line_end=1 + text.count("\n"),
        text_payload=text,
        text_hash=sha256_hex(text),
        token_estimate=(len(text.encode()) + 3) // 4,
    )


def _classified(row: Row, read: CandidatesExtracted) -> dict[str, Any]:
    if read.reading.engine == "heuristic":
        (answer,) = classify.answer_all([row], Options())
        return answer | {"engine": "heuristic"}
    found: list[Candidate] = sorted(read.candidates, key=lambda it: -it.confidence)
    best: dict[str, Candidate] = {}
    for candidate in found:
        best.setdefault(candidate.kind, candidate)
    first = next(iter(best.values()), None)
    return {
        "id": row["id"],
        "label": first.kind if first else "other",
        "score": first.confidence if first else 0.0,
        "kinds": [{"kind": kind, "confidence": it.confidence} for kind, it in best.items()],
        "attributes": first.attributes if first else {},
        "engine": "model",
    }
