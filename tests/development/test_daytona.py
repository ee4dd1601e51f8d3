"""The provider `daytona` over a stand-in of its API, and workspaces on their way."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agents.development.errors import SandboxError
from infra.service.development.containers.daytona import DaytonaProvider, DaytonaSettings
from infra.service.development.containers.transfer import pack, unpack
from tests.development.drivers import in_loop
from tests.development.stand_ins.chat_server import chat_server
from tests.development.stand_ins.daytona_server import KEY, daytona_server
from tests.development.test_containers import TOKEN, WORKER, a_driver, run


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@in_loop
async def test_a_worker_elsewhere_tells_its_events_and_its_files_come_back(
    stack: ExitStack, tmp_path: Path
) -> None:
    server = stack.enter_context(chat_server("write"))
    workspace = tmp_path / "work"
    (workspace / ".git").mkdir(parents=True)
    (workspace / "kept.txt").write_text("kept")
    async with daytona_server(tmp_path / "cloud", WORKER) as (daytona, address):
        provider = DaytonaProvider(DaytonaSettings(KEY, "cairn", server.url, address))
        events, reply = await run(a_driver(provider, server, workspace), "Write")
    assert events[-1].content == reply.text and reply.text.startswith("Done after")
    assert (workspace / "made.txt").read_text() == "by the worker"
    assert (workspace / "kept.txt").exists() and (workspace / ".git").is_dir()
    assert not daytona.sandboxes
    assert not (tmp_path / "cloud" / "cairn" / "workspace" / ".git").exists()


@in_loop
async def test_a_sandbox_reaches_the_proxy_alone_and_is_given_no_secret(
    stack: ExitStack, tmp_path: Path
) -> None:
    server = stack.enter_context(chat_server("good"))
    async with daytona_server(tmp_path / "cloud", WORKER) as (daytona, address):
        provider = DaytonaProvider(DaytonaSettings(KEY, "cairn", server.url, address))
        await a_driver(provider, server, tmp_path / "work").prompt("Say hello")
    (created,) = daytona.created
    assert (created["networkAllowList"], created["env"]) == ("127.0.0.1/32", {})
    assert TOKEN not in str(created) and KEY not in str(created)
    files = [it.read_bytes() for it in (tmp_path / "cloud").rglob("*") if it.is_file()]
    assert not any(KEY.encode() in content for content in files)


@in_loop
async def test_a_service_that_is_away_or_refuses_says_so(stack: ExitStack, tmp_path: Path) -> None:
    server = stack.enter_context(chat_server("good"))
    away = DaytonaProvider(DaytonaSettings(KEY, "cairn", server.url, "http://127.0.0.1:1/api"))
    with pytest.raises(SandboxError, match="does not answer"):
        await a_driver(away, server, tmp_path / "work").prompt("Say hello")
    async with daytona_server(tmp_path / "cloud", WORKER) as (_, address):
        for key, snapshot, words in (("no", "cairn", "401"), (KEY, "none", "Snapshot not found")):
            provider = DaytonaProvider(DaytonaSettings(key, snapshot, server.url, address))
            with pytest.raises(SandboxError, match=words):
                await a_driver(provider, server, tmp_path / "work").prompt("Say hello")


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "link/inside"])
def test_an_archive_that_leads_outside_changes_nothing(tmp_path: Path, name: str) -> None:
    workspace, archive = tmp_path / "work", tmp_path / "a.tgz"
    workspace.mkdir()
    (workspace / "kept").write_text("kept")
    with tarfile.open(archive, "w:gz") as file:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        file.addfile(link)
        entry = tarfile.TarInfo(name)
        entry.size = 3
        file.addfile(entry, io.BytesIO(b"bad"))
    with pytest.raises(SandboxError, match="unfit"):
        unpack(archive, workspace)
    assert os.listdir(workspace) == ["kept"]
    assert sorted(os.listdir(tmp_path)) == ["a.tgz", "work"]


def test_a_workspace_comes_back_as_it_is_there(tmp_path: Path) -> None:
    workspace, there = tmp_path / "work", tmp_path / "there"
    (workspace / ".git").mkdir(parents=True)
    (workspace / "gone").write_text("gone")
    (there / "sub").mkdir(parents=True)
    (there / "sub" / "new").write_text("new")
    (there / ".git").mkdir()
    (there / ".git" / "hooks").write_text("bad")
    pack(there, tmp_path / "a.tgz")
    unpack(tmp_path / "a.tgz", workspace)
    assert sorted(str(it.relative_to(workspace)) for it in workspace.rglob("*")) == [
        *(".git", "sub", "sub/new"),
    ]
