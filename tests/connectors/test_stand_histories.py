"""After any history with crashes anywhere, what is held of Jira and Slack is what stands there.

As for GitHub (``test_histories``), in the words of the contract: create, reply, edit, delete, also
between two requests and often in one moment; a sync ends between any two requests or records.
Where Jira tells of the changes, too, no census is needed. Slack's deliveries only say which thread
to ask for.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pytest

from connectors.rate_limits import Budget
from connectors.sync import Engine, Outcome, SyncTarget
from infra.platform.clock import SystemClock
from tests.connectors.histories import HISTORIES, PATIENCE, History
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.stand_ins.jira_stand import (
    JiraStand,
    jira_cloud_stand,
    jira_data_center_stand,
)
from tests.connectors.stand_ins.slack_stand import slack_stand
from tests.connectors.stand_ins.stand import MakeStand, Stand

SAID = ("The gateway must answer within {} ms.", "We will use Redis for {} sessions.", "Hm, {}?")


@dataclass
class AtStand(History):
    """One project and how it changes, in the words of the contract."""

    stand: Stand = field(kw_only=True)
    standing: list[str] = field(default_factory=list)

    def happen(self) -> None:
        chance, stand = self.chance, self.stand
        stand.wait(chance.choice((0, 0, 0, 1, 30, 4_000)) + (self.hooks is not None))
        text = chance.choice(SAID).format(chance.randrange(1_000))
        handle = chance.choice(self.standing) if self.standing else ""
        match chance.randrange(8):
            case 0 | 1 | 2 if handle:
                self.standing.append(stand.reply(handle, text))
            case 3 | 4 if handle:
                stand.edit(handle, text)
            case 5 if handle:
                self._delete(handle)
            case _:
                self.standing.append(stand.create(text))

    def _delete(self, handle: str) -> None:
        """What hangs on something that went is not touched again."""
        self.stand.delete(handle)
        gone = {it for it in self.standing if it == handle or it.startswith(f"{handle}/")}
        self.standing = [it for it in self.standing if it not in gone]


async def synced(stand: Stand, broker: MemoryBroker, page: int, *, census: bool) -> list[Outcome]:
    target = SyncTarget(PROJECT, "con_1", stand.service)
    outcomes = []
    for stream in stand.streams(broker, page):
        places = dict(broker.places.get("con_1", {}))
        engine = Engine(target, broker.publisher(), places, SystemClock(), Budget())
        outcomes.append(await engine.sync(stream))
        if census:
            outcomes.append(await engine.reconcile(stream, accept_removals=True))
    return outcomes


async def played(seed: int, stand: Stand, *, told: bool = False) -> MemoryBroker:
    """The history of a seed to its end. If changes are ``told`` there is no census after it."""
    chance = random.Random(seed)
    history = AtStand(chance, stand=stand)
    broker = MemoryBroker(before_record=history.between_records)
    page = chance.choice((1, 2, 3, 50))
    for _ in range(chance.randrange(20)):
        history.happen()
    if told:
        assert isinstance(stand, JiraStand)
        history.hooks = stand.hooks(broker, chance)
        history.hooks.connect()
    stand.before_each = history.between_requests
    for _ in range(PATIENCE):
        history.plan_crash()
        await history.hear()
        census = chance.random() < 0.3
        if await history.ends(synced(stand, broker, page, census=census)):
            if history.is_over:
                break
            history.go_on()
    stand.before_each = lambda: None
    broker.before_record = lambda: None
    if history.hooks:
        await history.hooks.arrive(all_of_them=True)
    last = await synced(stand, broker, page, census=not told)
    assert {each.reason for each in last} == {None}
    return broker


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (jira_cloud_stand, False),
        (jira_cloud_stand, True),
        (jira_data_center_stand, False),
        (slack_stand, False),
    ],
)
def test_after_any_history_with_crashes_what_is_held_is_what_stands(
    make: MakeStand, told: bool
) -> None:
    async def run() -> None:
        for seed in range(HISTORIES // 4):
            async with make() as stand:
                broker = await played(seed, stand, told=told)
                assert broker.contents == stand.standing(), f"history {seed}"
                assert told or broker.in_vain == 0, f"history {seed}"

    asyncio.run(run())
