"""`cairn mcp` over standard input and output: every line is answered, and it ends quietly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from infra.mcp.pages import Entry, Rendered, Shown, fit
from infra.mcp.tools import TOOLS, read_arguments
from infra.platform import postgres
from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from tests.databases import migrated_beside, new_name
from tests.web import serving

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    },
}
Started = subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def served(database_server: str) -> Iterator[Path]:
    """The home of a service with one project, whose web process runs here."""
    with tempfile.TemporaryDirectory(prefix="cairn-test-") as home:
        settings = Settings(
            home=Path(home), database_url=migrated_beside(database_server, new_name())
        )
        with postgres.connect(settings.conninfo, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO cairn.projects (project_id, name, description, vision, timezone,"
                " created_at) VALUES ('prj_1', 'Shop', '', '', '', now())"
            )
        with serving(settings):
            yield settings.home


@pytest.fixture
def started(served: Path) -> Iterator[Started]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "infra.cli", "mcp", "--project", "Shop"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    process = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, env=env | {"CAIRN_HOME": str(served)}
    )
    yield process
    process.kill()
    process.wait()
    for file in (process.stdin, process.stdout, process.stderr):
        assert file is not None
        with suppress(BrokenPipeError):
            file.close()


def send(process: Started, line: str | dict[str, Any]) -> None:
    assert process.stdin is not None
    text = line if isinstance(line, str) else json.dumps(line)
    process.stdin.write(text.encode() + b"\n")
    process.stdin.flush()


def ask(process: Started, line: str | dict[str, Any]) -> dict[str, Any]:
    send(process, line)
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def end_of(process: Started) -> tuple[int, bytes]:
    assert process.stderr is not None
    return process.wait(60), process.stderr.read()


def test_a_line_that_cannot_be_read_is_answered_and_closed_input_is_the_end(started: Started):
    assert ask(started, HELLO)["result"]["serverInfo"]["name"] == "cairn"
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "\ud83d"}}
    refused = ask(started, call)
    assert (refused["id"], refused["error"]["code"]) == (2, -32600)
    assert "surrogate" in refused["error"]["message"]
    assert ask(started, "no message")["error"]["code"] == -32700
    assert ask(started, {"jsonrpc": "2.0", "id": 3, "method": "ping"})["result"] == {}
    assert started.stdin is not None
    started.stdin.close()
    assert end_of(started) == (0, b"")


def test_sigterm_is_a_quiet_end(started: Started):
    ask(started, HELLO)
    started.send_signal(signal.SIGTERM)
    assert end_of(started) == (0, b"")


def test_a_client_that_reads_no_more_is_a_quiet_end(started: Started):
    ask(started, HELLO)
    assert started.stdout is not None
    started.stdout.close()
    send(started, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
    assert end_of(started) == (0, b"")


def test_any_line_is_read_or_answered(started: Started):
    for line in ("{", "[" * 100_000, "\x00", '{"id": 1'):
        assert ask(started, line)["error"]["code"] == -32700


def test_what_the_service_refuses_is_an_error_of_the_protocol(started: Started):
    ask(started, HELLO)
    unknown = {"uri": "cairn://atom/none"}
    missing = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": unknown}
    refused = ask(started, missing)
    assert (refused["id"], "none" in refused["error"]["message"]) == (2, True)


def test_null_is_taken_for_what_may_be_left_out():
    for name, given in (("search", {"query": "lamp", "kinds": None, "areas": None}),):
        arguments = read_arguments(TOOLS[name], given | {"cursor": None, "max_tokens": None})
        assert arguments == read_arguments(TOOLS[name], {"query": "lamp"})
    assert read_arguments(TOOLS["contradictions"], {"status": None}) == read_arguments(
        TOOLS["contradictions"], {}
    )
    with pytest.raises(Invalid, match="query"):
        read_arguments(TOOLS["search"], {"query": None})
    with pytest.raises(Invalid, match="no argument nothing"):
        read_arguments(TOOLS["coverage"], {"nothing": None})


@pytest.mark.parametrize("given", [{"query": "\ud800"}, {"query": "a", "kinds": ["\udfff"]}])
def test_half_of_a_surrogate_pair_is_one_sentence(given: dict[str, Any]):
    with pytest.raises(Invalid, match="half of a surrogate pair") as refused:
        read_arguments(TOOLS["search"], given)
    assert refused.value.code == "lone_surrogate"
    str(refused.value).encode()


def test_a_page_renders_no_more_than_it_shows():
    rendered: list[int] = []

    def entry(number: int) -> Entry:
        rendered.append(number)
        return Entry("word " * 200, Shown())

    entries = Rendered([partial(entry, number) for number in range(5_000)])
    taken = fit(entries[2_000:], Entry("", Shown()), 2_000)
    assert len(entries[2_000:]) == 3_000
    assert rendered == list(range(2_000, 2_000 + len(taken) + 1))
