"""States of runs that are kept in the process alone."""

from __future__ import annotations

import pytest

from agents.runs.saver import KeptState
from infra.platform.settings import Settings, SettingsError
from infra.service.runs.checkpoints import StatesInMemory, open_states
from tests.agents.talks import Topic, in_loop
from tests.agents.test_run_saver import Counted, saver_of, take_turn
from tests.agents.test_turn_log import World


def a_state(position: int) -> KeptState:
    return KeptState(position, "json", b"{}", "seal")


@in_loop
async def test_the_last_state_of_each_run_is_kept_and_the_oldest_run_is_left_first():
    states = StatesInMemory(most=2)
    for run_id, position in (("a", 1), ("b", 1), ("a", 2), ("c", 1)):
        await states.keep(run_id, a_state(position))
    assert [await states.read(it) for it in "abc"] == [a_state(2), None, a_state(1)]
    await states.drop("a")
    await states.drop("a")
    assert await states.read("a") is None


@in_loop
async def test_a_turn_goes_on_from_memory_and_without_it_from_its_log():
    topic, states = Topic(), StatesInMemory()
    first = await take_turn(topic, World(), states, Counted())
    kept = await states.read("trn_1")
    assert kept and await saver_of(states, topic.open_log("2")).resume({})
    counted = Counted()
    assert await take_turn(topic, World(), StatesInMemory(), counted) == first
    assert counted.asked == 2  # the supervisor decides again, and its records answer the rest


def test_the_setting_says_where_states_are_kept():
    memory = Settings.from_env({"CAIRN_CHECKPOINTS": "memory"})
    assert open_states(memory) is open_states(memory)
    assert isinstance(open_states(memory), StatesInMemory)
    assert not isinstance(open_states(Settings.from_env({})), StatesInMemory)
    with pytest.raises(SettingsError, match="CAIRN_CHECKPOINTS"):
        Settings.from_env({"CAIRN_CHECKPOINTS": "redis"})
