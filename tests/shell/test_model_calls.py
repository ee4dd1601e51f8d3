"""Reading and judging with a model, live on the broker; rules where nobody answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agents.models.errors import AllProvidersFailed
from infra.platform.settings import Settings
from schemas.envelope import SYSTEM, Envelope, Event, outside_fact
from schemas.events.atom import AtomAdjudicated
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.events.judgement import PairJudged
from streams.app import Stages, Worker
from streams.pipeline import pipeline
from streams.shell.publisher import LogPosition
from streams.shell.reading import read_by_rules
from tests.extraction.asking import AnsweringModel, a_request_to_judge, read_plainly
from tests.reading.documents import a_chunk
from tests.shell.harness import facts_of, facts_until, publish, until_committed
from tests.shell.stages import AT

pytestmark = pytest.mark.broker
REQUESTS, RESULTS, VERDICTS = "extract.deep.v1", "atom.candidate.v1", "atom.validated.v1"
PAIRS = "ledger.control.v1"
CHUNKS = 24


def a_fact(event: Event, key: str) -> Envelope:
    given = {"project_id": "prj_one", "occurred_at": AT, "actor": SYSTEM, "lane": "deep"}
    return outside_fact(event, natural_key=key, **given)  # type: ignore[arg-type]


def chunk_no(number: int) -> ChunkCreated:
    said = f"The gate number {number} keeps its records. Gate {number} may lose its keys at night."
    ids = {"chunk_id": f"chk_{number:02d}", "source_id": f"src_{number % 3}"}
    return a_chunk(said).model_copy(update=ids)


async def bring_requests(settings: Settings, engine: str, run_id: str) -> None:
    """Chunks, and a request for each with the place where it stands."""
    chunks = [chunk_no(number) for number in range(CHUNKS)]
    places = await publish(settings, *(a_fact(each, each.chunk_id) for each in chunks))
    await publish(
        settings,
        *(
            a_fact(request_for(chunk, at, place, engine, run_id), f"{run_id}|{chunk.chunk_id}")
            for at, (chunk, place) in enumerate(zip(chunks, places, strict=True), 1)
        ),
    )


def request_for(
    chunk: ChunkCreated, position: int, place: LogPosition, engine: str, run_id: str
) -> ExtractRequested:
    return ExtractRequested.model_validate(
        {
            "run_id": run_id,
            "batch_no": 0,
            "position": position,
            "batch_size": CHUNKS,
            "lane": "deep",
            "engine": engine,
            "chunk_id": chunk.chunk_id,
            "source_id": chunk.source_id,
            "chunk_partition": place.partition,
            "chunk_offset": place.offset,
        }
    )


@asynccontextmanager
async def reading_with(settings: Settings, model: AnsweringModel) -> AsyncIterator[None]:
    names = ("map_deep", "reflect", "adjudicate", "judge")
    steps = tuple(it for it in pipeline(read_by_rules).steps if it.name in names)
    async with Worker(settings, Stages(steps=steps), model=model).running() as worker:
        await worker.ready()
        yield


def test_a_model_reads_what_it_is_asked_for_and_rules_where_it_does_not_answer(fresh: Settings):
    """One worker: short chunks share calls, each borderline candidate gets its verdict, a pair its
    answer; then nobody answers; then a run by rules asks nobody.
    """
    model = AnsweringModel(read_plainly)

    def refuse(request: object) -> None:
        raise AllProvidersFailed("away")

    async def scenario() -> None:
        await bring_requests(fresh, "model", "run_1")
        async with reading_with(fresh, model):
            check_readings(await facts_until(fresh, RESULTS, CHUNKS), model)
            await facts_until(fresh, VERDICTS, 2 * CHUNKS)
            await publish(fresh, a_fact(a_request_to_judge(), "pairs"))
            (requested, judged) = await facts_until(fresh, PAIRS, 2)
            assert judged.causation_id == requested.event_id
            assert isinstance(judged.event, PairJudged)
            assert (judged.event.conflict, judged.event.decided_by) == (False, "model")
            model.answering = refuse
            await bring_requests(fresh, "model", "run_2")
            await facts_until(fresh, RESULTS, 2 * CHUNKS)
            asked = len(model.requests)
            await bring_requests(fresh, "heuristic", "run_3")
            results = await facts_until(fresh, RESULTS, 3 * CHUNKS)
            await until_committed(fresh, "map_deep", REQUESTS)
            await until_committed(fresh, "adjudicate", VERDICTS)
        assert len(model.requests) == asked
        readings = [fact.event.reading for fact in results]  # type: ignore[attr-defined]
        by_rules = {it.outcome for it in readings if it.engine == "heuristic"}
        assert by_rules == {"extracted"}
        assert Counter(it.engine for it in readings) == {"model": CHUNKS, "heuristic": 2 * CHUNKS}
        check_verdicts([fact.event for fact in await facts_of(fresh, VERDICTS)], model)

    asyncio.run(scenario())


def check_readings(results: list[Envelope], model: AnsweringModel) -> None:
    readings = [fact.event.reading for fact in results]  # type: ignore[attr-defined]
    assert {(it.engine, it.outcome) for it in readings} == {("model", "extracted")}
    assert len({it.chunk_id for it in readings}) == CHUNKS
    calls = len(model.asked_by("extractor"))
    assert calls < CHUNKS / 2
    assert sum(it.input_tokens for it in readings) == 1_001 * calls
    assert round(sum(it.cost_usd for it in readings), 9) == round(0.0123 * calls, 9)


def check_verdicts(told: list[Event], model: AnsweringModel) -> None:
    verdicts = [it for it in told if isinstance(it, AtomAdjudicated)]
    most = CHUNKS // 5
    reasons = Counter((it.decided_by, it.reason) for it in verdicts)
    assert reasons == {("model", ""): most, ("fallback", "overflow"): CHUNKS - most}
    assert len(model.asked_by("adjudicator")) == most
