"""A second process of one name in one home is told at once who the first is, and ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra.platform.errors import Refusal
from infra.runtime.local.alone import only_one
from infra.runtime.local.process import wait_until

HOLDER = """
import os, pathlib, signal, sys
from infra.platform.settings import Settings
from infra.runtime.supervisor import named, tell_ready
settings = Settings.from_env(os.environ)
with named(settings, os.environ):
    tell_ready(settings, os.environ)
    signal.pause()
"""
COMMANDS = [
    ("projector", ("projector",), {}),
    ("poller", ("connector", "poll"), {}),
    ("intake", ("intake",), {}),
    ("web", ("web",), {}),
    ("reader-7", ("worker", "--stages", "reading"), {"CAIRN_PROCESS_NAME": "reader-7"}),
]


def environment(home: Path, **more: str) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    addresses = {
        "CAIRN_KAFKA_BOOTSTRAP": "127.0.0.1:1",
        "CAIRN_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "CAIRN_VAULT_KEY": "0" * 64,
    }
    return env | addresses | {"CAIRN_HOME": str(home)} | more


@contextmanager
def running(home: Path, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has this name in this home."""
    env = environment(home, CAIRN_PROCESS_NAME=name)
    first = subprocess.Popen([sys.executable, "-c", HOLDER], env=env)
    try:
        assert wait_until((home / "run" / f"{name}.ready").exists, timeout_s=60)
        yield first
    finally:
        first.kill()
        first.wait()


@pytest.mark.parametrize(("name", "command", "more"), COMMANDS, ids=lambda value: str(value)[:12])
def test_a_second_one_is_told_who_runs_since_when_and_what_to_do(
    home: Path, name: str, command: tuple[str, ...], more: dict[str, str]
):
    with running(home, name) as first:
        second = subprocess.run(
            [sys.executable, "-m", "infra.cli", *command],
            env=environment(home, **more),
            capture_output=True,
            text=True,
        )
        assert first.poll() is None
    assert second.returncode == 1
    (sentence,) = second.stderr.splitlines()
    assert re.fullmatch(
        rf"`{name}` runs in {home} already \(pid {first.pid}, since \S+ \S+ UTC\)\."
        r" `cairn status` shows it, `cairn down` stops it\.",
        sentence,
    )


def test_the_name_of_a_killed_process_is_free_and_other_names_are(tmp_path: Path):
    with running(tmp_path, "projector") as first, only_one(tmp_path / "run", "poller", "Other"):
        first.kill()
        first.wait()
        with only_one(tmp_path / "run", "projector", "It"):
            pass


def test_a_lock_whose_holder_is_not_known_is_refused_too(tmp_path: Path):
    with only_one(tmp_path, "poller", "It runs"):
        (tmp_path / "poller.holder").unlink()
        second = only_one(tmp_path, "poller", "It runs", patience_s=0.1)
        with pytest.raises(Refusal, match="It runs already"), second:
            pass
