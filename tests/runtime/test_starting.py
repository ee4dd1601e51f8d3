"""A start is waited for as long as it moves; who waits is told in plain words."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from infra.platform.settings import Settings
from infra.runtime.local.patience import Patience, signs_of
from infra.runtime.local.process import identify
from infra.runtime.starting import HOPELESS_RESTARTS, Start


def waited(signs: Callable[[], object], **more: Any) -> tuple[Patience, list[str]]:
    said: list[str] = []
    fast: dict[str, Any] = {"look_every_s": 0.0, "say_after_s": 0.0, "still_s": 0.5}
    return Patience(signs, lambda: "the web server", said.append, **fast | more), said


def test_what_moves_is_waited_for_and_said():
    looks = itertools.count()
    patience, said = waited(lambda: next(looks), still_s=0.0)
    assert patience.wait_until(lambda: next(looks) > 20)
    assert said == ["Waiting for the web server (0 s so far)…"]


def test_what_stands_still_and_what_moves_for_ever_are_given_up():
    assert not waited(lambda: "still", still_s=0.0)[0].wait_until(lambda: False)
    looks = itertools.count()
    assert not waited(lambda: next(looks), longest_s=0.3)[0].wait_until(lambda: False)


def test_a_process_that_works_and_a_log_that_grows_are_signs(tmp_path: Path):
    path = tmp_path / "web.log"
    path.touch()
    before = signs_of([], [path, tmp_path / "none.log"])
    path.write_text("a line")
    assert signs_of([], [path]) != before
    busy = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(busy) as child:
        try:
            idle = signs_of([child.pid], [])
            patience, _ = waited(lambda: signs_of([child.pid], []), still_s=60.0)
            assert patience.wait_until(lambda: signs_of([child.pid], []) != idle)
        finally:
            child.kill()


def a_start(tmp_path: Path, *rows: dict[str, object]) -> Start:
    """A start whose supervisor, which is this process, tells of ``rows``."""
    settings = Settings(home=tmp_path)
    settings.run_folder.mkdir(parents=True)
    settings.log_folder.mkdir(parents=True)
    state = {
        "supervisor": asdict(identify(os.getpid())),
        "state": "starting",
        "error": None,
        "processes": rows,
    }
    (settings.run_folder / "state.json").write_text(json.dumps(state))
    (settings.log_folder / "reader-1.log").write_text("first\nNo room.\n")
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return Start(settings, child)


def a_row(name: str, state: str = "running", restarts: int = 0) -> dict[str, object]:
    return {"name": name, "state": state, "restarts": restarts}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "Cairn to get ready"),
        ([a_row("kafka", "starting")], "the broker (Kafka)"),
        ([a_row("kafka"), a_row("projector", "starting")], "the part that fills the tables"),
        (
            [a_row("kafka"), a_row("reader-12", "backing-off", 1)],
            "the part that reads sources, which ended and was started again",
        ),
    ],
)
def test_what_is_waited_for_is_named_in_plain_words(
    tmp_path: Path, rows: list[dict[str, object]], words: str
):
    start = a_start(tmp_path, *rows)
    assert start.name_awaited() == words
    assert not start.is_settled()


def test_who_waits_in_vain_is_told_what_where_and_why_in_one_sentence(tmp_path: Path):
    row = a_row("reader-1", "backing-off", HOPELESS_RESTARTS)
    start = a_start(tmp_path, a_row("kafka"), row, a_row("web", "starting"))
    assert start.is_settled()
    said = str(start.explain_silence())
    log = tmp_path / "logs" / "reader-1.log"
    assert "the part that reads sources has ended 4 times" in said
    assert said.endswith(f"why is in {log}, which ends with: No room.")
    assert "web" not in said and "backing-off" not in said
