"""GitHub under the contract tests: issues and their comments."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager

from connectors.sync import Stream
from connectors.transport import Transport
from tests.connectors.github_side import Side, a_server, standing
from tests.connectors.memory_broker import MemoryBroker
from tests.connectors.stand_ins.github import GitHubServer
from tests.connectors.stand_ins.github_world import Repository
from tests.connectors.stand_ins.server import Fault
from tests.connectors.stand_ins.unconditional import at_once

READ = ("issues", "comments", "reviews", "review-comments", "releases", "runs")


class GitHubStand:
    service = "github"

    def __init__(self, server: GitHubServer, transport: Transport) -> None:
        self.before_each: Callable[[], None] = lambda: None
        self._server, self._transport = server, transport
        self._at: Repository = server.add("acme/shop")
        server.before_each = lambda asked: self.before_each()

    def streams(self, broker: MemoryBroker, page_size: int) -> list[Stream]:
        return Side(self._transport, self._at, page_size, broker).streams(*READ)

    def create(self, text: str) -> str:
        return f"issue {self._at.open_issue(text, text)}"

    def reply(self, handle: str, text: str) -> str:
        return f"comment {self._at.comment(int(handle.split()[1]), text)}"

    def edit(self, handle: str, text: str) -> None:
        kind, number = handle.split()
        rows = self._at.issues if kind == "issue" else self._at.comments
        self._at.edit(rows[int(number)], body=text)

    def delete(self, handle: str) -> None:
        kind, number = handle.split()
        (self._at.delete_issue if kind == "issue" else self._at.delete_comment)(int(number))

    def wait(self, seconds: int) -> None:
        self._at.wait(seconds)

    def fail(self, status: int, headers: Mapping[str, str], times: int) -> None:
        self._server.faults += [Fault(status, dict(headers), drop=status == 0)] * times

    def deny(self) -> None:
        self._server.denied["issues"] = 404

    def revoke(self) -> None:
        self._server.denied["/"] = 401

    def conditional(self) -> Collection[bool] | None:
        asked = [each.conditional and each.status == 304 for each in self._server.asked]
        self._server.asked.clear()
        return asked

    def standing(self) -> dict[str, bytes]:
        return standing(self._at)


@asynccontextmanager
async def github_stand() -> AsyncIterator[GitHubStand]:
    async with a_server(sleep=at_once) as (server, transport):
        yield GitHubStand(server, transport)
