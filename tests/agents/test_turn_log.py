"""A turn over its log: broken off anywhere it goes on, each change is asked for under one key, and
a replay needs every record.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from agents.models.errors import AllProvidersFailed
from agents.project.graph import Decision
from agents.project.state import AgentResult, AgentState
from agents.runs.confirmations import Confirmation, WaitsForConfirmation
from agents.runs.effects import Json, RecordMissing
from agents.runs.numbering import RunEffects
from infra.platform.settings import Settings
from infra.service.asking.agent_turns import run_turn
from infra.service.asking.turn_log import TurnLog
from infra.service.runs.family import write_event
from infra.service.runs.run_log import RunDiverged
from infra.store.jobs.lease import LeaseLost
from schemas.events.agent import (
    ConfirmationGiven,
    EffectRecorded,
    Responded,
    Routed,
    ToolReturned,
)
from schemas.ids import sha256_hex
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import PLACE, Killed, Topic, accept_after, in_loop, run

MADE_UP = "AKIA" + "IOSFODNN7EXAMPLE"


class World:
    """What a turn touches: ``asked`` counts requests by key, ``changes`` what came of them."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.changes: dict[str, str] = {}
        self.model_calls = 0

    async def change(self, key: str) -> Json:
        self.asked[key] += 1
        self.changes.setdefault(key, f"task-{len(self.changes) + 1}")  # once for a key
        return {"text": self.changes[key]}

    async def think(self) -> Json:
        self.model_calls += 1
        return {"text": f"thought {self.model_calls}"}

    async def look(self) -> Json:
        return {"now": datetime(2026, 11, 2, 9, self.model_calls, tzinfo=UTC).isoformat()}


def works(log: TurnLog, world: World) -> Any:
    """A specialist with a model call, a change, another model call, and a clock."""

    async def perform(state: AgentState) -> AgentResult:
        iteration = state["iteration"]
        effects = RunEffects(log, PLACE.turn_id, PLACE.project_id, "planner", iteration)
        first = await effects.run("model", {"ask": state["message_to_agent"]}, world.think)
        made = await effects.call("create_task", {"title": first["text"]}, world.change)
        await effects.run("model", {"ask": made["text"]}, world.think)
        at = datetime.fromisoformat((await effects.run("clock", {}, world.look))["now"])
        return AgentResult(
            agent="planner",
            result_type="answer",
            response=f"{first['text']}: {made['text']}",
            requires_review=True,
            started_at=at,
            finished_at=at,
        )

    return perform


async def take_turn(topic: Topic, world: World, attempt: str = "1") -> AgentState:
    log = topic.open_log(attempt)
    parts = {"decide": accept_after("planner"), "planner": works(log, world)}
    return await run(log, parts)


async def replay(topic: Topic, without: int | None = None) -> AgentState:
    log, nobody = topic.open_replay(without), World()
    try:
        return await run(log, {"decide": accept_after("planner"), "planner": works(log, nobody)})
    finally:
        assert not nobody.asked
        assert nobody.model_calls == 0


@in_loop
async def test_a_turn_that_is_killed_at_any_point_ends_as_if_it_had_not_been():
    whole, quiet = Topic(), World()
    undisturbed = await take_turn(whole, quiet)

    for room in range(len(whole.facts)):
        topic, world = Topic(room=room), World()
        with pytest.raises(Killed):
            await take_turn(topic, world)
        topic.room = None

        state = await take_turn(topic, world, "2")

        assert topic.types == whole.types, room
        assert sorted(topic.frames) == sorted(whole.frames), room
        assert len(world.asked) == len(world.changes) == 1, room
        assert state["results"][0].response.endswith("task-1")
        answers = [one for one in topic.events if isinstance(one, EffectRecorded | ToolReturned)]
        assert len({one.position.effect_id for one in answers}) == len(answers) == 4
    assert undisturbed["final_response"] == "thought 1: task-1"


@in_loop
async def test_a_finished_turn_runs_again_without_asking_anybody():
    topic, world = Topic(), World()
    first = await take_turn(topic, world)
    facts = len(topic.events)

    again = await take_turn(topic, World(), "2")

    assert again == first
    assert len(topic.events) == facts


@in_loop
async def test_a_replay_is_the_same_and_stops_at_any_record_that_is_gone():
    topic, world = Topic(), World()
    first = await take_turn(topic, world)

    assert await replay(topic) == first
    for event in topic.events:
        with pytest.raises(RecordMissing) as missing:
            await replay(topic, without=event.ordinal)
        if isinstance(event, EffectRecorded | ToolReturned):
            assert event.position.effect_id in str(missing.value)
        else:
            assert event.type_name in str(missing.value)


@in_loop
async def test_a_replay_tells_every_event_to_the_letter_or_names_what_would_differ():
    topic, world = Topic(), World()
    await take_turn(topic, world)
    log = topic.open_replay()
    await run(log, {"decide": accept_after("planner"), "planner": works(log, World())})
    contents = "\n".join(map(write_event, topic.events))
    assert log.describe_replay() == (len(topic.events), sha256_hex(contents))

    async def decide_otherwise(state: AgentState) -> Decision:
        decision: Decision = await accept_after("planner")(state)
        return replace(decision, thought=decision.thought + "!")

    log = topic.open_replay()
    with pytest.raises(RunDiverged, match="Event 0 .*: thought differ"):
        await run(log, {"decide": decide_otherwise, "planner": works(log, World())})


@in_loop
async def test_a_model_that_did_not_answer_does_not_answer_when_the_turn_runs_again():
    async def refuse() -> Json:
        raise AllProvidersFailed("all providers are away")

    topic = Topic()
    for make in (refuse, World().think):
        effects = RunEffects(topic.open_log(), PLACE.turn_id, PLACE.project_id, "planner", 1)
        with pytest.raises(AllProvidersFailed):
            await effects.run("model", {"ask": "it"}, make)


@in_loop
async def test_what_is_used_is_what_the_log_holds_without_secrets():
    async def leak(_: str) -> Json:
        return {"text": f"the key is {MADE_UP}"}

    topic = Topic()
    effects = RunEffects(topic.open_log(), PLACE.turn_id, PLACE.project_id, "assistant", 1)
    used = await effects.call("search", {"query": MADE_UP}, leak)

    (returned,) = [event for event in topic.events if isinstance(event, ToolReturned)]
    assert MADE_UP not in str(topic.facts)
    assert used["text"] in returned.answer


@in_loop
async def test_a_turn_whose_program_has_changed_says_so():
    topic, world = Topic(room=6), World()
    with pytest.raises(Killed):
        await take_turn(topic, world)
    topic.room = None
    log = topic.open_log("2")

    async def other(state: AgentState) -> AgentResult:
        effects = RunEffects(log, PLACE.turn_id, PLACE.project_id, "planner", 2)
        await effects.run("model", {"ask": "something else"}, world.think)
        raise AssertionError("the log holds another question")

    with pytest.raises(RunDiverged):
        await run(log, {"decide": accept_after("planner"), "planner": other})


@in_loop
async def test_the_end_of_a_turn_names_the_call_that_may_have_been_made():
    """A call is under way when the job is cancelled: nobody knows whether it took effect."""
    topic = Topic()
    effects = RunEffects(topic.open_log(), PLACE.turn_id, PLACE.project_id, "assistant", 1)

    async def answer(_: str) -> Json:
        return {"text": "Here they are."}

    async def die(_: str) -> Json:
        raise Killed

    await effects.call("list_tasks", {}, answer)
    with pytest.raises(Killed):
        await effects.call("create_task", {"title": "Oil"}, die)

    for attempt in ("2", "3"):
        await topic.open_log(attempt).record_failure("turn_cancelled", "It was cancelled.")

    (last,) = [event for event in topic.events if isinstance(event, Responded)]
    assert last.text == (
        "It was cancelled. The tool create_task was called before and has not answered: what it"
        " does may or may not have completed."
    )


async def run_without_its_model(request: str) -> Topic:
    """The log of a turn that began with a model and goes on where none is configured."""
    topic = Topic()
    log = topic.open_log()
    await log.begin(request, "pm")

    async def look() -> Json:
        project = {"project_id": PLACE.project_id, "name": "Yard"}
        return {"project": project, "history": [], "has_model": True}

    await RunEffects(log, PLACE.turn_id, PLACE.project_id, "turn", 0).run(
        "read", {"what": "context"}, look
    )
    with TemporaryDirectory() as home:
        log = topic.open_log("2")
        settings = Settings(home=Path(home))
        await run_turn(settings, log, PLACE, await log.begin("", ""))
    return topic


@in_loop
async def test_a_turn_whose_model_is_configured_no_more_goes_on_by_its_records_and_by_rules():
    topic = await run_without_its_model("What can you do?")

    (routed,) = [event for event in topic.events if isinstance(event, Routed)]
    (last,) = [event for event in topic.events if isinstance(event, Responded)]
    assert routed.engine == last.engine == "rules"
    assert "all_providers_failed" in str([it for it in topic.events if it.ordinal > routed.ordinal])
    assert "contradictions" in last.text
    assert "no language model took part" in last.text


@in_loop
async def test_what_a_specialist_answers_by_rules_alone_says_that_no_model_took_part():
    topic = await run_without_its_model("Rebalance the workload")

    (last,) = [event for event in topic.events if isinstance(event, Responded)]
    assert (last.agent, last.engine) == ("assigner", "rules")
    assert "no language model took part" in last.text


@in_loop
async def test_a_turn_that_waits_for_a_person_goes_on_once_it_is_decided():
    world, asked = (
        World(),
        Confirmation(
            confirmation_id="cnf_1",
            tool="delete_task",
            arguments={"task": "task-1"},
            summary="Delete.",
        ),
    )

    async def attempt(topic: Topic, number: str) -> AgentState:
        log = topic.open_log(number)
        decisions = log.list_decisions()

        async def asks_first(state: AgentState) -> AgentResult:
            if "cnf_1" not in decisions:
                raise WaitsForConfirmation(asked)
            done: AgentResult = await works(log, world)(state)
            return done

        try:
            return await run(log, {"decide": accept_after("planner"), "planner": asks_first})
        except WaitsForConfirmation as waits:
            told = waits.confirmation.model_dump(exclude={"arguments"})
            await log.request_confirmation(**told, arguments="{}")
            raise

    topic = Topic()
    for number in ("1", "2"):  # asked once, however often the turn comes to it
        with pytest.raises(WaitsForConfirmation):
            await attempt(topic, number)
    assert topic.types == ["routed", "confirmation_requested"]
    decided = topic.open_log("3")
    await decided.take_decision("cnf_1", decision="approve", given_by="ana")
    await topic.open_log("4").take_decision("cnf_1", decision="reject", given_by="bo")

    await attempt(topic, "5")

    (given,) = [event for event in topic.events if isinstance(event, ConfirmationGiven)]
    assert (given.decision, given.given_by) == ("approve", "ana")
    assert topic.types[:4] == ["routed", "confirmation_requested", "confirmation_given"] + [
        "effect_recorded"
    ]
    assert list(world.asked.values()) == [1]
    assert topic.frames.count("confirmation_requested") == 1


@pytest.mark.parametrize(
    ("allowed", "made"), [(0, (0, 0, 0)), (1, (1, 0, 0)), (2, (1, 1, 0)), (3, (1, 1, 1))]
)
def test_a_turn_whose_job_is_taken_away_asks_no_model_and_calls_no_tool_any_more(
    allowed: int, made: tuple[int, int, int]
):
    """A thought, a change, for which it looks before and behind the record, and a thought."""

    @in_loop
    async def check() -> None:
        topic, world = Topic(), World()
        left = iter(range(allowed))

        async def check_held() -> None:
            if next(left, None) is None:
                raise LeaseLost("The job was cancelled.")

        log = TurnLog(PLACE, [], StageRedactor(), topic.publish, "1", check_held)
        with pytest.raises(LeaseLost):
            await run(log, {"decide": accept_after("planner"), "planner": works(log, world)})
        called = topic.types.count("tool_called")
        assert (world.model_calls, called, len(world.changes)) == made

        state = await take_turn(topic, world, "2")
        assert state["results"][0].response.endswith("task-1")
        assert len(world.changes) == 1

    check()
