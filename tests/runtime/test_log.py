"""A log is of bounded size and does not say one thing a thousand times."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from infra.platform import log
from infra.runtime.local.logs import rotate
from infra.runtime.local.process import spawn
from streams.hygiene.redaction.strings import redact_text
from tests.hygiene.builders import MIXED

TOKEN = "gh" + "p_" + MIXED[:36]


class Told:
    """What a process has logged, at the hours of a clock that the test sets."""

    def __init__(self) -> None:
        self.stream, self.now_s = io.StringIO(), 0.0

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def told() -> Iterator[Told]:
    root, cairn = logging.getLogger(), logging.getLogger("cairn")
    before = root.handlers, root.level, cairn.level, structlog.get_config()
    library = logging.getLogger("aiokafka")
    quiet = library.level  # as a command leaves it that was run in this process
    library.setLevel(logging.NOTSET)
    told = Told()
    log.configure(redact=redact_text, stream=told.stream, now=lambda: told.now_s)
    yield told
    root.handlers = before[0]
    root.setLevel(before[1])
    cairn.setLevel(before[2])
    library.setLevel(quiet)
    structlog.configure(**before[3])


def of_ours() -> None:
    log.get("test").warning("broker.away", reason="it does not answer")


def of_a_library() -> None:
    logging.getLogger("aiokafka").error("Unable to connect to %s", "127.0.0.1:9092")


def with_a_traceback() -> None:
    try:
        raise RuntimeError("the same each time")
    except RuntimeError:
        log.get("test").exception("work.failed")


SAID = (of_ours, of_a_library, with_a_traceback)


@pytest.mark.parametrize("say", SAID)
def test_a_line_that_comes_again_and_again_is_shown_once_and_counted(
    told: Told, say: Callable[[], None]
):
    for _ in range(1_000):
        say()
    assert len(told.lines) == 1
    told.now_s += 61
    say()
    assert len(told.lines) == 2
    assert "999" in json.dumps(told.lines[1])


@pytest.mark.parametrize("say", SAID)
def test_a_fault_that_lasts_a_day_takes_some_thirty_lines(told: Told, say: Callable[[], None]):
    for _ in range(24 * 60 * 2):
        told.now_s += 30
        say()
    assert 10 < len(told.lines) < 40


def test_counts_are_told_when_the_process_ends():
    code = (
        "from infra.platform import log\n"
        "log.configure(redact=str)\n"
        "for _ in range(500): log.get('test').warning('broker.away')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    first, last = map(json.loads, ended.stderr.splitlines())
    assert "repeats" not in first
    assert last["repeats"] == 499


def of_ours_with_parts() -> None:
    log.get("test").warning("item.refused", title=f"use {TOKEN}", labels=[TOKEN], of={"at": TOKEN})


def of_a_library_with_arguments() -> None:
    logging.getLogger("faust").error("cannot read %s", f"https://ana:{MIXED[:14]}@db.example/x")


def with_a_traceback_that_quotes() -> None:
    try:
        raise RuntimeError(f"no file {TOKEN}")
    except RuntimeError:
        log.get("test").exception("work.failed")


def with_an_object() -> None:
    log.get("test").warning("item.refused", error=ValueError(f"password={MIXED[:14]}"))


@pytest.mark.parametrize(
    "say",
    [
        of_ours_with_parts,
        of_a_library_with_arguments,
        with_a_traceback_that_quotes,
        with_an_object,
    ],
)
def test_no_line_shows_a_secret(told: Told, say: Callable[[], None]):
    say()
    shown = told.stream.getvalue()
    assert "[REDACTED:" in shown
    assert TOKEN not in shown and MIXED[:14] not in shown


def test_a_line_without_secrets_is_shown_as_it_is(told: Told):
    log.get("test").info("stage.decided", place="source.v1/0@12", lag=3, path="docs/tokens.md")
    (line,) = told.lines
    assert (line["event"], line["place"], line["lag"], line["path"]) == (
        "stage.decided",
        "source.v1/0@12",
        3,
        "docs/tokens.md",
    )


def test_lines_that_differ_are_all_shown(told: Told):
    for number in range(1_000):
        log.get("test").warning("record.refused", offset=number)
    assert [line["offset"] for line in told.lines] == list(range(1_000))


def test_a_line_that_has_been_quiet_is_shown_at_once(told: Told):
    of_ours()
    told.now_s += 61
    of_ours()
    assert [line.get("repeats") for line in told.lines] == [None, None]


def test_a_log_has_a_size_that_it_does_not_pass_while_its_process_writes_on(tmp_path: Path):
    code = "for number in range(40_000): print(f'line {number:06}', flush=number % 100 == 0)"
    path = tmp_path / "child.log"
    child = spawn([sys.executable, "-c", code], log=path, env=dict(os.environ))
    while child.poll() is None:
        rotate(tmp_path, max_bytes=50_000)
    rotate(tmp_path, max_bytes=50_000)
    kept = [path, tmp_path / "child.log.1", tmp_path / "child.log.2"]
    assert sorted(tmp_path.iterdir()) == kept
    assert all(each.stat().st_size <= 50_000 for each in kept)


def test_what_a_log_held_is_kept_in_two_older_files(tmp_path: Path):
    path = tmp_path / "kafka.log"
    with path.open("ab", buffering=0) as written:
        for content in (b"a" * 30, b"b" * 30, b"c" * 30):
            written.write(content)
            rotate(tmp_path, max_bytes=20)
        written.write(b"d")
    assert path.read_bytes() == b"d"
    assert (tmp_path / "kafka.log.1").read_bytes() == b"c" * 20
    assert (tmp_path / "kafka.log.2").read_bytes() == b"b" * 20
