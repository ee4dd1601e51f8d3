"""A delta brings the files that changed, as they are at the head, and no others."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.bound_secrets import Secrets
from connectors.changed_files import list_changed
from connectors.clones import token_settings
from connectors.connector import SourceUnavailable, UnknownSource
from connectors.definitions import Definition
from connectors.feeder import FeedOrder
from connectors.git import GitDirectory
from connectors.intake.changes import Delta
from connectors.intake.files import RepositoryFiles, clone_url
from connectors.transport import Secret
from schemas.envelope import Actor
from schemas.events.connector import ConnectorAdded
from schemas.events.ingestion_request import IngestionRequested, SourcesListed
from schemas.events.source import SourceRevised
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.webhooks.senders import NOW
from tests.connectors.worlds import a_folder, a_repository, commit, git

ADDED = ConnectorAdded(
    connector_id="con_1",
    request_key="k",
    service="github",
    target="acme/shop",
    base_url="https://api.github.com",
)


class Remote:
    """A repository somewhere, and our side of it."""

    def __init__(self, folder: Path, files: dict[str, bytes]) -> None:
        self.folder = a_repository(folder / "remote", files)
        self.commits = [git(self.folder, "rev-parse", "HEAD")]
        self.broker = MemoryBroker()
        self._clones = folder / "clones"

    def change(self, files: dict[str, bytes], *, gone: tuple[str, ...] = ()) -> None:
        a_folder(self.folder, files)
        for path in gone:
            (self.folder / path).unlink()
        self.commits.append(commit(self.folder))

    def rename(self, before: str, after: str) -> None:
        git(self.folder, "mv", before, after)
        self.commits.append(commit(self.folder))

    def bring(self, before: int, after: int) -> bool:
        delta = Delta("github", "acme/shop", self.at(before), self.at(after), "#4")
        options = {"clone_url": self.folder.as_uri(), "root": "acme/shop"}
        definition = Definition(PROJECT, ADDED.model_copy(update={"options": options}))
        order = FeedOrder(PROJECT, "-", Actor(), NOW, trigger="delta")
        files = RepositoryFiles(
            self._clones, self.broker.publisher_of, Secrets({}, self._clones), lambda line: None
        )
        return asyncio.run(files.bring(delta, definition, order))

    def at(self, number: int) -> str:
        return self.commits[number] if number >= 0 else ""

    @property
    def held(self) -> dict[str, bytes]:
        return self.broker.by_path

    def revised(self) -> list[str]:
        return [event.source.path for event in self.broker.events(SourceRevised)]


FIRST = {f"docs/{name}.md": f"# {name}\n\nIt is {name}.\n".encode() for name in "abcdefghij"}


@pytest.fixture
def remote(tmp_path) -> Remote:
    """A repository that was ingested whole."""
    found = Remote(tmp_path, FIRST)
    assert found.bring(-1, 0)
    assert found.held == FIRST
    found.broker.log.clear()
    return found


def test_a_merge_of_three_files_brings_those_three(remote):
    new = {"docs/a.md": b"# a\n\nIt is A now.\n", "docs/n.md": b"# n\n"}
    remote.change(new, gone=("docs/b.md",))
    assert remote.bring(0, 1)
    assert sorted(remote.revised()) == ["docs/a.md", "docs/n.md"]
    (asked,) = remote.broker.events(IngestionRequested)
    (listed,) = remote.broker.events(SourcesListed)
    assert (asked.trigger, asked.root, listed.complete) == ("delta", "acme/shop", False)
    assert (len(listed.sources), len(listed.removed)) == (2, 1)
    assert remote.held == {path: body for path, body in (FIRST | new).items() if "b.md" not in path}


def test_a_renamed_file_is_listed_and_its_old_path_removed(remote):
    remote.rename("docs/a.md", "docs/z.md")
    remote.bring(0, 1)
    assert remote.revised() == ["docs/z.md"]
    assert "docs/a.md" not in remote.held


def test_what_a_merge_deletes_goes_however_much_it_is(remote):
    remote.change({}, gone=tuple(FIRST)[:6])
    remote.bring(0, 1)
    assert sorted(remote.held) == sorted(tuple(FIRST)[6:])


def test_a_change_told_again_brings_nothing(remote):
    remote.change({"docs/a.md": b"# a\n\nIt is A now.\n"}, gone=("docs/b.md",))
    assert remote.bring(0, 1)
    records = remote.broker.records
    assert not remote.bring(0, 1)
    assert remote.broker.records == records


def test_a_base_older_than_the_branch_brings_nothing_twice(remote):
    """A pull request says where it began, not what was merged before it."""
    remote.change({"docs/a.md": b"# a\n\nFirst.\n"})
    remote.bring(0, 1)
    remote.change({"docs/b.md": b"# b\n\nSecond.\n"})
    remote.broker.log.clear()
    assert remote.bring(0, 2)
    assert remote.revised() == ["docs/b.md"]


def test_history_that_was_rewritten_is_read_whole(remote):
    git(remote.folder, "commit", "--quiet", "--amend", "--message=another")
    remote.change({"docs/a.md": b"# a\n\nNew.\n"}, gone=("docs/b.md",))
    remote.commits[0] = "f" * 40
    assert remote.bring(0, 1)
    assert remote.revised() == ["docs/a.md"]
    assert "docs/b.md" not in remote.held


def test_odd_names_are_files_like_others(remote):
    odd = {"docs/[x] *.md": b"1\n", ":(top)a.md": b"2\n", "-v.md": b"3\n", "\u00fc\n.md": b"4\n"}
    remote.change(odd)
    remote.bring(0, 1)
    assert sorted(remote.revised()) == sorted(path.replace("\n", "\\u000a") for path in odd)


def test_a_name_that_git_would_take_for_a_pattern_costs_no_file_its_date(remote):
    remote.change({":(none)a.md": b"1\n", "docs/[x].md": b"2\n", "docs/y.md": b"3\n"})
    listing = list_changed(
        GitDirectory(remote.folder / ".git"), "acme/shop", remote.at(0), remote.at(1), "HEAD"
    )
    assert len(listing.items) == 3
    assert all(item.source_time for item in listing.items)


def test_a_submodule_or_link_is_told_and_not_read(remote):
    (remote.folder / "docs/link.md").symlink_to("/etc/hostname")
    remote.commits.append(commit(remote.folder))
    listing = list_changed(
        GitDirectory(remote.folder / ".git"), "acme/shop", remote.at(0), remote.at(1), "HEAD"
    )
    assert [(each.path, each.code) for each in listing.notices] == [("docs/link.md", "link")]
    assert listing.items == ()


def test_a_repository_that_cannot_be_fetched_is_unavailable(remote):
    remote.folder.rename(remote.folder.with_name("elsewhere"))
    with pytest.raises(SourceUnavailable):
        remote.bring(0, 0)


@settings(max_examples=10)
@given(data=st.data())
def test_deltas_in_any_order_end_with_what_stands_at_the_head(tmp_path_factory, data):
    remote = Remote(tmp_path_factory.mktemp("r"), FIRST)
    remote.bring(-1, 0)
    names = st.sampled_from([*FIRST, "docs/x.md", "docs/y.md"])
    standing = dict(FIRST)
    for number in range(3):
        path = data.draw(names)
        if path in standing and len(standing) > 9 and data.draw(st.booleans()):
            del standing[path]
            remote.change({}, gone=(path,))
        else:
            standing[path] = f"# {number}\n".encode()
            remote.change({path: standing[path]})
    pairs = data.draw(st.permutations([(0, 1), (1, 2), (2, 3), (0, 1), (2, 3)]))
    for before, after in pairs:
        remote.bring(before, after)
    assert remote.held == standing


@pytest.mark.parametrize(
    ("base_url", "service", "expected"),
    [
        ("https://api.github.com", "github", "https://github.com/Acme/Shop.git"),
        ("https://git.example.org/api/v3", "github", "https://git.example.org/Acme/Shop.git"),
        ("https://api.bitbucket.org", "bitbucket", "https://bitbucket.org/Acme/Shop.git"),
    ],
)
def test_files_are_fetched_from_the_service_that_is_connected(base_url, service, expected):
    added = ADDED.model_copy(update={"base_url": base_url, "service": service})
    assert clone_url(Definition(PROJECT, added), "Acme/Shop") == expected


def test_files_of_another_repository_are_not_fetched():
    with pytest.raises(UnknownSource):
        clone_url(Definition(PROJECT, ADDED), "evil/shop")


def test_a_token_goes_to_its_host_over_tls_and_nowhere_else():
    told = token_settings("https://github.com/acme/shop.git", Secret("t0ken"))
    assert told["GIT_CONFIG_KEY_0"] == "http.https://github.com/.extraHeader"
    assert "t0ken" not in repr(told)
    assert token_settings("http://github.com/acme/shop.git", Secret("t0ken")) == {}
    assert token_settings("https://github.com/acme/shop.git", None) == {}
