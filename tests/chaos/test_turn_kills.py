"""kill -9 of the worker of a turn around the call of a tool: each tool has run exactly once."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from infra.platform.settings import Settings
from infra.service.asking.agents import BegunTurn, ChatRequest, begin_turn, follow_turn
from infra.service.assistant.conversations import Asks, MessageRequest, begin_message
from infra.service.projects.projects import create_project
from projections.read import session
from projections.read.agents import list_turn_events
from tests.chaos.turns import do_turns
from tests.conftest import variables_of

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
# What a worker of turns imports, most of it when a turn begins.
IMPORTED = [do_turns.__module__, "agents.project.graph", "agents.tools.registry", "langgraph.graph"]
CALLED, RETURNED = "agent.tool_called", "agent.tool_returned"
# A turn has three attempts: two are killed, the last one ends it.
ROUNDS = (
    (f"{CALLED} before", f"{RETURNED} before"),
    (f"{CALLED} after", f"{RETURNED} after"),
)
STORED, RESPONDED = "memory.stored", "agent.responded"
AROUND_MEMORY = (
    (f"{STORED} before", f"{RESPONDED} before"),
    (f"{STORED} after", f"{RESPONDED} before"),
)


@contextmanager
def projector(settings: Settings) -> Iterator[None]:
    with (settings.home / "processes.log").open("ab") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", "infra.cli", "projector"],
            cwd=ROOT,
            env=os.environ | variables_of(settings),
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        started.kill()
        started.wait(PATIENCE_S)


@contextmanager
def worker(settings: Settings, dies_at: str = "") -> Iterator[BaseProcess]:
    """A worker that is gone afterwards. It is forked from a process that has all imported."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    environ = {**os.environ, **variables_of(settings)}
    started = context.Process(
        target=do_turns, args=(environ, settings.home / "processes.log", dies_at)
    )
    started.start()
    try:
        yield started
    finally:
        started.kill()
        started.join(PATIENCE_S)


async def last_frame(settings: Settings, turn: BegunTurn) -> str:
    async with asyncio.timeout(PATIENCE_S):
        names = [frame.name async for frame in follow_turn(settings, turn)]
    return names[-1]


def die_and_end(settings: Settings, turn: BegunTurn, points: tuple[str, ...]) -> None:
    """A worker is killed at each point, one after the other; the last one ends the turn."""
    for point in points:
        with worker(settings, dies_at=point) as dying:
            dying.join(PATIENCE_S)
            assert dying.exitcode == -signal.SIGKILL
    with worker(settings):
        assert asyncio.run(last_frame(settings, turn)) == "done"


def test_a_tool_runs_once_though_its_worker_is_killed_around_the_call(fresh: Settings) -> None:
    turns: list[BegunTurn] = []
    with projector(fresh):
        project = asyncio.run(create_project(fresh, "Yard", actor="ana", key="yard"))
        for points in ROUNDS:
            asked = ChatRequest("Yard", "Schedule a sprint report every monday at 09:00")
            turns.append(asyncio.run(begin_turn(fresh, asked, actor="ana")))
            die_and_end(fresh, turns[-1], points)

    with session.reading(fresh.conninfo) as tables:
        for turn in turns:
            told = Counter(event.event_type for event in list_turn_events(tables, turn.turn_id))
            assert (told[CALLED], told[RETURNED]) == (1, 1)
        found = tables.execute(
            "SELECT count(*) FROM scheduled_work WHERE project_id = %s", (project.project_id,)
        ).fetchone()
    assert found == (len(turns),)


def test_the_assistant_remembers_once_though_its_worker_is_killed(fresh: Settings) -> None:
    turns: list[BegunTurn] = []
    asks = Asks(owner="ana", role="member", may_see=lambda _: True)
    with projector(fresh):
        for day, points in zip(("Fridays", "Mondays"), AROUND_MEMORY, strict=True):
            asked = MessageRequest(asks, f"Remember that I work on {day}")
            turns.append(asyncio.run(begin_message(fresh, asked)))
            die_and_end(fresh, turns[-1], points)

    with session.reading(fresh.conninfo) as tables:
        for turn in turns:
            told = Counter(event.event_type for event in list_turn_events(tables, turn.turn_id))
            assert told[STORED] == 1
        found = tables.execute("SELECT text FROM memories ORDER BY text").fetchall()
    assert found == [("I work on Fridays",), ("I work on Mondays",)]
