"""A prompt in a container: its worker's events reach the host, and no key gets in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from agents.development.drivers.events import EventWriter
from agents.development.drivers.failures import DriverFailed
from agents.development.errors import SandboxError
from agents.development.ports import Reply, StreamEvent
from infra.runtime.walls.layout import layout_of_this_machine
from infra.service.development.containers.driver import (
    ContainerDriver,
    ContainerSettings,
)
from infra.service.development.containers.lines import Refusal
from infra.service.development.containers.process import ProcessProvider
from infra.service.development.containers.provider import ContainerProvider
from infra.service.development.posting import HttpClient
from schemas.ids import derive_id
from tests.development.drivers import NOW, ROOT, in_loop
from tests.development.stand_ins.chat_server import ChatServer, chat_server

WORKER = "tests.development.stand_ins.worker"
TOKEN = "wft_token-of-this-workflow"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def a_process_provider() -> ProcessProvider:
    layout = layout_of_this_machine()
    return ProcessProvider(replace(layout, tools=(*layout.tools, ROOT / "tests")), worker=WORKER)


def a_driver(
    provider: ContainerProvider, server: ChatServer, workspace: Path, **given: float
) -> ContainerDriver:
    workspace.mkdir(exist_ok=True)
    settings = ContainerSettings(workspace, "m", server.url, TOKEN, **given)  # type: ignore[arg-type]
    events = EventWriter("wfl_1", "developer", lambda: NOW, first_number=4)
    return ContainerDriver(provider, settings, events, HttpClient())


async def run(driver: ContainerDriver, prompt: str) -> tuple[list[StreamEvent], Reply]:
    parts = [part async for part in driver.prompt_agentic(prompt, "Be brief")]
    assert isinstance(parts[-1], Reply)
    return [part for part in parts if isinstance(part, StreamEvent)], parts[-1]


@in_loop
async def test_events_of_the_worker_reach_the_host_under_its_own_numbers(
    stack: ExitStack, tmp_path: Path
) -> None:
    server = stack.enter_context(chat_server("good"))
    driver = a_driver(a_process_provider(), server, tmp_path / "work")
    events, reply = await run(driver, "Tidy up")
    assert [event.type for event in events] == [
        *("CLAUDE_THINKING", "CLAUDE_THINKING", "CLAUDE_TOOL_CALL", "CLAUDE_TOOL_RESULT"),
        "AGENT_OUTPUT",
    ]
    assert events[0].id == derive_id("sev", "wfl_1", "developer", 4)
    assert {event.timestamp for event in events} == {NOW}
    assert reply.text.startswith("Done") and reply.spent.input_tokens == 200
    assert driver.spent == reply.spent
    assert {it["headers"]["authorization"] for it in server.requests} == {f"Bearer {TOKEN}"}
    assert not list((tmp_path / "work").iterdir())  # the pipes are gone


@in_loop
async def test_a_session_outlives_its_container(stack: ExitStack, tmp_path: Path) -> None:
    server = stack.enter_context(chat_server("good"))
    driver = a_driver(a_process_provider(), server, tmp_path / "work")
    first = await driver.prompt("One")
    second = await driver.prompt("Two", session_id=first.session_id)
    assert second.text == "Done after 1 earlier prompts: One"
    with pytest.raises(DriverFailed, match="no session"):
        await driver.prompt("Three", session_id="dvs_none")


@in_loop
async def test_a_worker_writes_in_its_workspace_and_sees_no_key_and_no_network(
    stack: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-planted-key")
    workspace = tmp_path / "work"
    workspace.mkdir()
    server = stack.enter_context(chat_server("look"))
    (workspace / "ports").write_text(str(server.server_address[1]))
    events, _ = await run(a_driver(a_process_provider(), server, workspace), "Look around")
    (text,) = (event.content for event in events if event.type == "CLAUDE_TOOL_RESULT")
    assert "no port" in text and "REACHED" not in text
    assert "sk-or-planted-key" not in text and TOKEN not in text
    assert "OPENROUTER_API_KEY" not in text


@in_loop
async def test_the_tools_of_developers_work_inside_and_refusals_are_told(
    stack: ExitStack, tmp_path: Path
) -> None:
    server = stack.enter_context(chat_server("developer"))
    workspace, refusals = tmp_path / "work", list[Refusal]()
    workspace.mkdir()

    async def record(refusal: Refusal) -> None:
        refusals.append(refusal)

    settings = ContainerSettings(workspace, "m", server.url, TOKEN)
    events = EventWriter("wfl_1", "developer", lambda: NOW)
    provider = ProcessProvider(layout_of_this_machine())
    driver = ContainerDriver(provider, settings, events, HttpClient(), record_refusal=record)
    told, _ = await run(driver, "Write a file")
    results = [event.content for event in told if event.type == "CLAUDE_TOOL_RESULT"]
    assert (workspace / "a.txt").read_text() == "by a tool"
    assert results[1] == "a.txt\n" and results[2].startswith("Error: ")
    assert [(refusal.tool, refusal.layer) for refusal in refusals] == [("bash", "metacharacters")]


@in_loop
async def test_what_a_worker_writes_stays(stack: ExitStack, tmp_path: Path) -> None:
    server = stack.enter_context(chat_server("write"))
    await run(a_driver(a_process_provider(), server, tmp_path / "work"), "Write")
    assert (tmp_path / "work" / "made.txt").read_text() == "by the worker"


@in_loop
async def test_a_worker_that_dies_is_a_failure_that_may_be_tried_again(
    stack: ExitStack, tmp_path: Path
) -> None:
    server = stack.enter_context(chat_server("die"))
    with pytest.raises(DriverFailed, match="without its reply") as raised:
        await run(a_driver(a_process_provider(), server, tmp_path / "work"), "Die")
    assert raised.value.is_retriable


@in_loop
async def test_a_failure_inside_keeps_its_class(stack: ExitStack, tmp_path: Path) -> None:
    server = stack.enter_context(chat_server("signed_out"))
    with pytest.raises(DriverFailed) as raised:
        await run(a_driver(a_process_provider(), server, tmp_path / "work"), "Tidy up")
    assert raised.value.failure == "permanent" and "401" in str(raised.value)


@in_loop
async def test_a_silent_model_ends_the_container(stack: ExitStack, tmp_path: Path) -> None:
    server = stack.enter_context(chat_server("silent"))
    with pytest.raises(DriverFailed) as raised:
        await run(a_driver(a_process_provider(), server, tmp_path / "work", idle_s=1.0), "Tidy up")
    assert raised.value.failure == "idle"


@in_loop
async def test_without_walls_nothing_is_run(stack: ExitStack, tmp_path: Path) -> None:
    layout = replace(layout_of_this_machine(), hidden=(ROOT / "tests",))
    layout = replace(layout, tools=(*layout.tools, ROOT / "tests"))
    server = stack.enter_context(chat_server("good"))
    driver = a_driver(ProcessProvider(layout, worker=WORKER), server, tmp_path / "work")
    with pytest.raises(SandboxError, match="would see"):
        await driver.prompt("Say hello")
    assert not server.requests and not list((tmp_path / "work").iterdir())


def test_a_request_shows_no_token_where_it_is_printed() -> None:
    settings = ContainerSettings(Path("/w"), "m", "http://p/v1", TOKEN)
    assert TOKEN not in repr(settings) + json.dumps(str(settings))
