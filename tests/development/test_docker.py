"""The provider `docker` over a stand-in that speaks the engine's protocol; no engine is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agents.development.errors import SandboxError
from infra.service.development.containers.docker import DockerProvider, DockerSettings
from tests.development.drivers import in_loop
from tests.development.stand_ins.chat_server import chat_server
from tests.development.stand_ins.docker_engine import docker_engine
from tests.development.test_containers import TOKEN, WORKER, a_driver, run


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def socket() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cairn-") as folder:  # its path has to be short
        yield Path(folder) / "docker.sock"


@pytest.mark.parametrize("floods", [False, True])
@in_loop
async def test_a_worker_in_a_container_tells_its_events(
    stack: ExitStack, tmp_path: Path, socket: Path, floods: bool
) -> None:
    server = stack.enter_context(chat_server("good"))
    async with docker_engine(socket, WORKER, floods=floods) as engine:
        provider = DockerProvider(DockerSettings("cairn:test", str(socket)))
        events, reply = await run(a_driver(provider, server, tmp_path / "work"), "Tidy up")
        assert [event.type for event in events][-1] == "AGENT_OUTPUT"
        assert reply.text.startswith("Done after")
        assert not engine.containers
    asked = [(method, path.split("/", 2)[2].split("?")[0]) for method, path, _ in engine.requests]
    assert asked == [
        ("POST", "containers/create"),
        ("POST", "containers/c0ffee/attach"),
        ("POST", "containers/c0ffee/start"),
        ("DELETE", "containers/c0ffee"),
    ]


@in_loop
async def test_a_container_has_no_network_no_rights_and_no_secret(
    stack: ExitStack, tmp_path: Path, socket: Path
) -> None:
    server = stack.enter_context(chat_server("good"))
    async with docker_engine(socket, WORKER) as engine:
        provider = DockerProvider(DockerSettings("cairn:test", str(socket)))
        await a_driver(provider, server, tmp_path / "work").prompt("Say hello")
    body = engine.requests[0][2]
    host = body["HostConfig"]
    assert (host["NetworkMode"], host["CapDrop"], host["ReadonlyRootfs"]) == ("none", ["ALL"], True)
    assert host["Binds"] == [f"{tmp_path / 'work'}:/workspace:rw"]
    assert not body["User"].startswith("0:")
    assert TOKEN not in str(body) and len(body["Env"]) == 2


@in_loop
async def test_an_engine_that_is_away_or_refuses_says_so(
    stack: ExitStack, tmp_path: Path, socket: Path
) -> None:
    server = stack.enter_context(chat_server("good"))
    missing = DockerProvider(DockerSettings("cairn:test", str(socket)))
    with pytest.raises(SandboxError, match="No Docker engine answers"):
        await a_driver(missing, server, tmp_path / "work").prompt("Say hello")
    async with docker_engine(socket, WORKER):
        wrong = DockerProvider(DockerSettings("cairn:none", str(socket)))
        with pytest.raises(SandboxError, match="No such image: cairn:none"):
            await a_driver(wrong, server, tmp_path / "work").prompt("Say hello")
    assert not server.requests


@in_loop
async def test_a_worker_that_does_not_begin_leaves_no_container(
    stack: ExitStack, tmp_path: Path, socket: Path
) -> None:
    server = stack.enter_context(chat_server("good"))
    async with docker_engine(socket, "no_such_module") as engine:
        provider = DockerProvider(DockerSettings("cairn:test", str(socket)))
        with pytest.raises(SandboxError, match="no_such_module"):
            await a_driver(provider, server, tmp_path / "work").prompt("Say hello")
        assert not engine.containers
