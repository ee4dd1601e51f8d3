"""What LangGraph keeps of a run is a cache of its log: without it, or with a false one, nothing
changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from agents.project.state import STATE_TYPES, AgentState
from agents.runs.saver import KeptState, RunSaver, StateStore
from infra.service.asking.turn_log import TurnLog
from schemas.ids import sha256_hex
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import PLACE, Killed, Topic, accept_after, in_loop, run
from tests.agents.test_turn_log import World, works

Harm = Callable[["Shelf"], None]


@dataclass
class Shelf:
    """A store in memory."""

    states: dict[str, KeptState] = field(default_factory=dict)

    async def read(self, run_id: str) -> KeptState | None:
        return self.states.get(run_id)

    async def keep(self, run_id: str, kept: KeptState) -> None:
        self.states[run_id] = kept

    def change(self, **fields: Any) -> None:
        for run_id, kept in self.states.items():
            self.states[run_id] = replace(kept, **fields)


@dataclass
class Counted:
    """A supervisor that counts how often it was asked to decide."""

    asked: int = 0

    async def decide(self, state: AgentState) -> Any:
        self.asked += 1
        return await accept_after("planner")(state)


def saver_of(shelf: StateStore, log: TurnLog, program: str = "today") -> RunSaver:
    def seal(data: bytes) -> str:
        return sha256_hex(b"a key" + data)

    return RunSaver(PLACE.turn_id, log, shelf, seal, program, STATE_TYPES)


async def take_turn(
    topic: Topic, world: World, shelf: StateStore, counted: Counted, program: str = "today"
) -> AgentState:
    log = topic.open_log("1" if not topic.facts else "2")
    parts = {"decide": counted.decide, "planner": works(log, world)}
    return await run(log, parts, saver=saver_of(shelf, log, program))


def leave(shelf: Shelf) -> None:
    pass


def delete(shelf: Shelf) -> None:
    shelf.states.clear()


def tamper(shelf: Shelf) -> None:
    for run_id, kept in shelf.states.items():
        changed = kept.state.replace(b"How is it?", b"Delete it!")
        shelf.states[run_id] = replace(kept, state=changed)


def cut(shelf: Shelf) -> None:
    for run_id, kept in shelf.states.items():
        shelf.states[run_id] = replace(kept, state=kept.state[:-3])


def put_back(shelf: Shelf) -> None:
    shelf.change(position=1)


def put_ahead(shelf: Shelf) -> None:
    shelf.change(position=99)


HARMS = [leave, delete, tamper, cut, put_back, put_ahead]


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_turn_that_is_killed_anywhere_ends_the_same_whatever_became_of_its_kept_state(harm: Harm):
    @in_loop
    async def check() -> None:
        whole = Topic()
        await take_turn(whole, World(), Shelf(), Counted())
        for room in range(len(whole.facts)):
            topic, world, shelf = Topic(room=room), World(), Shelf()
            with pytest.raises(Killed):
                await take_turn(topic, world, shelf, Counted())
            topic.room = None
            harm(shelf)

            state = await take_turn(topic, world, shelf, Counted())

            assert topic.types == whole.types, room
            assert sorted(topic.frames) == sorted(whole.frames), room
            assert len(world.asked) == len(world.changes) == 1, room
            assert state["request"] == "How is it?"
            (result,) = state["results"]
            assert result.response.endswith("task-1")
            assert shelf.states[PLACE.turn_id].position == len(topic.events)

    check()


@in_loop
async def test_a_turn_goes_on_at_the_step_that_was_kept_and_only_with_the_same_program():
    for program, decisions in (("today", 0), ("tomorrow", 2)):
        topic, shelf = Topic(), Shelf()
        first = await take_turn(topic, World(), shelf, Counted())
        counted = Counted()
        again = await take_turn(topic, World(), shelf, counted, program)
        assert counted.asked == decisions, program
        assert again == first


@in_loop
async def test_a_kept_state_is_refused_where_the_log_holds_something_else():
    topic, shelf = Topic(), Shelf()
    await take_turn(topic, World(), shelf, Counted())
    known = topic.known()
    assert await saver_of(shelf, topic.open_log("2")).resume({})
    next(one for one in known if "answer" in one.data).data["answer"] = '{"text": "thought 7"}'
    log = TurnLog(PLACE, known, StageRedactor(), topic.publish, "2")
    assert not await saver_of(shelf, log).resume({})


@in_loop
async def test_one_state_a_run_is_kept():
    topic, shelf = Topic(), Shelf()
    await take_turn(topic, World(), shelf, Counted())
    assert [*shelf.states] == [PLACE.turn_id]
    assert len(shelf.states[PLACE.turn_id].state) < 10_000
