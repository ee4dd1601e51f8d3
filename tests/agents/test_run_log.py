"""The log of runs over events that are no turns: any family of events will do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

import pytest

from agents.runs.confirmations import approve
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from infra.service.runs.driving import drive
from infra.service.runs.family import Family, RunEvent, RunPlace
from infra.service.runs.forking import copy_until
from infra.service.runs.run_log import RunLog
from schemas.envelope import Actor, Envelope, Event
from schemas.events.agent import ConfirmationDecision, EffectPosition
from schemas.events.stream import StreamFrame
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import Killed, in_loop


class Delivery(Event):
    """What the tests deliver: a family of its own, with other names for the same things."""

    topic: ClassVar[str] = "delivery.v1"
    stable_key: ClassVar[bool] = True

    delivery_id: str
    ordinal: int

    @property
    def local_key(self) -> str:
        return f"{self.delivery_id}|{self.ordinal}"


class Ordered(Delivery):
    type_name: ClassVar[str] = "delivery.ordered"
    goods: str


class Started(Delivery):
    type_name: ClassVar[str] = "delivery.step_started"
    position: EffectPosition
    tool: str
    arguments: str


class Done(Delivery):
    type_name: ClassVar[str] = "delivery.step_done"
    position: EffectPosition
    tool: str
    answer: str
    is_error: bool = False


class Noted(Delivery):
    type_name: ClassVar[str] = "delivery.noted"
    position: EffectPosition
    kind: str
    answer: str


class GateOpened(Delivery):
    type_name: ClassVar[str] = "delivery.gate_opened"
    confirmation_id: str
    tool: str
    arguments: str
    summary: str
    more: int = 0


class GateDecided(Delivery):
    type_name: ClassVar[str] = "delivery.gate_decided"
    confirmation_id: str
    decision: ConfirmationDecision
    arguments: str | None = None
    reason: str = ""
    given_by: str = ""


class Delivered(Delivery):
    type_name: ClassVar[str] = "delivery.delivered"
    text: str


def frame_of(event: Event) -> tuple[str, dict[str, Any]] | None:
    return ("done", {"text": event.text}) if isinstance(event, Delivered) else None


DELIVERIES = Family(
    begun=Ordered,
    called=Started,
    returned=Done,
    recorded=Noted,
    asked=GateOpened,
    decided=GateDecided,
    ended=Delivered,
    frame_of=frame_of,
    agent=Actor(type="agent", id="carrier"),
)


@dataclass
class Depot:
    """The topic of one delivery, and the world that it touches; ``room`` facts, then it dies."""

    run_id: str = "dlv_1"
    facts: list[Envelope] = field(default_factory=list)
    room: int | None = None
    calls: list[tuple[str, str]] = field(default_factory=list)
    thoughts: int = 0

    async def publish(self, facts: Sequence[Envelope]) -> None:
        for fact in facts:
            if self.room is not None and len(self.facts) >= self.room:
                raise Killed
            self.facts.append(fact)

    @property
    def events(self) -> list[Delivery]:
        first = {fact.event_id: fact.event for fact in reversed(self.facts)}.values()
        found = [event for event in first if isinstance(event, Delivery)]
        return sorted(found, key=lambda event: event.ordinal)

    @property
    def frames(self) -> list[str]:
        seen = {
            fact.event_id: fact.event.name
            for fact in self.facts
            if isinstance(fact.event, StreamFrame)
        }
        return list(seen.values())

    def open(self, copied: Mapping[int, Event] | None = None) -> RunLog:
        at = datetime.fromisoformat("2026-11-02T09:00:00Z")
        known = [RunEvent(event.ordinal, event, at) for event in self.events]
        place = RunPlace("prj_1", self.run_id, "ana", {"delivery_id": self.run_id})
        log = RunLog(DELIVERIES, place, known, StageRedactor(), self.publish)
        log.copy(copied or {})
        return log

    async def think(self) -> Json:
        self.thoughts += 1
        return {"text": f"crate {self.thoughts}"}

    async def ship(self, key: str, args: Json) -> Json:
        self.calls.append((key, args["what"]))
        return {"text": f"shipped {args['what']}"}


async def deliver(depot: Depot, log: RunLog) -> None:
    """The program of a delivery: a thought, a call that a person confirms, an end."""
    await log.record(Ordered, goods="anything")
    effects = RunEffects(log, depot.run_id, "prj_1", "carrier", 1)
    thought = await effects.run("model", {"run": depot.run_id}, depot.think)
    args = {"what": thought["text"]}
    decisions = log.list_decisions()
    shipped = await effects.call_approved(
        "ship", args, depot.ship, lambda key: approve(key, "ship", args, decisions)
    )
    await log.record(Delivered, text=shipped["text"])


async def deliver_or_ask(depot: Depot, copied: Mapping[int, Event] | None = None) -> str:
    """One job of a delivery: up to its end, or to the call that waits, which it returns."""
    log = depot.open(copied)
    done = await drive(log, partial(deliver, depot, log))
    return "" if done is None else done.confirmations[0].confirmation_id


async def approved_delivery(depot: Depot) -> Depot:
    waiting = await deliver_or_ask(depot)
    await depot.open().take_decision(waiting, decision="approve", given_by="bo")
    assert await deliver_or_ask(depot) == ""
    return depot


TYPES = [Ordered, Noted, GateOpened, GateDecided, Started, Done, Delivered]


@in_loop
async def test_a_run_of_another_family_pauses_and_goes_on_in_a_new_job():
    depot = await approved_delivery(Depot())

    assert [type(event) for event in depot.events] == TYPES
    assert depot.frames == ["confirmation_requested", "tool_call", "tool_result", "done"]
    assert [what for _, what in depot.calls] == ["crate 1"]
    assert depot.thoughts == 1


@in_loop
async def test_a_run_that_is_killed_anywhere_makes_each_effect_under_one_key():
    whole = await approved_delivery(Depot())
    for room in range(len(whole.facts)):
        depot = Depot(room=room)
        with pytest.raises(Killed):
            await approved_delivery(depot)
        depot.room = None
        if waiting := await deliver_or_ask(depot):
            await depot.open().take_decision(waiting, decision="approve", given_by="bo")
            assert await deliver_or_ask(depot) == ""
        assert [type(event) for event in depot.events] == TYPES, room
        assert len({key for key, _ in depot.calls}) == 1, room


def copied_until(depot: Depot, last: int, **changed: Any) -> dict[int, Event]:
    copied: dict[int, Event] = {one.ordinal: one for one in depot.events if one.ordinal <= last}
    copied[last] = copied[last].model_copy(update=changed)
    return copied


@in_loop
async def test_a_copied_run_asks_nobody_again_up_to_its_place_and_then_goes_on_by_itself():
    first = await approved_delivery(Depot())
    done = json.dumps({"text": "shipped by hand"})
    fork = Depot("dlv_2")

    assert await deliver_or_ask(fork, copied_until(first, 5, answer=done)) == ""

    assert [type(event) for event in fork.events] == TYPES
    assert (fork.calls, fork.thoughts, fork.frames) == ([], 0, ["tool_call", "tool_result", "done"])
    (gate,) = [event for event in fork.events if isinstance(event, GateDecided)]
    (asked,) = [event for event in fork.events if isinstance(event, GateOpened)]
    (source,) = [event for event in first.events if isinstance(event, GateOpened)]
    assert (gate.confirmation_id, gate.given_by) == (asked.confirmation_id, "bo")
    assert asked.confirmation_id != source.confirmation_id
    assert fork.events[-1] == Delivered(delivery_id="dlv_2", ordinal=6, text="shipped by hand")


@in_loop
async def test_a_copied_run_that_is_killed_anywhere_ends_as_if_it_had_not_been():
    first = await approved_delivery(Depot())
    copied = copied_until(first, 1, answer=json.dumps({"text": "crate 9"}))
    whole = Depot("dlv_2")
    waiting = await deliver_or_ask(whole, copied)
    assert waiting and whole.calls == []
    for room in range(len(whole.facts)):
        fork = Depot("dlv_2", room=room)
        with pytest.raises(Killed):
            await deliver_or_ask(fork, copied)
        fork.room = None
        assert await deliver_or_ask(fork, copied) == waiting
        assert fork.events == whole.events, room
        assert fork.thoughts == 0


@in_loop
async def test_a_run_forked_at_any_event_comes_to_the_same_end_and_repeats_only_what_is_behind():
    first = await approved_delivery(Depot())
    at = datetime.fromisoformat("2026-11-02T09:00:00Z")
    events = [RunEvent(event.ordinal, event, at) for event in first.events]
    for number in range(len(events) - 1):
        fork = Depot(f"dlv_{number + 2}")
        copied = copy_until(DELIVERIES, events, number, {}, "ana")

        if waiting := await deliver_or_ask(fork, copied):
            await fork.open().take_decision(waiting, decision="approve", given_by="ana")
            assert await deliver_or_ask(fork) == ""

        assert [type(event) for event in fork.events] == TYPES, number
        assert fork.events[-1].model_dump()["text"] == "shipped crate 1", number
        assert len(fork.calls) == (0 if number >= TYPES.index(Done) else 1), number
        assert fork.thoughts == (0 if number >= TYPES.index(Noted) else 1), number
        (given,) = [event for event in fork.events if isinstance(event, GateDecided)]
        assert given.given_by == ("bo" if number >= TYPES.index(Done) else "ana"), number


def test_secrets_of_a_run_do_not_reach_its_log():
    made_up = "AKIA" + "IOSFODNN7EXAMPLE"

    async def leak(_: str) -> Json:
        return {"text": f"the key is {made_up}"}

    depot = Depot()
    effects = RunEffects(depot.open(), depot.run_id, "prj_1", "carrier", 1)
    asyncio.run(effects.call("ship", {"what": made_up}, leak))
    assert made_up not in str(depot.facts)
