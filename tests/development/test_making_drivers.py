"""A driver is changed by the profile alone, and a sandbox refuses what it cannot hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.development.errors import ConfigurationError
from agents.development.ports import Reply
from agents.development.profiles import Profile
from agents.models.prices import PriceTable, read_prices
from infra.runtime.walls.layout import layout_of_this_machine
from infra.service.development.api_models import ModelAccess, find_direct_access
from infra.service.development.drivers import DriverParts, DriverPlace, make_driver
from infra.service.foundation.programs import MachinePrograms
from tests.development.drivers import NOW, Files, in_loop, write_stand_in
from tests.development.stand_ins.chat_server import chat_server


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def some_parts(environ: dict[str, str], **given: Any) -> DriverParts:
    return DriverParts(
        PriceTable(read_prices()),
        MachinePrograms(),
        layout_of_this_machine(),
        environ,
        toolbox=Files(),
        now=lambda: NOW,
        **given,
    )


@pytest.mark.parametrize(
    "profile",
    [
        Profile(name="a", driver="api", model="anthropic/claude-opus-4.7"),
        Profile(name="b", driver="claude"),
        Profile(name="c", driver="codex", model="gpt-5.5"),
        Profile(name="d", driver="api", model="openai/gpt-5.5", sandbox="process"),
    ],
    ids=lambda profile: f"{profile.driver}-{profile.sandbox}",
)
@in_loop
async def test_the_same_workflow_runs_with_every_profile(
    stack: ExitStack, tmp_path: Path, profile: Profile
) -> None:
    server = stack.enter_context(chat_server("good"))
    for name in ("claude", "codex"):
        write_stand_in(tmp_path / "bin", name, ["good"]).parent.mkdir(exist_ok=True)
    environ = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path / "bin")}
    # A stand-in wants to know its folder; no program is given more than it needs to sign in.
    for name in ("claude", "codex"):
        binary = tmp_path / "bin" / name
        folder = f"import os; os.environ['STAND_IN'] = {str(tmp_path / 'bin')!r}\n"
        first, rest = binary.read_text().split("\n", 1)
        binary.write_text(f"{first}\n{folder}{rest}")
    workspace = tmp_path / "work"
    workspace.mkdir()
    is_proxy = profile.sandbox != "none"
    parts = some_parts(environ, access=ModelAccess(server.url, "t", is_proxy=is_proxy))
    driver = make_driver(profile, DriverPlace(workspace, "wfl_1", "developer"), parts)
    events = [part async for part in driver.prompt_agentic("Tidy up", "Be brief")]
    assert isinstance(events[-1], Reply) and events[-1].text.startswith("Done after")
    types = [event.type for event in events[:-1]]  # type: ignore[union-attr]
    assert types == [
        *("CLAUDE_THINKING", "CLAUDE_THINKING", "CLAUDE_TOOL_CALL", "CLAUDE_TOOL_RESULT"),
        "AGENT_OUTPUT",
    ]


@pytest.mark.parametrize("driver", ["claude", "codex"])
@pytest.mark.parametrize("sandbox", ["process", "docker", "daytona"])
def test_only_api_works_in_a_sandbox(tmp_path: Path, driver: str, sandbox: str) -> None:
    profile = Profile.model_construct(name="x", driver=driver, model=None, sandbox=sandbox)
    with pytest.raises(ConfigurationError, match="driver_not_sandboxable"):
        make_driver(profile, DriverPlace(tmp_path, "wfl_1", "developer"), some_parts({}))


@pytest.mark.parametrize(
    ("given", "access", "words"),
    [
        ({}, ModelAccess("http://p", "t"), "names no model"),
        ({"model": "a/b"}, None, "OPENROUTER_API_KEY"),
        ({"model": "a/b", "sandbox": "process"}, ModelAccess("http://p", "k", None, False), "key"),
        ({"model": "a/b", "sandbox": "daytona"}, ModelAccess("http://p", "t"), "DAYTONA_API_KEY"),
    ],
)
def test_a_profile_that_does_not_fit_says_what_to_do(
    tmp_path: Path, given: dict[str, Any], access: ModelAccess | None, words: str
) -> None:
    parts = replace(some_parts({}), access=access)
    with pytest.raises(ConfigurationError, match=words):
        make_driver(Profile(name="x", **given), DriverPlace(tmp_path, "w", "a"), parts)


def test_a_docker_engine_elsewhere_is_refused(tmp_path: Path) -> None:
    parts = some_parts({"DOCKER_HOST": "tcp://10.0.0.1:2375"}, access=ModelAccess("http://p", "t"))
    profile = Profile(name="x", model="a/b", sandbox="docker")
    with pytest.raises(ConfigurationError, match="DOCKER_HOST"):
        make_driver(profile, DriverPlace(tmp_path, "w", "a"), parts)


def test_the_key_of_openrouter_opens_its_address_unless_another_is_given() -> None:
    assert (
        find_direct_access({}) is None and find_direct_access({"OPENROUTER_API_KEY": " "}) is None
    )
    access = find_direct_access({"OPENROUTER_API_KEY": "sk"})
    assert access and access.base_url == "https://openrouter.ai/api/v1"
    other = find_direct_access({"OPENROUTER_API_KEY": "sk", "OPENROUTER_BASE_URL": "http://p/v1"})
    assert other and other.base_url == "http://p/v1" and "sk" not in repr(other)
