"""A step that asks a person about several calls: each is decided by itself, and made once."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from agents.runs.confirmations import (
    CallDeclined,
    WaitsForConfirmation,
    approve,
    say_declined,
    settle,
)
from agents.runs.numbering import RunEffects
from infra.service.runs.driving import Paused, drive, replay
from infra.service.runs.family import RunEvent, RunPlace
from infra.service.runs.forking import copy_until
from infra.service.runs.frames import StopFinder
from infra.service.runs.run_log import RunLog
from schemas.envelope import Event
from schemas.events.stream import StreamFrame
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import Killed, in_loop
from tests.agents.test_run_log import (
    DELIVERIES,
    Delivered,
    Depot,
    Done,
    GateDecided,
    GateOpened,
    Noted,
    Ordered,
    Started,
)

CRATES = ("tea", "salt", "rum")
AT = datetime(2026, 11, 2, tzinfo=UTC)


async def load(depot: Depot, log: RunLog) -> None:
    """A thought, then three calls at once that each need a person, then an end."""
    await log.record(Ordered, goods="anything")
    effects = RunEffects(log, depot.run_id, "prj_1", "carrier", 1)
    await effects.run("model", {"run": depot.run_id}, depot.think)
    calls = [(effects.next_key("ship", {"what": it}), "ship", {"what": it}) for it in CRATES]
    decisions = log.list_decisions()
    settled = settle(calls, decisions)
    results: dict[int, str] = {}
    for number in settled.decided:
        try:
            args = approve(*calls[number], decisions)
        except CallDeclined as declined:
            results[number] = say_declined(declined)
            continue
        make = partial(depot.ship, args=args)
        results[number] = (await effects.make_call(calls[number][0], "ship", args, make))["text"]
    if settled.open:
        raise WaitsForConfirmation(*settled.open)
    await log.record(Delivered, text="; ".join(results[number] for number in sorted(results)))


async def go_on(depot: Depot, copied: Mapping[int, Event] | None = None) -> list[str]:
    """One job of the run; the crates that wait for a person."""
    log = depot.open(copied)
    done = await drive(log, partial(load, depot, log))
    return [one.arguments["what"] for one in done.confirmations] if isinstance(done, Paused) else []


def question(depot: Depot, crate: str) -> str:
    asked = [event for event in depot.events if isinstance(event, GateOpened)]
    return next(one.confirmation_id for one in asked if crate in one.arguments)


async def decide(depot: Depot, crate: str, decision: str = "approve", **more: Any) -> None:
    given = {"decision": decision, "given_by": "bo"} | more
    await depot.open().take_decision(question(depot, crate), **given)


def questions(depot: Depot) -> list[tuple[str, int]]:
    """The questions as who follows the run is shown them."""
    first = {fact.event_id: fact.event for fact in depot.facts}.values()
    frames = [event for event in first if isinstance(event, StreamFrame)]
    read = [json.loads(one.data) for one in frames if one.name == "confirmation_requested"]
    return [(one["arguments"]["what"], one["more"]) for one in read]


async def load_all(depot: Depot) -> Depot:
    """The rum is approved, then the tea with other arguments; the salt is declined."""
    if await go_on(depot):
        await decide(depot, "rum")
    if await go_on(depot):
        await decide(depot, "tea", "edit", arguments={"what": "green tea"})
    if await go_on(depot):
        await decide(depot, "salt", "reject", reason="too heavy")
    assert await go_on(depot) == []
    return depot


def done(depot: Depot) -> list[str]:
    return [what for _, what in depot.calls]


@in_loop
async def test_calls_of_a_step_are_decided_one_by_one_and_made_in_the_order_of_the_decisions():
    depot = Depot()
    assert await go_on(depot) == ["tea", "salt", "rum"]
    assert questions(depot) == [("tea", 2), ("salt", 1), ("rum", 0)]
    await decide(depot, "rum")
    assert await go_on(depot) == ["tea", "salt"]
    assert questions(depot)[3:] == [("tea", 1), ("salt", 0)]
    await decide(depot, "tea", "edit", arguments={"what": "green tea"})
    assert await go_on(depot) == ["salt"]
    await decide(depot, "salt", "reject", reason="too heavy")
    assert await go_on(depot) == []

    assert done(depot) == ["rum", "green tea"]
    assert depot.thoughts == 1
    last = depot.events[-1]
    assert isinstance(last, Delivered)
    assert last.text.startswith("shipped green tea; Not done (too heavy)")
    assert last.text.endswith("shipped rum")
    types = [GateOpened] * 3 + [GateDecided, Started, Done] * 2 + [GateDecided, Delivered]
    assert [type(event) for event in depot.events] == [Ordered, Noted, *types]


@pytest.mark.parametrize("order", [*itertools.permutations(CRATES)])
def test_a_replay_makes_the_calls_in_the_order_in_which_they_were_decided(order: tuple[str, ...]):
    @in_loop
    async def check() -> None:
        depot = Depot()
        for crate in order:
            await go_on(depot)
            await decide(depot, crate)
        await go_on(depot)
        assert done(depot) == list(order)
        known = [RunEvent(event.ordinal, event, AT) for event in depot.events]
        place = RunPlace("prj_1", depot.run_id, "ana", {"delivery_id": depot.run_id})
        log = RunLog(DELIVERIES, place, known, StageRedactor(), None)
        await replay(log, partial(load, depot, log))
        assert log.describe_replay()[0] == len(depot.events)
        assert done(depot) == list(order)

    check()


@in_loop
async def test_decisions_that_come_together_are_made_together():
    depot = Depot()
    await go_on(depot)
    for crate in ("salt", "tea"):
        await decide(depot, crate)
    assert await go_on(depot) == ["rum"]
    assert done(depot) == ["salt", "tea"]
    await decide(depot, "rum")
    assert await go_on(depot) == []
    assert Counter(done(depot)) == Counter(CRATES)


@in_loop
async def test_a_run_of_several_calls_that_is_killed_anywhere_asks_and_makes_each_once():
    whole = await load_all(Depot())
    for room in range(len(whole.facts)):
        depot = Depot(room=room)
        with pytest.raises(Killed):
            await load_all(depot)
        depot.room = None
        await load_all(depot)
        types = Counter(type(event) for event in depot.events)
        assert types == Counter(type(event) for event in whole.events), room
        assert len(dict(depot.calls)) == 2, room
        assert set(done(depot)) == {"rum", "green tea"}, room


@in_loop
async def test_a_fork_takes_over_decisions_with_results_and_asks_about_the_rest():
    first = await load_all(Depot())
    events = [RunEvent(event.ordinal, event, AT) for event in first.events]
    results = {event.ordinal: event for event in first.events if isinstance(event, Done)}
    for number in range(len(events) - 1):
        fork = Depot(f"dlv_{number + 2}")
        copied = copy_until(DELIVERIES, events, number, {}, "ana")
        taken = [json.loads(it.answer)["text"] for at, it in results.items() if at <= number]

        waiting = await go_on(fork, copied)

        shipped = {"shipped rum": "rum", "shipped green tea": "tea"}
        assert waiting == [it for it in CRATES if it not in [shipped[text] for text in taken]]
        assert fork.calls == []
        assert questions(fork)[-len(waiting) :] == [
            (it, len(waiting) - n - 1) for n, it in enumerate(waiting)
        ]
        for crate in waiting:
            await decide(fork, crate, given_by="ana")
            await go_on(fork)
        assert done(fork) == waiting, number
        assert isinstance(fork.events[-1], Delivered)
        assert question(fork, "tea") != question(first, "tea")


@pytest.mark.parametrize(("crate", "left"), [("rum", ["tea", "salt"]), ("tea", ["salt"])])
def test_a_fork_may_change_either_decision(crate: str, left: list[str]):
    @in_loop
    async def check() -> None:
        first = await load_all(Depot())
        events = [RunEvent(event.ordinal, event, AT) for event in first.events]
        asked = question(first, crate)
        number = next(
            event.ordinal
            for event in first.events
            if isinstance(event, GateDecided) and event.confirmation_id == asked
        )
        fork = Depot("dlv_2")
        changes = {"arguments": {"what": "sand"}}

        assert await go_on(fork, copy_until(DELIVERIES, events, number, changes, "ana")) == left

        assert done(fork) == ["sand"]
        assert [name for name in fork.frames if name != "confirmation_requested"][-1] == (
            "tool_result"
        )
        given = [event for event in fork.events if isinstance(event, GateDecided)]
        assert (given[-1].confirmation_id, given[-1].given_by) == (question(fork, crate), "ana")
        assert questions(fork)[-1] == (left[-1], 0)

    check()


@in_loop
async def test_an_approval_whose_call_has_not_answered_is_not_taken_over_from_between_others():
    depot = Depot()
    await go_on(depot)
    await decide(depot, "tea")  # the process ends before anything of it is done
    await decide(depot, "rum", "reject")
    events = [RunEvent(event.ordinal, event, AT) for event in depot.events]
    fork = Depot("dlv_2")
    copied = copy_until(DELIVERIES, events, len(events) - 1, {"decision": "approve"}, "ana")

    assert await go_on(fork, copied) == ["tea", "salt"]

    assert done(fork) == ["rum"]


def test_who_follows_a_run_stops_at_its_last_question_unless_that_was_before_the_decision():
    def stops(stop: StopFinder, *asked: tuple[str, int]) -> list[bool]:
        frames = [json.dumps({"confirmation_id": which, "more": more}) for which, more in asked]
        return [stop.stops_at("confirmation_requested", frame) for frame in frames]

    assert stops(StopFinder(), ("a", 1), ("b", 0)) == [False, True]
    assert stops(StopFinder("a"), ("a", 1), ("b", 0), ("b", 0)) == [False, False, True]
    assert StopFinder().stops_at("done", "{}")
    assert not StopFinder().stops_at("token", "{}")
