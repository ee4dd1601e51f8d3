"""A step, live on the broker: what it answers, gives up and acknowledges."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import faust
import pytest

from infra.platform import kafka
from infra.platform.settings import Settings
from schemas.events.dlq import (
    RETRIES_HEADER,
    DeadLetter,
    DeadLetterSettled,
    RecordUndecidable,
)
from schemas.topics import TOPICS
from streams.app import Stages
from tests.shell.harness import (
    WorkerProcess,
    at_work,
    committed,
    ends,
    eventually,
    facts_of,
    facts_until,
    names_of,
    publish,
    put,
    raw,
    uncommit,
    until_committed,
    working,
)
from tests.shell.stages import AT, ECHO, a_fact, a_result, begun_beside

pytestmark = pytest.mark.broker
RESULTS = "atom.candidate.v1"
JUDGEMENTS = "atom.validated.v1"


async def dead_letters(settings: Settings) -> list[DeadLetter]:
    return [fact.event for fact in await facts_of(settings, "dlq.v1")]  # type: ignore[misc]


def test_a_fresh_group_answers_every_fact_from_the_earliest_on(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, *(a_fact(f"n{i}", f"prj_{i % 7}") for i in range(50)))
        async with at_work(fresh, "echo"):
            results = await facts_until(fresh, RESULTS, 50)
            assert names_of(results) == sorted(f"n{i}" for i in range(50))
            await until_committed(fresh, "echo", "project.v1")
        assert len(await facts_of(fresh, RESULTS)) == 50

    asyncio.run(scenario())


def test_a_record_that_cannot_be_processed_is_answered_for_and_dead_lettered(
    fresh: Settings,
) -> None:
    async def scenario() -> None:
        [place] = await publish(fresh, a_fact("bad"))
        await publish(fresh, *(a_fact(f"n{i}") for i in range(5)))
        async with at_work(fresh, "echo"):
            results = await facts_until(fresh, RESULTS, 6)
            await until_committed(fresh, "echo", "project.v1")
        assert names_of(results) == ["gave up bad: ValueError", "n0", "n1", "n2", "n3", "n4"]
        [letter] = await dead_letters(fresh)
        assert (letter.stage, letter.origin_topic) == ("echo", "project.v1")
        assert (letter.origin_partition, letter.origin_offset) == (place.partition, place.offset)
        assert (letter.error_class, letter.attempts) == ("ValueError", 3)
        assert "secret words" not in letter.error and "tests/shell/stages.py" in letter.error

    asyncio.run(scenario())


def test_bytes_that_are_no_fact_are_dead_lettered_with_their_place(fresh: Settings) -> None:
    async def scenario() -> None:
        await raw(fresh, "project.v1", 1, b"no fact at all")
        async with at_work(fresh, "echo", "counting"):
            await until_committed(fresh, "echo", "project.v1")
            await until_committed(fresh, "counting", "project.v1")
            letters = await eventually(lambda: dead_letters(fresh), lambda found: len(found) == 2)
        places = {(each.stage, each.origin_partition, each.origin_offset) for each in letters}
        assert places == {("echo", 1, 0), ("counting", 1, 0)}
        assert {each.value for each in letters} == {None}  # nobody has redacted it
        assert {each.error_class for each in letters} == {"InvalidRecord"}

    asyncio.run(scenario())


def test_faust_as_it_is_loses_a_record_that_raises(fresh: Settings) -> None:
    """Why the shell does what it does: without ``noack`` the record is committed past."""

    async def scenario() -> None:
        await raw(fresh, "project.v1", 0, b"good", b"bad", b"good")
        assert (password := fresh.kafka_sasl_password)
        app = faust.App(
            fresh.group("naive"),
            broker=f"kafka://{fresh.bootstrap}",
            broker_credentials=faust.SASLCredentials(
                mechanism=fresh.kafka_sasl_mechanism,
                username=fresh.kafka_sasl_username,
                password=password.get_secret_value(),
            ),
            web_enabled=False,
            topic_allow_declare=False,
            topic_disable_leader=True,
            consumer_auto_offset_reset="earliest",
            broker_commit_interval=0.1,
            datadir=fresh.home / "naive",
        )
        topic = app.topic(fresh.topic("project.v1"), value_type=bytes, value_serializer="raw")

        @app.agent(topic)
        async def run(stream: Any) -> None:
            async for event in stream.events():
                if event.value == b"bad":
                    raise ValueError

        await app.start()
        try:
            await eventually(
                lambda: committed(fresh, "naive", "project.v1"),
                lambda known: known.get(0, 0) >= 2,  # past offset 1, the record that raised
            )
        finally:
            await app.stop()

    asyncio.run(scenario())


@pytest.mark.slow
def test_an_offset_never_passes_a_record_that_is_not_finished(fresh: Settings) -> None:
    async def scenario() -> None:
        gate = Path(fresh.home) / "gate"
        behind = [a_fact(f"n{i}") for i in range(10)]
        elsewhere = [a_fact(f"m{i}", f"prj_{i}") for i in range(20)]
        [waiting] = await publish(fresh, a_fact(f"wait for {gate}"))

        async def has_begun() -> bool:
            return begun_beside(gate).exists()

        with WorkerProcess(fresh, "echo_child") as worker:
            # It has a child of its own: what is handed to one with a job that hangs hangs, too.
            await eventually(has_begun, bool)
            await publish(fresh, *behind, *elsewhere)
            await facts_until(fresh, RESULTS, 30)
            end = await ends(fresh, "project.v1")
            free = {p: offset for p, offset in end.items() if p != waiting.partition}
            known = await eventually(
                lambda: committed(fresh, "echo_child", "project.v1"),
                lambda known: free.items() <= known.items(),
            )
            assert known.get(waiting.partition, 0) <= waiting.offset
            worker.kill()
        gate.touch()
        async with at_work(fresh, "echo_child"):
            results = await facts_until(fresh, RESULTS, 31)
            await until_committed(fresh, "echo_child", "project.v1")
        assert len(results) == 31

    asyncio.run(scenario())


def test_two_stages_of_one_process_each_see_all_of_a_topic(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, *(a_fact(f"n{i}", f"prj_{i}") for i in range(20)))
        async with at_work(fresh, "echo", "echo_again"):
            end = await ends(fresh, "project.v1")
            for stage in ("echo", "echo_again"):
                await until_committed(fresh, stage, "project.v1")
                assert await committed(fresh, stage, "project.v1") == end
        results = await facts_of(fresh, RESULTS)
        assert (len(results), len({fact.event_id for fact in results})) == (40, 20)

    asyncio.run(scenario())


def test_what_is_written_again_after_a_crash_has_the_same_ids(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, *(a_fact(f"n{i}", f"prj_{i}") for i in range(10)), a_fact("bad"))
        async with at_work(fresh, "echo"):
            await until_committed(fresh, "echo", "project.v1")
        await uncommit(fresh, "echo", "project.v1")
        async with at_work(fresh, "echo"):
            await until_committed(fresh, "echo", "project.v1")
        for topic, different in ((RESULTS, 11), ("dlq.v1", 1)):
            facts = await facts_of(fresh, topic)
            ids = {fact.event_id for fact in facts}
            assert (len(facts), len(ids)) == (2 * different, different)

    asyncio.run(scenario())


def test_a_record_that_is_retried_settles_its_dead_letter_and_answers_anew(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, a_fact("bad"))
        async with at_work(fresh, "echo"):
            [letter] = await facts_until(fresh, "dlq.v1", 1)
        assert isinstance(letter.event, RecordUndecidable) and letter.event.value
        retries = [(RETRIES_HEADER, letter.event.dead_letter_id.encode())]
        async with kafka.running_producer(fresh) as producer:
            await producer.send_and_wait(
                fresh.topic("project.v1"),
                value=letter.event.value,
                key=letter.project_id.encode(),
                headers=retries,
            )
        mended = replace(
            ECHO,
            handle=lambda cause, chunk: [a_result("mended")],
            again=lambda answers, letter_id: [a_result(f"again for {letter_id}")],
        )
        async with working(fresh, Stages(steps=(mended,))):
            _, settled = await facts_until(fresh, "dlq.v1", 2)
        assert isinstance(settled.event, DeadLetterSettled)
        assert settled.event.dead_letter_id == letter.event.dead_letter_id
        names = names_of(await facts_of(fresh, RESULTS))
        assert f"again for {settled.event.dead_letter_id}" in names and "mended" not in names

    asyncio.run(scenario())


def test_a_child_that_dies_or_a_job_that_fails_costs_only_its_own_record(fresh: Settings) -> None:
    async def scenario() -> None:
        names = ["die", "bad", *(f"n{i}" for i in range(20))]
        await publish(fresh, *(a_fact(name) for name in names))
        async with at_work(fresh, "echo_child"):
            results = await facts_until(fresh, RESULTS, 22)
            await until_committed(fresh, "echo_child", "project.v1")
        gave_up = [name for name in names_of(results) if name.startswith("gave up")]
        assert gave_up == ["gave up bad: ValueError", "gave up die: ChildDied"]
        assert {each.error_class for each in await dead_letters(fresh)} == {
            "ValueError",
            "ChildDied",
        }

    asyncio.run(scenario())


def test_partitions_that_change_hands_in_the_middle_lose_no_record(fresh: Settings) -> None:
    """A stream acknowledges what it skips during a rebalance; those acknowledgements are void."""

    async def scenario() -> None:
        asked = [a_fact(f"n{i}", f"prj_{i}") for i in range(3_000)]
        await publish(fresh, *asked[:2_000])
        with WorkerProcess(fresh, "echo") as one:
            await facts_until(fresh, RESULTS, 100)
            with WorkerProcess(fresh, "echo") as two:
                await facts_until(fresh, RESULTS, 1_000)
                one.stop()
                await publish(fresh, *asked[2_000:])
                await until_committed(fresh, "echo", "project.v1")
                assert two.stop() == 0
        results = await facts_until(fresh, RESULTS, 3_000)
        assert names_of(results) == sorted(f"n{i}" for i in range(3_000))

    asyncio.run(scenario())


def test_a_record_whose_header_names_another_event_is_passed_over_unread(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, *(a_fact(f"bad{i}", f"prj_{i}") for i in range(6)))
        async with at_work(fresh, "echo_only"):
            await until_committed(fresh, "echo_only", "project.v1")
        assert await facts_of(fresh, RESULTS) == []
        assert await dead_letters(fresh) == []

    asyncio.run(scenario())


def test_a_step_that_tells_of_the_present_passes_over_what_was_written_long_ago(
    fresh: Settings,
) -> None:
    async def scenario() -> None:
        [place] = await publish(fresh, a_fact("first"))
        await put(fresh, a_fact("old"), key="prj_one", partition=place.partition, at=AT)
        await publish(fresh, a_fact("last"))
        async with at_work(fresh, "echo_recent"):
            await until_committed(fresh, "echo_recent", "project.v1")
        assert names_of(await facts_of(fresh, RESULTS)) == ["first", "last"]

    asyncio.run(scenario())


def test_an_answer_written_with_its_cause_is_the_one_the_next_stage_would_write(
    fresh: Settings,
) -> None:
    """Both stages in one child's job, or each in a worker of its own: the same facts, each once."""

    async def scenario() -> None:
        names = [f"n{i}" for i in range(20)]
        await publish(fresh, *(a_fact(name, f"prj_{name}") for name in names))
        async with at_work(fresh, "echo_then", "judge"):
            together = await facts_until(fresh, JUDGEMENTS, 20)
            await until_committed(fresh, "echo_then", "project.v1")
            await until_committed(fresh, "judge", RESULTS)
        assert len(await facts_of(fresh, JUDGEMENTS)) == 20
        assert names_of(together) == sorted(names)
        causes = {fact.event_id for fact in await facts_of(fresh, RESULTS)}
        assert {fact.causation_id for fact in together} == causes

        other = fresh.model_copy(update={"topic_prefix": f"{fresh.topic_prefix}-apart"})
        await kafka.create_topics(other, TOPICS)
        await publish(other, *(a_fact(name, f"prj_{name}") for name in names))
        async with at_work(other, "echo_then"):
            await facts_until(other, RESULTS, 20)
            await until_committed(other, "echo_then", "project.v1")
        assert await facts_of(other, JUDGEMENTS) == []
        async with at_work(other, "judge"):
            apart = await facts_until(other, JUDGEMENTS, 20)
        assert {fact.event_id for fact in apart} == {fact.event_id for fact in together}
        by_id = {fact.event_id: fact for fact in apart}
        for fact in together:
            assert by_id[fact.event_id].recorded(AT) == fact.recorded(AT)

    asyncio.run(scenario())


def test_a_next_stage_that_fails_in_the_job_of_its_cause_fails_by_itself(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, a_fact("no judge"), a_fact("n0"))
        async with at_work(fresh, "echo_then", "judge"):
            judgements = await facts_until(fresh, JUDGEMENTS, 2)
            await until_committed(fresh, "judge", RESULTS)
        outcomes = {fact.event.reading.chunk_id: fact.event.reading.outcome for fact in judgements}  # type: ignore[attr-defined]
        assert outcomes == {"no judge": "poison", "n0": "extracted"}
        [letter] = await dead_letters(fresh)
        assert (letter.stage, letter.origin_topic) == ("judge", RESULTS)

    asyncio.run(scenario())
