"""Our side against the stand-in for GitHub: sync, census, and what should be held."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from connectors.credentials import bearer
from connectors.github.api import GitHub
from connectors.github.items import (
    comment_item,
    discussion_comment_item,
    discussion_item,
    issue_item,
    release_item,
    review_comment_item,
    review_item,
    root_of,
    run_item,
)
from connectors.github.streams import streams
from connectors.publishing import source_id_of
from connectors.rate_limits import Budget
from connectors.rendering import render
from connectors.service_items import ServiceItem
from connectors.sync import Engine, Outcome, Stream
from connectors.transport import Secret, Transport
from tests.connectors.hooks import Row
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.stand_ins.github import TOKEN, GitHubServer
from tests.connectors.stand_ins.github_world import Repository, number_of


@dataclass
class Side:
    """Our side of one repository: what it asks with, and what it holds."""

    transport: Transport
    repository: Repository
    per_page: int = 100
    broker: MemoryBroker = field(default_factory=MemoryBroker)

    @property
    def connector_id(self) -> str:
        return f"con_{self.repository.name}"

    def streams(self, *names: str) -> list[Stream]:
        github = GitHub(self.repository.name, self.transport, self.per_page)

        async def titles(numbers: Collection[str]) -> Mapping[str, str]:
            found: dict[str, str] = {}
            for kind in ("issues", "pulls"):
                root = root_of(self.repository.name, kind)
                found |= await self.broker.titles(root, numbers)
            return found

        return streams(github, names, titles)

    def engine(self) -> Engine:
        return self.broker.engine(self.connector_id, "github", self.transport.budget)

    async def sync(self, *names: str) -> list[Outcome]:
        engine = self.engine()
        return [await engine.sync(stream) for stream in self.streams(*names)]

    async def reconcile(self, *names: str, accept_removals: bool = True) -> list[Outcome]:
        engine = self.engine()
        return [
            await engine.reconcile(stream, accept_removals=accept_removals)
            for stream in self.streams(*names)
            if stream.is_reconcilable
        ]


@asynccontextmanager
async def a_server(**options: Any) -> AsyncIterator[tuple[GitHubServer, Transport]]:
    """A running stand-in, and a transport to it."""
    async with GitHubServer().running() as server:
        budget = options.pop("budget", None) or Budget(percent=100)
        async with Transport(server.url, bearer(Secret(TOKEN)), budget, **options) as transport:
            yield server, transport


def standing(at: Repository, project: str = PROJECT) -> dict[str, bytes]:
    """What should be held of a repository: each of its items as text, by source."""
    name = at.name
    titles = {number: str(row["title"]) for number, row in at.issues.items()}
    items: list[ServiceItem | None] = [issue_item(name, row) for row in at.issues.values()]
    items += [comment_item(name, row, titles[number_of(row)]) for row in at.comments.values()]
    items += [
        review_comment_item(name, row, titles[number_of(row)])
        for row in at.review_comments.values()
    ]
    items += [
        review_item(name, row["number"], row, titles[row["number"]]) for row in at.reviews.values()
    ]
    items += [release_item(name, row) for row in at.releases.values()]
    items += [run_item(name, row) for row in at.runs.values()]
    for number, row in at.discussions.items():
        items.append(discussion_item(name, row | {"category": {"name": "Ideas"}}))
        items += [
            discussion_comment_item(name, number, each, row["title"]) for each in row["comments"]
        ]
    return {source_id_of(project, item): render(item) for item in items if item}


def rows(at: Repository) -> dict[str, Row]:
    """What stands in a repository, with the deliveries GitHub sends of it."""
    repository = {"full_name": at.name, "default_branch": "main"}

    def told(event: str, **payload: Any) -> Callable[[str], tuple[str, dict[str, Any]]]:
        return lambda word: (event, {"repository": repository} | payload)

    found: dict[str, Row] = {}
    for number, row in at.issues.items():
        pull = row.get("pull_request")
        if pull:
            whole = {**row, "merged_at": pull["merged_at"]}
            found[f"{number}"] = Row(row, told("pull_request", pull_request=whole))
        else:
            found[f"{number}"] = Row(row, told("issues", issue=row))
    for each, row in at.comments.items():
        about = at.issues[number_of(row)]
        said = told("issue_comment", comment=row, issue=about)
        found[f"comment {each}"] = Row(row, said, f"{number_of(row)}")
    for each, row in at.review_comments.items():
        about = at.issues[number_of(row)]
        said = told("pull_request_review_comment", comment=row, pull_request=about)
        found[f"review comment {each}"] = Row(row, said, f"{number_of(row)}")
    for each, row in at.reviews.items():
        about = at.issues[row["number"]]
        said = told("pull_request_review", review=row, pull_request=about)
        found[f"review {each}"] = Row(row, said, f"{row['number']}")
    return found
