"""The files of a private repository, over https from git's own server that asks who comes."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.bound_secrets import SecretNotAllowed, Secrets
from connectors.connector import SourceUnavailable
from connectors.definitions import Definition
from connectors.feeder import FeedOrder
from connectors.intake.changes import Delta
from connectors.intake.files import RepositoryFiles
from schemas.envelope import Actor
from schemas.events.connector import ConnectorAdded, Credential
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.stand_ins.git_server import GitServer
from tests.connectors.stand_ins.github import APP_TOKEN, GitHubServer
from tests.connectors.test_github_access import a_key
from tests.connectors.webhooks.senders import NOW
from tests.connectors.worlds import a_repository, git

FILES = {f"docs/{name}.md": f"# {name}\n\nIt is {name}.\n".encode() for name in "abc"}
ORDER = FeedOrder(PROJECT, "-", Actor(), NOW, trigger="delta")


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitServer]:
    """A private repository; every command line of git's is in ``calls``."""
    a_repository(tmp_path / "work", FILES)
    served = tmp_path / "served"
    served.mkdir()
    git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / "work"), str(served / "shop.git"))
    with GitServer(served, APP_TOKEN).running() as server:
        home = tmp_path / "home"
        home.mkdir()
        (home / ".gitconfig").write_text(f"[http]\n\tsslCAInfo = {server.certificate}\n")
        monkeypatch.setenv("HOME", str(home))
        noted = tmp_path / "bin" / "git"
        noted.parent.mkdir()
        noted.write_text(
            f'#!/bin/sh\necho "$@" >> {tmp_path / "calls"}\nexec {shutil.which("git")} "$@"\n'
        )
        noted.chmod(0o755)
        monkeypatch.setenv("PATH", f"{noted.parent}:/usr/bin:/bin")
        yield server


class Ours:
    """Our side, with what it says and what it holds."""

    def __init__(self, folder: Path) -> None:
        self.home, self.clones = folder, folder / "clones"
        self.said, self.broker = list[str](), MemoryBroker()

    async def bring(
        self,
        server: GitServer,
        base_url: str,
        places: dict[str, str],
        environ: dict[str, str],
        *,
        by_global_owner: bool = True,
    ) -> bool:
        added = ConnectorAdded(
            connector_id="con_1",
            request_key="k",
            service="github",
            target="acme/shop",
            base_url=base_url,
            credentials=[Credential(role=role, location=place) for role, place in places.items()],
            options={"clone_url": f"{server.url}/shop.git", "root": "acme/shop"},
            by_global_owner=by_global_owner,
        )
        secrets = Secrets(environ, self.home)
        files = RepositoryFiles(self.clones, self.broker.publisher_of, secrets, self.said.append)
        delta = Delta("github", "acme/shop", "", "f" * 40, "@poll")
        return await files.bring(delta, Definition(PROJECT, added), ORDER)


def test_an_app_fetches_with_the_token_of_its_installation_that_nothing_shows(private, tmp_path):
    ours = Ours(tmp_path)
    key = tmp_path / "key.pem"
    key.write_text(a_key().reveal())

    async def run() -> int:
        github = GitHubServer()
        async with github.running():
            places = {"app-id": "env:APP_ID", "app-key": f"file:{key}"}
            assert await ours.bring(private, github.url, places, {"APP_ID": "7"})
            return github.tokens

    assert asyncio.run(run()) == 1
    assert sorted(ours.broker.contents.values()) == sorted(FILES.values())
    assert set(private.statuses) == {200}
    calls = (tmp_path / "calls").read_text()
    assert "fetch" in calls
    kept = b"".join(path.read_bytes() for path in ours.clones.rglob("*") if path.is_file())
    for shown in (calls.encode(), kept, " ".join(ours.said).encode()):
        assert APP_TOKEN.encode() not in shown
        assert b"x-access-token" not in shown
        assert b"Basic" not in shown


@pytest.mark.parametrize("places", [{}, {"token": "env:TOKEN"}])
def test_without_the_right_token_nothing_is_fetched_and_none_is_told(private, tmp_path, places):
    ours = Ours(tmp_path)
    with pytest.raises(SourceUnavailable) as caught:
        asyncio.run(ours.bring(private, "https://api.github.com/", places, {"TOKEN": "wr0ng"}))
    assert "check address and access" in str(caught.value)
    assert "wr0ng" not in str(caught.value)
    assert set(private.statuses) == {401}
    assert not ours.broker.contents


@pytest.mark.parametrize(
    ("written", "by_global_owner"),
    [
        ("", False),
        ('["env:CONNECTOR_TOKEN"]\nprojects = ["*"]', False),
        ('["env:CONNECTOR_TOKEN"]\nhosts = ["github.com"]', True),
        ('["env:CONNECTOR_TOKEN"]\nprojects = ["prj_other"]', True),
    ],
)
def test_a_token_is_not_sent_to_a_host_that_it_is_not_for(
    private: GitServer, tmp_path: Path, written: str, by_global_owner: bool
):
    ours = Ours(tmp_path)
    (tmp_path / "secrets.toml").write_text(written)
    bringing = ours.bring(
        *(private, "https://api.github.com", {"token": "env:CONNECTOR_TOKEN"}),
        {"CONNECTOR_TOKEN": APP_TOKEN},
        by_global_owner=by_global_owner,
    )
    with pytest.raises(SecretNotAllowed, match=r"CONNECTOR_TOKEN.*secrets\.toml"):
        asyncio.run(bringing)
    assert (private.statuses, ours.said) == ([], [])


def test_a_token_that_is_bound_to_this_host_fetches_for_the_owner_of_the_project(
    private: GitServer, tmp_path: Path
):
    ours, host = Ours(tmp_path), private.url.removeprefix("https://")
    (tmp_path / "secrets.toml").write_text(
        f'["env:CONNECTOR_TOKEN"]\nprojects = ["{PROJECT}"]\nhosts = ["{host}"]'
    )
    bringing = ours.bring(
        *(private, "https://api.github.com", {"token": "env:CONNECTOR_TOKEN"}),
        {"CONNECTOR_TOKEN": APP_TOKEN},
        by_global_owner=False,
    )
    assert asyncio.run(bringing)
    assert set(private.statuses) == {200}
