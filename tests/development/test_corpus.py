"""Commands that would do harm do none behind the walls, and each is refused by its layer."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from agents.development.errors import SecurityError
from agents.development.shell.layers import check_command
from infra.runtime.walls.walls import Command, Walls
from tests.development.harm import KEY_VARIABLE, LIMITS, Row, World, a_world, read_corpus

CORPUS = read_corpus()
BARE = [row for row in CORPUS if row.bare]
NAMED: dict[str, Any] = {"ids": lambda row: row.name}


def test_the_corpus_is_large_and_has_each_layer():
    assert len(CORPUS) >= 60
    layers = {row.layer for row in CORPUS}
    assert layers == {"metacharacters", "blocklist", "patterns", "allowlist"}


@pytest.mark.parametrize("row", CORPUS, **NAMED)
def test_a_harmful_command_is_refused_by_its_layer(row: Row):
    places = {"outside": "/srv/outside", "workspace": "/srv/work", "port": 80, "pid": 4321}
    with pytest.raises(SecurityError, match=f"^Layer {row.layer}: .+\\.$") as refusal:
        check_command(row.command.format(**places))
    assert refusal.value.layer == row.layer


@pytest.mark.parametrize("row", CORPUS, **NAMED)
def test_a_command_does_no_harm_behind_the_walls_alone(
    row: Row, walls: Walls, shared: Path, monkeypatch: pytest.MonkeyPatch
):
    async def run() -> list[str]:
        async with a_world(shared) as world:
            monkeypatch.setenv(KEY_VARIABLE, world.key)
            command, before = world.prepare(row), world.look()
            argv = ("/bin/sh", "-c", command)
            outcome = await walls.run(
                Command(argv, world.workspace, environ={"MARK": world.mark}, limits=LIMITS)
            )
            return await judge(world, before, outcome.finished.output)

    assert asyncio.run(run()) == []


@pytest.mark.parametrize("row", BARE, **NAMED)
def test_without_walls_the_harm_is_seen(row: Row, shared: Path, monkeypatch: pytest.MonkeyPatch):
    """So a wall that lets a command through would be seen, too."""

    async def run() -> list[str]:
        async with a_world(shared) as world:
            command, before = world.prepare(row), world.look()
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", command),
                cwd=world.workspace,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env=os.environ | {KEY_VARIABLE: world.key},
            )
            output, _ = await process.communicate()
            return await judge(world, before, output.decode(errors="replace"))

    assert asyncio.run(run()) != []


async def judge(world: World, before: dict[str, object], output: str) -> list[str]:
    """A connection and the end of a child reach this process a turn later."""
    for _ in range(5):
        await asyncio.sleep(0)
    return world.harm(before, output)
