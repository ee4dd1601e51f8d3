"""A single writer, live on the broker: gap-free whatever happens around it."""

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from string import ascii_letters
from typing import Any

import pytest

from infra.platform.settings import Settings
from schemas.codec import decode
from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events.atom import Judged, Reading
from schemas.events.dlq import DeadLetterResolved, RecordUndecidable
from schemas.events.ledger import LedgerChanged
from schemas.events.project import ProjectCreated
from schemas.ids import derive_event_id, sha256_hex
from streams.app import Stages
from streams.ledger.turns.changes import Changes
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.upsert import apply_candidate
from streams.ledger.writer import LEDGER, Ledger
from streams.stage import Record
from tests.ledger.story import Chunk, a_run, judged
from tests.ledger.story import facts_of as told_by
from tests.shell.damage import DAMAGES, cut_under_its_feet, under_its_feet
from tests.shell.harness import (
    WorkerProcess,
    at_work,
    eventually,
    facts_of,
    facts_until,
    publish,
    records_of,
    until_committed,
    working,
)
from tests.shell.stages import AT, Count, Counting, a_fact, a_request

pytestmark = pytest.mark.broker
OUTPUT = "ledger.v1"
BEFORE_A_START = (  # tests/shell/test_state_file.py has all of them
    "absent",
    "another's",
    "header",
    "leaf page",
    "no cursor",
    "a value that was changed",
    "a folder",
)
PROJECTS = [f"prj_{i}" for i in range(5)]


def facts(count: int, first: int = 0) -> list[Envelope]:
    """``count`` facts on each of two topics, over all projects."""
    return [
        made(f"n{i}", PROJECTS[i % len(PROJECTS)])
        for i in range(first, first + count)
        for made in (a_fact, a_request)
    ]


async def chains(settings: Settings) -> dict[str, list[str]]:
    """Per project the causes in order, as a reader accepts them; checks numbers and hashes."""
    accepted: dict[str, list[Any]] = {}
    for record in await records_of(settings, OUTPUT):
        fact = decode(record.value)
        event = fact.event
        assert isinstance(event, LedgerChanged)
        chain = accepted.setdefault(fact.project_id, [])
        causes = [one.caused_by_event_id for one, _ in chain]
        if event.ledger_seq == len(chain) + 1 and event.caused_by_event_id not in causes:
            chain.append((event, record.value))
    for chain in accepted.values():
        assert all(
            after.prev_hash == sha256_hex(value) for (_, value), (after, _) in pairwise(chain)
        )
    return {name: [e.caused_by_event_id for e, _ in chain] for name, chain in accepted.items()}


async def until_answered(settings: Settings, asked: list[Envelope]) -> dict[str, list[str]]:
    """The chains once each of ``asked`` is in one, each once."""
    wanted = sorted(str(fact.event_id) for fact in asked)

    async def answered() -> dict[str, list[str]]:
        return await chains(settings)

    found: dict[str, list[str]] = await eventually(
        answered, lambda chain: sum(map(len, chain.values())) >= len(wanted)
    )
    assert sorted(cause for chain in found.values() for cause in chain) == wanted
    return found


def test_a_writer_answers_two_topics_in_one_gap_free_chain_per_project(fresh: Settings) -> None:
    async def scenario() -> None:
        before, after = facts(100), facts(20, first=100)
        await publish(fresh, *before)
        async with at_work(fresh, "counting"):
            await publish(fresh, *after)
            await until_answered(fresh, before + after)
            await until_committed(fresh, "counting", "project.v1")
            await until_committed(fresh, "counting", "ingestion.request.v1")
        assert len(await records_of(fresh, OUTPUT)) == 240

    asyncio.run(scenario())


def test_a_record_of_somebody_else_in_between_makes_the_writer_decide_again(
    fresh: Settings,
) -> None:
    async def scenario() -> None:
        first, second = facts(5), facts(5, first=5)
        await publish(fresh, *first)
        async with at_work(fresh, "counting"):
            chain = await until_answered(fresh, first)
            stranger = a_request("stranger", PROJECTS[0])
            await publish(fresh, an_answer(stranger, PROJECTS[0], len(chain[PROJECTS[0]]) + 1))
            await publish(fresh, *second)
            asked = [str(fact.event_id) for fact in first + second]
            found = await eventually(
                lambda: chains_unchecked(fresh),
                lambda chain: set(asked) <= {c for causes in chain.values() for c in causes},
            )
        causes = found[PROJECTS[0]]
        assert str(stranger.event_id) in causes
        assert len(set(causes)) == len(causes)

    asyncio.run(scenario())


def an_answer(cause: Envelope, project: str, seq: int) -> Envelope:
    changed = LedgerChanged(
        ledger_seq=seq, prev_hash="", caused_by_event_id=str(cause.event_id), reason="stranger"
    )
    return outside_fact(
        changed, project_id=project, occurred_at=AT, actor=SYSTEM, natural_key="stranger|"
    )


async def chains_unchecked(settings: Settings) -> dict[str, list[str]]:
    """Like `chains`, where a stranger does not know the hashes."""
    accepted: dict[str, list[str]] = {}
    for fact in await facts_of(settings, OUTPUT):
        event = fact.event
        assert isinstance(event, LedgerChanged)
        chain = accepted.setdefault(fact.project_id, [])
        if event.ledger_seq == len(chain) + 1 and event.caused_by_event_id not in chain:
            chain.append(event.caused_by_event_id)
    return accepted


@pytest.mark.slow
def test_a_store_that_is_damaged_is_set_aside_and_folded_again(
    fresh: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    """One damage after the other, before a start; the state in the end is that of a clean fold."""

    async def scenario() -> None:
        asked = facts(20)
        await publish(fresh, *asked)
        async with at_work(fresh, "counting"):
            await until_answered(fresh, asked)
        for number, damage in enumerate(BEFORE_A_START, start=2):
            for file in files_of(fresh):
                DAMAGES[damage](file)
            more = facts(4, first=10 * number)
            asked += more
            capfd.readouterr()
            await publish(fresh, *more)
            async with at_work(fresh, "counting"):
                await until_answered(fresh, asked)
            assert capfd.readouterr().out.count("store.damaged") <= fresh.partitions, damage
        assert len(await records_of(fresh, OUTPUT)) == len(asked)
        assert states_of(fresh) == await folded_elsewhere(fresh)

    asyncio.run(scenario())


@pytest.mark.parametrize("damage", [under_its_feet, cut_under_its_feet])
def test_a_store_that_is_damaged_in_the_middle_of_work_is_set_aside_and_folded_again(
    fresh: Settings, damage: Callable[[Path], None]
) -> None:
    """The state is larger than what the database keeps in memory, so what is broken is read."""

    async def scenario() -> None:
        random = Random(1)  # values are packed, so like letters take no room
        visions = ["".join(random.choices(ascii_letters, k=1_300)) for _ in range(2_600)]
        asked = [a_fact(f"{number:04}", vision=each) for number, each in enumerate(visions)]
        await publish(fresh, *asked)
        async with at_work(fresh, "counting_all"):
            await until_answered(fresh, asked)
            [file] = [each for each in files_of(fresh) if each.stat().st_size > 2_000_000]
            damage(file)
            more = [a_fact(f"after {each}", vision="y") for each in range(3)]
            await publish(fresh, *more)
            await until_answered(fresh, asked + more)
            await until_committed(fresh, "counting_all", "project.v1")
            assert Path(f"{file}.damaged").exists()
        assert len(await records_of(fresh, OUTPUT)) == len(asked + more)
        assert states_of(fresh) == await folded_elsewhere(fresh, "counting_all")
        assert await facts_of(fresh, "dlq.v1") == []

    asyncio.run(scenario())


def files_of(settings: Settings) -> list[Path]:
    return sorted((Path(settings.home) / "state").glob("*/*.sqlite"))


def states_of(settings: Settings) -> dict[str, list[Any]]:
    """All rows of all stores, by file and table, but for who they belong to."""
    found: dict[str, list[Any]] = {}
    for file in files_of(settings):
        with sqlite3.connect(file) as database:
            tables = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'identity'"
            )
            for (name,) in tables.fetchall():
                rows = database.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall()
                found[f"{file.name} {name}"] = rows
        database.close()
    return found


async def folded_elsewhere(settings: Settings, stage: str = "counting") -> dict[str, list[Any]]:
    """What a worker with an empty folder folds from the same log."""
    elsewhere = settings.model_copy(update={"home": settings.home / "elsewhere"})
    async with at_work(elsewhere, stage):
        pass
    return states_of(elsewhere)


def test_a_record_that_cannot_be_folded_is_dead_lettered_and_leaves_nothing_behind(
    fresh: Settings,
) -> None:
    async def scenario() -> None:
        await publish(fresh, *facts(3), a_fact("unfoldable"), *facts(3, first=3))
        async with at_work(fresh, "counting"):
            await until_answered(fresh, facts(6))
            await until_committed(fresh, "counting", "project.v1")
            later = [a_fact("unfoldable too"), *facts(1, first=6)]
            await publish(fresh, *later)
            await until_answered(fresh, facts(7))
        letters = [fact.event for fact in await facts_until(fresh, "dlq.v1", 2)]
        assert {(each.stage, each.attempts) for each in letters} == {("counting", 3)}  # type: ignore[attr-defined]
        for file in (Path(fresh.home) / "state" / "counting").glob("*.sqlite"):
            with sqlite3.connect(file) as database:
                rows = database.execute("SELECT key FROM t_done WHERE key LIKE 'half%'").fetchall()
            database.close()
            assert rows == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("name", "reason", "error_class"),
    [("huge", "record_too_large", "RecordTooLarge"), ("undecidable", "undecidable", "ValueError")],
)
def test_what_cannot_be_decided_or_written_is_told_and_the_next_goes_on(
    fresh: Settings, name: str, reason: str, error_class: str
) -> None:
    async def scenario() -> None:
        await publish(fresh, a_fact(name, "prj_0"), a_fact("after it", "prj_0"))
        async with at_work(fresh, "counting"):
            answers = await facts_until(fresh, OUTPUT, 2)
            [letter] = await facts_until(fresh, "dlq.v1", 1)
            await until_committed(fresh, "counting", "project.v1")
        by_reason: dict[str, Any] = {fact.event.reason: fact.event for fact in answers}  # type: ignore[attr-defined]
        assert set(by_reason) == {reason, "after it"}
        told = letter.event
        assert isinstance(told, RecordUndecidable)
        assert (told.stage, told.error_class) == ("counting", error_class)
        given_up = by_reason[reason]
        assert (told.origin_topic, told.origin_offset) == (OUTPUT, given_up.ledger_seq - 1)
        assert told.subject_id == given_up.caused_by_event_id
        assert "secret" not in told.error

    asyncio.run(scenario())


def test_of_a_chunk_one_candidate_raises_and_is_decided_after_the_mend(fresh: Settings) -> None:
    """The ledger itself, live: two projects, and in one of them a candidate on which it raises."""

    def sick(ledger: CurrentLedger, reading: Reading, candidate: Judged) -> Changes[str]:
        if "night" in candidate.candidate.title:
            raise IndexError("words of the candidate")
        return apply_candidate(ledger, reading, candidate)

    async def scenario() -> None:
        said = ["Gates are shut at night", "Orders are kept for ten years", "Keys are held by ana"]
        chunk = Chunk("c1", [judged(title) for title in said])
        records = told_by(a_run(chunk))
        for project in ("prj_test", "prj_other"):
            await publish(fresh, *(of_project(record.envelope, project) for record in records))
        async with working(fresh, Stages(writers=(Ledger(sick),))):
            [letter, other] = await facts_until(fresh, "dlq.v1", 2)
            await until_committed(fresh, "ledger", "ingestion.v1")
            await until_committed(fresh, "ledger", "atom.validated.v1")
            assert await titles(fresh) == {"prj_test": set(said[1:]), "prj_other": set(said[1:])}
        assert isinstance(letter.event, RecordUndecidable) and letter.event.value
        assert {letter.event.stage, letter.event.error_class} == {"ledger", "IndexError"}
        await publish(fresh, decode(letter.event.value))
        async with working(fresh, Stages(writers=(LEDGER,))):
            *_, settled = await facts_until(fresh, "dlq.v1", 3)
            await until_committed(fresh, "ledger", "ledger.control.v1")
        known = await titles(fresh)
        assert known[letter.project_id] == set(said)
        assert known[other.project_id] == set(said[1:])
        told = [fact.event for fact in await facts_of(fresh, "dlq.v1")]
        [done] = [event for event in told if isinstance(event, DeadLetterResolved)]
        assert done.dead_letter_id == letter.event.dead_letter_id

    asyncio.run(scenario())


def of_project(fact: Envelope, project: str) -> Envelope:
    event_id = derive_event_id(fact.event.type_name, project, fact.natural_key)
    return replace(fact, project_id=project, event_id=event_id)


async def titles(settings: Settings) -> dict[str, set[str]]:
    """The atoms of each project, as any reader folds the log; there is no gap."""
    found: dict[str, set[str]] = {}
    seqs: dict[str, int] = {}
    for fact in await facts_of(settings, OUTPUT):
        assert isinstance(fact.event, LedgerChanged)
        seqs[fact.project_id] = seqs.get(fact.project_id, 0) + 1
        assert fact.event.ledger_seq == seqs[fact.project_id]
        found.setdefault(fact.project_id, set()).update(it.title for it in fact.event.atoms)
    return found


def test_a_record_passed_over_by_a_fold_is_folded_by_another_version(fresh: Settings) -> None:
    class Mended(Counting):
        state_version = 2

        def evolve(self, state: Count, record: Record) -> None:
            named = {"name": "mended"}
            event = record.envelope.event
            if isinstance(event, ProjectCreated):
                envelope = replace(record.envelope, event=event.model_copy(update=named))
                record = replace(record, envelope=envelope)
            super().evolve(state, record)

    async def scenario() -> None:
        await publish(fresh, a_fact("unfoldable"), *facts(2))
        async with at_work(fresh, "counting"):
            await until_answered(fresh, facts(2))
            [letter] = await facts_until(fresh, "dlq.v1", 1)
        async with working(fresh, Stages(writers=(Mended(),))):
            await until_answered(fresh, [a_fact("unfoldable"), *facts(2)])
            _, settled = await facts_until(fresh, "dlq.v1", 2)
        assert isinstance(letter.event, RecordUndecidable)
        assert isinstance(settled.event, DeadLetterResolved)
        assert settled.event.dead_letter_id == letter.event.dead_letter_id
        assert letter.event.origin_topic == "project.v1"

    asyncio.run(scenario())


def test_nothing_is_given_up_because_the_machine_fails(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, a_fact("no memory", "prj_0"))
        with pytest.raises(MemoryError):
            async with at_work(fresh, "counting"):
                pass
        assert await facts_of(fresh, OUTPUT) == await facts_of(fresh, "dlq.v1") == []

    asyncio.run(scenario())


def test_a_killed_writer_neither_loses_nor_doubles_an_answer(fresh: Settings) -> None:
    async def ready() -> bool:
        return (fresh.home / "one.ready").exists()

    async def scenario() -> None:
        asked = facts(400)
        await publish(fresh, *asked)
        with WorkerProcess(fresh, "counting", name="one") as worker:
            await facts_until(fresh, OUTPUT, 64)
            worker.kill()
        (fresh.home / "one.ready").unlink(missing_ok=True)
        with WorkerProcess(fresh, "counting", name="one") as worker:
            await eventually(ready, bool)  # before that, a signal just ends it
            await until_answered(fresh, asked)
            assert worker.stop() == 0

    asyncio.run(scenario())


def test_two_workers_share_the_partitions_and_one_takes_over_when_the_other_is_killed(
    fresh: Settings,
) -> None:
    """Both inputs of a partition go to one worker: else neither would see all of a project."""

    async def scenario() -> None:
        first, second, third = facts(20), facts(20, first=20), facts(20, first=40)
        await publish(fresh, *first)
        with WorkerProcess(fresh, "counting") as one:
            await until_answered(fresh, first)
            other_home = fresh.model_copy(update={"home": fresh.home / "other"})
            with WorkerProcess(other_home, "counting"):
                await eventually(lambda: ready(other_home), bool)
                await publish(fresh, *second)
                await until_answered(fresh, first + second)
                one.kill()
                await publish(fresh, *third)
                await until_answered(fresh, first + second + third)

    async def ready(settings: Settings) -> bool:
        return (settings.home / "worker.ready").exists()

    asyncio.run(scenario())
