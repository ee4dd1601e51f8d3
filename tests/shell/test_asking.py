"""Who is asked, and when not: budgets stop their run, refusals nobody, time-outs lose nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agents.extraction.judge import MAX_EXPLANATION
from agents.models.errors import (
    AllProvidersFailed,
    AnswerMalformed,
    BudgetExceeded,
    ModelError,
    RequestRefused,
)
from infra.platform.settings import Settings
from schemas.codec import encode
from schemas.envelope import SYSTEM, Envelope, Event, outside_fact
from schemas.events.atom import AtomAdjudicated, AtomReflected, CandidatesExtracted, Reading
from schemas.events.hygiene import ChunkCreated
from schemas.events.judgement import PairJudged
from streams.reflection import reflect
from streams.shell.chunks import ChunkReader, Found
from streams.shell.model_reading import ModelReading
from streams.shell.pool import ChildPool
from streams.shell.reading import read_by_rules
from streams.shell.single_calls import ModelAdjudication, ModelJudging
from tests.extraction.asking import (
    INPUT_TOKENS,
    TEXTS,
    AnsweringModel,
    a_request,
    a_request_to_judge,
    asked_about,
    read_all,
    read_plainly,
    say_of_pair,
    sentences_in,
)
from tests.reading.documents import a_chunk
from tests.shell.stages import AT

MAY = "The gate may lose all its keys at night."


@dataclass(frozen=True)
class Shell:
    """A loop and a child process, which takes long to start."""

    loop: asyncio.Runner
    pool: ChildPool

    def run(
        self,
        model: AnsweringModel,
        scenario: Callable[[ModelReading], Awaitable[None]],
        timeout_s: float = 60,
        at_once: int = 8,
    ) -> None:
        async def with_asker() -> None:
            asker = ModelReading(model, self.pool, read_by_rules, at_once, timeout_s)
            await scenario(asker)
            await asker.close()

        self.loop.run(with_asker())


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    with asyncio.Runner() as loop:
        pool = ChildPool(1, nice=0)
        yield Shell(loop, pool)
        loop.run(pool.close())


def a_fact(event: Event, project: str) -> Envelope:
    given = {"occurred_at": AT, "actor": SYSTEM, "lane": "deep", "natural_key": "it"}
    return replace(outside_fact(event, project_id=project, **given), recorded_at=AT)  # type: ignore[arg-type]


async def read(asker: ModelReading, *chunks: ChunkCreated, project: str = "prj_1") -> list[Reading]:
    """The readings that the asker has for the chunks, which come at once."""
    answers = await asyncio.gather(
        *(
            asker.answer(a_fact(a_request(it), project), Found(encode(a_fact(it, project))))
            for it in chunks
        )
    )
    events = [event for answer in answers for event in answer or ()]
    return [it.reading for it in events if isinstance(it, CandidatesExtracted)]


def chunks_of(*texts: str) -> list[ChunkCreated]:
    return [a_chunk(it).model_copy(update={"chunk_id": f"chk_{it}"}) for it in texts]


def told(readings: list[Reading]) -> list[tuple[str, str | None]]:
    return [(it.engine, it.error) for it in readings]


def test_a_spent_budget_stops_its_run_and_a_refused_chunk_nobody(shell: Shell):
    """Rules read instead, and their reading says why."""

    def answer(request: Any) -> Any:
        if request.project_id == "prj_poor":
            raise BudgetExceeded("spent")
        if "bell" in request.messages[1].content:
            raise RequestRefused("no")
        return read_plainly(request)

    model = AnsweringModel(answer)

    async def scenario(asker: ModelReading) -> None:
        poor = await read(asker, *chunks_of(TEXTS[0]), project="prj_poor")
        assert told(poor) == [("heuristic", "budget_exceeded")]
        assert told(await read(asker, *chunks_of(TEXTS[0]), project="prj_poor")) == told(poor)
        assert len(model.requests) == 1
        refused = ("heuristic", "model_request_refused")
        rich = await read(asker, *chunks_of(*TEXTS))
        assert told(rich) == [("model", None), refused, ("model", None)]
        assert told(await read(asker, *chunks_of(TEXTS[2]))) == [("model", None)]

    shell.run(model, scenario)


def test_where_nobody_is_there_no_project_waits_for_it_again(shell: Shell):
    """Neither those whose turn had not come, nor those that come later."""

    def refuse(request: Any) -> Any:
        raise AllProvidersFailed("away")

    model = AnsweringModel(refuse)

    async def scenario(asker: ModelReading) -> None:
        away = ("heuristic", "all_providers_failed")
        chunks, projects = chunks_of(TEXTS[0]), ("prj_1", "prj_2", "prj_3")
        at_once = await asyncio.gather(*(read(asker, *chunks, project=it) for it in projects))
        assert [told(it) for it in at_once] == [[away]] * 3
        assert told(await read(asker, *chunks, project="prj_4")) == [away]
        assert len(model.requests) == 1

    shell.run(model, scenario, at_once=1)


def test_a_model_that_is_not_well_is_left_alone_for_a_while(shell: Shell):
    """Rules read meanwhile, and each reading says why."""
    model = AnsweringModel(lambda request: "no JSON")

    async def scenario(asker: ModelReading) -> None:
        texts = [f"Gate {number} keeps all its keys at night." for number in range(40)]
        readings = await read(asker, *chunks_of(*texts))
        assert told(readings) == [("heuristic", "model_answer_malformed")] * 40
        assert len(model.requests) <= 9

    shell.run(model, scenario, at_once=1)


def test_a_call_that_takes_too_long_loses_nothing_that_was_read_before(shell: Shell):
    """The call about three leaves the last one out; the one about it hangs, and is made again."""
    hung: list[Any] = []

    def answer(request: Any) -> Any:
        if len(sentences_in(request)) == 1 and not hung:
            hung.append(request)
            return asyncio.Event().wait()
        return {"chunks": read_plainly(request)["chunks"][:2]}

    model = AnsweringModel(answer)

    async def scenario(asker: ModelReading) -> None:
        assert told(await read(asker, *chunks_of(*TEXTS))) == [("model", None)] * 3
        assert [len(sentences_in(it)) for it in model.requests] == [3, 1, 1]

    shell.run(model, scenario, timeout_s=1)


def test_short_chunks_wait_for_those_that_are_still_prepared(shell: Shell):
    model = AnsweringModel(read_plainly)

    async def scenario(asker: ModelReading) -> None:
        texts = [f"Gate {number} keeps all its keys at night." for number in range(24)]
        assert len(await read(asker, *chunks_of(*texts))) == 24
        assert [len(sentences_in(it)) for it in model.requests] == [8, 8, 8]

    shell.run(model, scenario)


def a_borderline_reading() -> AtomReflected:
    (asked,) = asked_about(MAY)
    (found,) = read_all([asked], AnsweringModel(read_plainly))
    assert isinstance(found, CandidatesExtracted)
    reading = found.reading.model_copy(update={"batch_size": 1})
    return reflect(found.model_copy(update={"reading": reading}), asked.chunk, has_model=True)


def its_chunk(home: Path) -> ChunkReader:
    chunks = ChunkReader(Settings(home=home))
    chunks.keep("chk_0", encode(a_fact(asked_about(MAY)[0].chunk, "prj_1")))
    return chunks


@pytest.mark.parametrize(
    ("error", "reason", "stops_run", "stops_all"),
    [
        (AnswerMalformed("no JSON"), "malformed", False, False),
        (RequestRefused("no"), "unavailable", False, False),
        (BudgetExceeded("spent"), "unavailable", True, False),
        (AllProvidersFailed("away"), "unavailable", True, True),
    ],
)
def test_a_verdict_that_is_not_given_costs_what_it_used_and_stops_whom_it_concerns(
    shell: Shell, tmp_path: Path, error: ModelError, reason: str, stops_run: bool, stops_all: bool
):
    error.usage = error.usage.model_copy(update={"input_tokens": INPUT_TOKENS})

    def refuse(request: Any) -> Any:
        raise error

    model = AnsweringModel(refuse)
    reflected = a_borderline_reading()

    async def scenario(unused: ModelReading) -> None:
        asker = ModelAdjudication(model, its_chunk(tmp_path))

        async def verdicts_of(run_id: str) -> list[Event] | None:
            reading = reflected.reading.model_copy(update={"run_id": run_id})
            cause = a_fact(reflected.model_copy(update={"reading": reading}), "prj_1")
            return await asker.answer(cause, None)

        verdicts = await verdicts_of("run_1") or []
        (verdict,) = [it for it in verdicts if isinstance(it, AtomAdjudicated)]
        assert (verdict.decided_by, verdict.reason) == ("fallback", reason)
        assert verdict.input_tokens == INPUT_TOKENS
        model.answering = read_plainly
        assert (await verdicts_of("run_1") is None) == stops_run
        assert (await verdicts_of("run_2") is None) == stops_all

    shell.run(model, scenario)


def test_a_verdict_that_takes_too_long_is_waited_for_once(shell: Shell, tmp_path: Path):
    model = AnsweringModel(lambda request: asyncio.Event().wait())
    cause = a_fact(a_borderline_reading(), "prj_1")

    async def scenario(unused: ModelReading) -> None:
        asker = ModelAdjudication(model, its_chunk(tmp_path), at_once=1, timeout_s=0.1)
        answers = await asyncio.gather(*(asker.answer(cause, None) for _ in range(3)))
        assert answers == [None] * 3
        assert len(model.requests) == 1

    shell.run(model, scenario)


def test_no_chunk_is_fetched_for_a_verdict_while_nobody_is_there(shell: Shell, tmp_path: Path):
    fetched: list[Event] = []

    class Noting(ChunkReader):
        async def chunk_of(self, event: Event) -> None:
            fetched.append(event)

    def refuse(request: Any) -> Any:
        raise AllProvidersFailed("away")

    cause = a_fact(a_borderline_reading(), "prj_1")

    async def scenario(unused: ModelReading) -> None:
        asker = ModelAdjudication(AnsweringModel(refuse), Noting(Settings(home=tmp_path)))
        assert await asker.answer(cause, None)
        assert await asker.answer(cause, None) is None
        assert len(fetched) == 1

    shell.run(AnsweringModel(refuse), scenario)


@pytest.mark.parametrize("error", [BudgetExceeded("spent"), AllProvidersFailed("away")])
def test_a_judgement_that_is_refused_leaves_the_pair_to_the_rules(shell: Shell, error: ModelError):
    error.usage = error.usage.model_copy(update={"input_tokens": INPUT_TOKENS})

    def refuse(request: Any) -> Any:
        raise error

    model = AnsweringModel(refuse)

    async def scenario(unused: ModelReading) -> None:
        asker = ModelJudging(model)

        async def answer_for(run_id: str) -> list[Event] | None:
            return await asker.answer(a_fact(a_request_to_judge(run_id), "prj_1"), None)

        (left,) = await answer_for("run_1") or []
        assert isinstance(left, PairJudged)
        assert (left.conflict, left.reason, left.input_tokens) == (None, "unavailable", 1_001)
        model.answering = read_plainly
        assert await answer_for("run_1") is None
        others = await answer_for("run_2") or []
        assert [it.conflict for it in others if isinstance(it, PairJudged)] == (
            [False] if isinstance(error, BudgetExceeded) else []
        )

    shell.run(model, scenario)


def test_a_judgement_is_cut_short_and_pays_for_its_call_once(shell: Shell):
    def explain(request: Any) -> Any:
        said = say_of_pair(1, conflict=True, explanation="At dawn  excludes\nlate. " * 99)
        return {"pairs": [said, say_of_pair(1, conflict=False), say_of_pair(3, conflict=True)]}

    model = AnsweringModel(explain)
    requested = a_request_to_judge()
    twice = requested.model_copy(update={"pairs": requested.pairs * 2})

    async def scenario(unused: ModelReading) -> None:
        answers = await ModelJudging(model).answer(a_fact(twice, "prj_1"), None) or []
        first, second = [it for it in answers if isinstance(it, PairJudged)]
        assert (first.conflict, first.decided_by, first.model) == (True, "model", "m-1")
        assert first.explanation == ("At dawn excludes late. " * 99)[:MAX_EXPLANATION]
        assert (second.conflict, second.decided_by, second.reason) == (
            None,
            "fallback",
            "malformed",
        )
        assert (first.input_tokens, second.input_tokens) == (INPUT_TOKENS, 0)

    shell.run(model, scenario)
