"""Drivers as tests make them: the real ones, over stand-ins for what they reach."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

from agents.development.drivers.api import ApiDriver, ApiSettings
from agents.development.drivers.claude import ClaudeDriver
from agents.development.drivers.codex import CodexDriver
from agents.development.drivers.events import EventWriter
from agents.development.drivers.pricing import Pricing
from agents.development.drivers.program import ProgramDriver, ProgramSettings
from agents.development.drivers.retrying import RetrySettings, Waiting
from agents.development.ports import (
    Driver,
    Reply,
    StreamEvent,
    ToolDescription,
    ToolOutcome,
)
from agents.models.prices import PriceTable, read_prices
from infra.service.development.posting import HttpClient
from infra.service.foundation.programs import MachinePrograms
from tests.development.stand_ins.chat_server import chat_server

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
MODELS = {"api": "anthropic/claude-opus-4.7", "claude": "claude-opus-4-7", "codex": "gpt-5.5"}
PROVIDERS = {"api": "openrouter", "claude": "anthropic", "codex": "openai"}


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine, run to its end."""

    @wraps(test)
    def run_test(*args: Any, **given: Any) -> None:
        asyncio.run(test(*args, **given))

    return run_test


class Files:
    """A toolbox with one tool, that notes its calls."""

    def __init__(self) -> None:
        self.calls: list[Mapping[str, Any]] = []

    @property
    def tools(self) -> Sequence[ToolDescription]:
        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        return (ToolDescription("list_files", "Lists the files of a folder.", schema),)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        self.calls.append(arguments)
        return ToolOutcome("README.md")


@dataclass
class Bench:
    """A driver with all that it was given. ``waits``: the seconds it has waited."""

    driver: Driver
    waits: list[float]
    list_calls: Callable[[], list[dict[str, Any]]]
    toolbox: Files = field(default_factory=Files)
    folder: Path = Path()

    async def run(self, prompt: str, **given: Any) -> tuple[list[StreamEvent], Reply]:
        parts = [part async for part in self.driver.prompt_agentic(prompt, **given)]
        assert isinstance(parts[-1], Reply)
        return [part for part in parts[:-1] if isinstance(part, StreamEvent)], parts[-1]


def make_bench(
    stack: ExitStack,
    folder: Path,
    name: str,
    *script: str,
    first_number: int = 1,
    max_retries: int = 3,
    idle_s: float = 30.0,
    chance: float = 0.0,
    max_rounds: int = 20,
    base_url: str | None = None,
) -> Bench:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    events = EventWriter("wfl_1", "developer", lambda: NOW, first_number=first_number)
    pricing = Pricing(PriceTable(read_prices()), PROVIDERS[name], NOW.date)
    retry, waiting = RetrySettings(max_retries=max_retries), Waiting(sleep, lambda: chance)
    if name == "api":
        server = stack.enter_context(chat_server(*script))
        toolbox = Files()
        url = base_url or server.url
        api = ApiDriver(
            HttpClient(silent_s=idle_s),
            ApiSettings(MODELS[name], "sk-key", url, max_rounds=max_rounds),
            events,
            pricing,
            toolbox,
            retry=retry,
            waiting=waiting,
        )
        return Bench(api, waits, lambda: server.requests, toolbox, folder)
    binary = write_stand_in(folder, name, script)
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "STAND_IN": str(folder)}
    workspace = folder / "work"
    workspace.mkdir(exist_ok=True)
    settings = ProgramSettings(
        str(binary), MODELS[name], str(workspace), environ, ("git", "npm test"), idle_s=idle_s
    )
    kind: type[ProgramDriver] = ClaudeDriver if name == "claude" else CodexDriver
    programs = MachinePrograms(grace_s=0.2)
    driver = kind(programs, settings, events, pricing, retry=retry, waiting=waiting)
    return Bench(driver, waits, lambda: read_calls(folder), folder=folder)


def write_stand_in(folder: Path, name: str, script: Sequence[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.json").write_text(json.dumps(list(script) or ["good"]))
    binary = folder / name
    module = f"tests.development.stand_ins.{name}"
    binary.write_text(
        f"#!{sys.executable}\nimport runpy, sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        f"runpy.run_module({module!r}, run_name='__main__')\n"
    )
    binary.chmod(0o755)
    return binary


def read_calls(folder: Path) -> list[dict[str, Any]]:
    calls = folder / "calls.jsonl"
    return [json.loads(line) for line in calls.read_text().splitlines()] if calls.exists() else []
