"""A poll that finds the default branch moved brings the files that changed, by git."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from connectors.bound_secrets import Secrets
from connectors.definitions import Definition
from connectors.feeder import FeedOrder
from connectors.intake.changes import Delta
from connectors.intake.files import RepositoryFiles
from connectors.sync import Outcome
from connectors.transport import Transport
from schemas.events.connector import ConnectorAdded
from schemas.events.ingestion_request import IngestionRequested, SourcesListed
from tests.connectors.github_side import Side, a_server
from tests.connectors.memory_broker import PROJECT
from tests.connectors.stand_ins.github_world import Repository
from tests.connectors.worlds import FILES, a_repository, commit, git


class Project(Side):
    """Our side of a repository whose files stand in a folder."""

    folder: Path
    clones: Path

    async def polled(self) -> Outcome:
        added = ConnectorAdded(
            connector_id=self.connector_id,
            request_key="k",
            service="github",
            target="acme/shop",
            base_url="https://api.github.com/",
            options={"clone_url": f"file://{self.folder}", "root": "acme/shop"},
        )
        files = RepositoryFiles(
            self.clones, self.broker.publisher_of, Secrets({}, self.clones), lambda line: None
        )

        async def bring(delta: Delta, order: FeedOrder) -> bool:
            return await files.bring(delta, Definition(PROJECT, added), order)

        engine = replace(self.engine(), bring=bring)
        [stream] = self.streams("files")
        return await engine.sync(stream)


def a_project(transport: Transport, at: Repository, tmp_path: Path) -> Project:
    project = Project(transport, at)
    project.folder = a_repository(tmp_path / "origin")
    project.clones = tmp_path / "clones"
    at.head = git(project.folder, "rev-parse", "HEAD")
    return project


def test_the_first_poll_reads_the_repository_and_later_ones_what_has_changed(
    tmp_path: Path,
) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            at = server.add("acme/shop")
            project = a_project(transport, at, tmp_path)
            outcome = await project.polled()
            assert (outcome.reason, outcome.counts.published) == (None, 1)
            assert project.broker.by_path == FILES
            [asked] = project.broker.events(IngestionRequested)
            assert asked.lanes == ["preview", "deep"]

            (project.folder / "README.md").write_bytes(b"# Other\n")
            (project.folder / "zeta.txt").unlink()
            at.head = commit(project.folder)
            await project.polled()
            wanted = {**FILES, "README.md": b"# Other\n"}
            del wanted["zeta.txt"]
            assert project.broker.by_path == wanted
            last = project.broker.events(SourcesListed)[-1]
            assert [source.path for source in last.sources] == ["README.md"]
            assert (len(last.removed), last.complete) == (1, False)

    asyncio.run(run())


def test_a_branch_that_has_not_moved_costs_two_conditional_requests(tmp_path: Path) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            project = a_project(transport, server.add("acme/shop"), tmp_path)
            await project.polled()
            server.asked.clear()
            listed = len(project.broker.events(SourcesListed))
            await project.polled()
            asked = [(each.conditional, each.status) for each in server.asked]
            assert asked == [(True, 304), (True, 304)]
            assert len(project.broker.events(SourcesListed)) == listed

    asyncio.run(run())


def test_a_repository_without_a_commit_is_no_failure(tmp_path: Path) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            at = server.add("acme/shop")
            project = a_project(transport, at, tmp_path)
            at.head = ""
            assert (await project.polled()).reason is None
            assert project.broker.events(SourcesListed) == []

    asyncio.run(run())


def test_what_cannot_be_fetched_is_told_and_tried_again(tmp_path: Path) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            project = a_project(transport, server.add("acme/shop"), tmp_path)
            there = project.folder.rename(tmp_path / "away")
            assert (await project.polled()).reason == "unavailable"
            there.rename(project.folder)
            assert (await project.polled()).reason is None
            assert project.broker.by_path == FILES

    asyncio.run(run())
