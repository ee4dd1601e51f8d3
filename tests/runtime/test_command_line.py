"""What a user meets before anything runs: wrong use is named, and answers can be copied."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from typer.testing import CliRunner

from infra.cli import build
from infra.cli.chat import show_answer, show_piece
from infra.cli.output import as_lines, table

NOBODY = "/nothing"


def refused(*arguments: str) -> str:
    told = CliRunner().invoke(build(), arguments)
    assert told.exit_code == 2, told.output
    return " ".join(told.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("atoms", "-p", "x", "--kind", "rumour"), "There is no kind 'rumour': there are claim"),
        (("atoms", "-p", "x", "--status", "gone"), "There is no status 'gone': there are draft"),
        (("search", "y", "-p", "x", "--kind", "rumour"), "There is no kind 'rumour'"),
        (("search", "y", "-p", "x", "--status", "all"), "There is no status 'all'"),
        (("search", " ", "-p", "x"), "The query is empty"),
        (("members", "remove", "", "-p", "x"), "Invalid value for 'member': it is empty"),
        (("ingest", "docs", "", "-p", "x"), "it is empty; `cairn ingest --help` says what to give"),
        (("coverage",), "Missing option '--project'"),
        (("eval", "guess", "--in", NOBODY, "--out", NOBODY), "There is no task guess"),
        (("eval", "classify", "--in", NOBODY), "needs --in and --out"),
        (("eval", "all"), "needs --data and --report"),
        (("eval", "extract", "--in", NOBODY, "--out", NOBODY, "--format", "x"), "no format x"),
    ],
)
def test_wrong_use_is_named_and_ends_with_2(arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*arguments)


@pytest.mark.parametrize("command", [("up", "--detach"), ("up",), ("project", "list")])
def test_a_home_that_cannot_be_written_is_named(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = tmp_path / "file" / "home"
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    told = subprocess.run(
        [sys.executable, "-m", "infra.cli", *command],
        env=env | {"CAIRN_HOME": str(home)},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 2
    assert f"{home}" in told.stderr
    assert "set CAIRN_HOME to a folder of yours" in told.stderr


def test_times_are_utc_with_milliseconds(capsys: pytest.CaptureFixture[str]) -> None:
    noon = datetime(2026, 5, 1, 12, 0, 0, 250_000, UTC)
    as_lines([{"at": noon}, {"at": noon.astimezone(timezone(timedelta(hours=2)))}])
    told = [json.loads(line)["at"] for line in capsys.readouterr().out.splitlines()]
    assert told == ["2026-05-01T12:00:00.250Z"] * 2


def test_no_id_is_cut_however_many_columns_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    ids = [f"run_{number:032d}" for number in range(12)]
    table([f"column {number}" for number in range(12)], [ids])
    told = capsys.readouterr().out
    assert [each for each in ids if each not in told] == []


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        ([{"text": "It is so."}], "It is so. Always.\n"),
        ([{"text": "It is not."}], "It is not.\n(taken back)\nIt is so. Always.\n"),
        ([{"text": "", "retracted": True}, {"text": "It is so."}], "It is so. Always.\n"),
    ],
)
def test_an_answer_is_told_whole_once_whatever_was_told_of_it_before(
    pieces: list[dict[str, object]], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = ""
    for piece in pieces:
        printed = show_piece(piece, printed)

    show_answer({"text": "It is so. Always.", "citations": []}, printed)

    assert capsys.readouterr().out == shown


@pytest.mark.parametrize(("level", "shows"), [("info", False), ("debug", True)])
def test_what_the_client_of_the_broker_tries_again_is_told_at_debug_alone(level: str, shows: bool):
    retried = (
        "import logging; from infra.cli import configure_log; from infra.cli.context import"
        " quiet_clients; configure_log(debug=False); quiet_clients();"
        " logging.getLogger('aiokafka.producer.sender').warning('NotLeaderForPartitionError')"
    )
    told = subprocess.run(
        [sys.executable, "-c", retried],
        env=os.environ | {"CAIRN_LOG_LEVEL": level},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("NotLeaderForPartitionError" in told.stderr) is shows
