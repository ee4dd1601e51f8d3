"""Small stages for these tests: real ones, they only do little."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from schemas.envelope import SYSTEM, Envelope, Event, outside_fact
from schemas.events.atom import AtomReflected, CandidatesExtracted, Reading
from schemas.events.hygiene import ChunkCreated
from schemas.events.ingestion_request import SourcesUnchanged
from schemas.events.ledger import Change, LedgerChanged
from schemas.events.project import ProjectCreated
from schemas.ids import derive_id
from streams.cause import Cause
from streams.stage import Decision, Record, Step, Table, Tables, Writer
from streams.undecidable import Trouble, tell

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def a_fact(name: str, project: str = "prj_one", vision: str = "") -> Envelope:
    """A fact on ``project.v1``; ``name`` says to some stages what to do with it."""
    return outside_fact(
        ProjectCreated(name=name, vision=vision),
        project_id=project,
        occurred_at=AT,
        actor=SYSTEM,
        natural_key=f"{project}|{name}",
    )


def a_request(name: str, project: str = "prj_one") -> Envelope:
    """A fact on ``ingestion.request.v1``, the second input of `COUNTING`."""
    return outside_fact(
        SourcesUnchanged(trigger_key=name, part_index=0, source_ids=[]),
        project_id=project,
        occurred_at=AT,
        actor=SYSTEM,
    )


def a_result(name: str) -> CandidatesExtracted:
    """What the steps answer to the fact ``name``."""
    return CandidatesExtracted(
        reading=Reading(
            run_id="run",
            batch_no=0,
            position=1,
            lane="deep",
            chunk_id=name,
            source_id=derive_id("src", name),
            sanitized_hash="",
            outcome="extracted",
            extractor_version="h1",
        )
    )


def begun_beside(gate: Path) -> Path:
    """The file that is there once somebody waits for ``gate``."""
    return gate.with_suffix(".begun")


def echo(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """The result; ``bad…`` raises, ``die…`` takes the process with it, ``wait for F`` waits."""
    match cause.event:
        case ProjectCreated(name=name):
            if name.startswith("bad"):
                raise ValueError(f"secret words of {name}")
            if name.startswith("die"):
                os.kill(os.getpid(), signal.SIGKILL)
            if name.startswith("wait for "):
                gate = Path(name.removeprefix("wait for "))
                begun_beside(gate).touch()
                while not gate.exists():
                    time.sleep(0.01)
            return [a_result(name)]
        case _:
            return []


def apologise(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    event = cause.event
    assert isinstance(event, ProjectCreated)
    return [a_result(f"gave up {event.name}: {error}")]


ECHO = Step("echo", ("project.v1",), echo, apologise)
ECHO_AGAIN = Step("echo_again", ("project.v1",), echo)
ECHO_CHILD = Step("echo_child", ("project.v1",), echo, apologise, place="child")
ECHO_REQUESTS = Step("echo_requests", ("ingestion.request.v1",), echo)
ECHO_RECENT = Step("echo_recent", ("project.v1",), echo, within=timedelta(days=1))
ECHO_ONLY = Step("echo_only", ("project.v1",), echo, apologise, only=("project.renamed",))


def judge(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """The judgement on a result; it fails for one whose name says ``no judge``."""
    match cause.event:
        case CandidatesExtracted(reading=reading):
            if reading.chunk_id.startswith("no judge"):
                raise ValueError("secret words")
            return [AtomReflected(reading=reading, reflection_version="f1")]
        case _:
            return []


def judge_failed(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    event = cause.event
    assert isinstance(event, CandidatesExtracted)
    poisoned = {"outcome": "poison", "error": error}
    reading = event.reading.model_copy(update=poisoned)
    return [AtomReflected(reading=reading, reflection_version="f1")]


JUDGE = Step("judge", ("atom.candidate.v1",), judge, judge_failed)
ECHO_THEN = Step("echo_then", ("project.v1",), echo, apologise, place="child", then=JUDGE)


def titled(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    return [a_result(f"{chunk.title}" if chunk else "no chunk")]


WITH_CHUNK = Step("with_chunk", ("extract.deep.v1",), titled, with_chunk=True)


@dataclass
class Count:
    due: Table[str]
    heads: Table[list]  # type: ignore[type-arg]  # [ledger_seq, hash of its bytes]
    done: Table[int]


class Counting(Writer[Count]):
    """Answers each fact of two topics with one numbered, chained record per project."""

    name = "counting"
    inputs: tuple[str, ...] = ("project.v1", "ingestion.request.v1")
    output = "ledger.v1"
    state_version = 1

    def open(self, tables: Tables) -> Count:
        return Count(
            tables.table("due", str), tables.table("heads", list), tables.table("done", int)
        )

    def evolve(self, state: Count, record: Record) -> None:
        project, event = record.envelope.project_id, record.envelope.event
        match event:
            case LedgerChanged():
                seq, _ = state.heads.get(project, [0, ""])
                done = f"{project}|{event.caused_by_event_id}"
                if event.ledger_seq == seq + 1 and done not in state.done:
                    state.heads[project] = [event.ledger_seq, record.value_hash]
                    state.done[done] = event.ledger_seq
                    state.due.pop(done, None)
            case ProjectCreated(name=name) if name.startswith("unfoldable"):
                state.done["half changed"] = 1
                raise ValueError("cannot be folded")
            case _:
                key = f"{project}|{record.envelope.event_id}"
                if key not in state.done:
                    state.due[key] = self.remembered(record.envelope)

    def remembered(self, cause: Envelope) -> str:
        return json.dumps([str(cause.event_id), getattr(cause.event, "name", "")])

    def decide(self, state: Count) -> Decision | None:
        for key, remembered in self.first_due(state):
            name = json.loads(remembered)[1]
            if name.startswith("undecidable"):
                raise ValueError("cannot be decided")
            if name.startswith("no memory"):
                raise MemoryError
            return self.answer(state, key, remembered)
        return None

    def give_up(self, state: Count, trouble: Trouble, *, whole: bool) -> Decision:
        key, remembered = next(self.first_due(state))
        project, cause_id = key.partition("|")[0], json.loads(remembered)[0]
        cause = Cause(
            event_id=cause_id,
            project_id=project,
            natural_key="",
            occurred_at=AT,
            correlation_id="",
        )
        answer = self.answer(state, key, remembered, trouble.reason).commit_record
        return Decision((tell(trouble, cause, cause_id), answer))

    def pass_over(self, state: Count, record: Record, letter_id: str) -> None:
        if isinstance(record.envelope.event, LedgerChanged):
            self.evolve(state, record)

    def rest(self, state: Count) -> None:
        state.due.pop(next(self.first_due(state))[0], None)

    def answer(self, state: Count, key: str, remembered: str, named: str = "") -> Decision:
        project = key.partition("|")[0]
        cause_id, name = json.loads(remembered)
        seq, head = state.heads.get(project, [0, ""])
        return self.decision(project, cause_id, named or name, seq + 1, head)

    def first_due(self, state: Count) -> Iterator[tuple[str, str]]:
        return state.due.with_prefix("")

    def decision(self, project: str, cause_id: str, name: str, seq: int, head: str) -> Decision:
        changed = LedgerChanged(
            ledger_seq=seq,
            prev_hash=head,
            caused_by_event_id=cause_id,
            reason=name,
            changes=self.changes(name),
        )
        natural_key = f"{cause_id}|"
        marker = outside_fact(
            changed, project_id=project, occurred_at=AT, actor=SYSTEM, natural_key=natural_key
        )
        return Decision((marker,))

    def changes(self, name: str) -> list[Change]:
        size = 9 * 1024 * 1024 if name.startswith("huge") else 0
        return [Change(op="review_item_raised", target_id="x", detail="y" * size)]


@dataclass
class CountAll(Count):
    said: Table[str]


class CountingAll(Counting):
    """Keeps what each fact said as well, and reads all of it for a fact ``after …``."""

    name = "counting_all"
    inputs = ("project.v1",)

    def open(self, tables: Tables) -> CountAll:
        kept = super().open(tables)
        return CountAll(kept.due, kept.heads, kept.done, tables.table("said", str))

    def evolve(self, state: Count, record: Record) -> None:
        super().evolve(state, record)
        assert isinstance(state, CountAll)
        if isinstance(record.envelope.event, ProjectCreated):
            state.said[str(record.envelope.event_id)] = record.envelope.event.vision

    def first_due(self, state: Count) -> Iterator[tuple[str, str]]:
        assert isinstance(state, CountAll)
        for key, remembered in super().first_due(state):
            if json.loads(remembered)[1].startswith("after"):
                assert all(said for _, said in state.said.with_prefix(""))
            yield key, remembered


STEPS = {
    step.name: step
    for step in (
        ECHO,
        ECHO_AGAIN,
        ECHO_CHILD,
        ECHO_ONLY,
        ECHO_RECENT,
        ECHO_REQUESTS,
        ECHO_THEN,
        JUDGE,
        WITH_CHUNK,
    )
}
WRITERS: dict[str, Writer[Count]] = {each.name: each for each in (Counting(), CountingAll())}
