"""kill -9 of the poller in the middle of a first sync: every item is held, and every run ends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from infra.runtime.local.process import wait_until
from projections.read import session
from schemas.ids import sha256_hex
from tests.connectors.github_side import standing
from tests.connectors.stand_ins.github import TOKEN, GitHubServer
from tests.connectors.stand_ins.github_world import Repository
from tests.service import Service, service

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(900)]

KILLS = 3
SEED = 20261121
ISSUES, COMMENTS = 12, 48
MOST_ROWS = 3  # of a page: some twenty requests, between which the kills fall


@contextmanager
def a_repository() -> Iterator[tuple[GitHubServer, Repository]]:
    """A stand-in that answers from a thread of its own."""
    server = GitHubServer(most_rows=MOST_ROWS)
    at = server.add("acme/shop")
    for number in range(ISSUES):
        at.wait(7)
        at.open_issue(f"Store {number}", f"The gateway must answer store {number} in time.")
    for number in range(COMMENTS):
        at.wait(1)
        at.comment(number % ISSUES + 1, f"We will use Redis for the store number {number}.")
    with server.beside():
        yield server, at


def has_asked(server: GitHubServer, count: int) -> bool:
    return len(server.asked) >= count


def held(cairn: Service) -> dict[str, str]:
    found = rows(cairn, "SELECT source_id, raw_sha256 FROM sources")
    return {str(source): str(digest) for source, digest in found}


def rows(cairn: Service, query: str) -> list[tuple[Any, ...]]:
    with session.reading(cairn.settings_now().conninfo) as connection:
        return connection.execute(query.encode()).fetchall()


def restarts(cairn: Service, name: str) -> int:
    (status,) = cairn.json("status")
    (count,) = [row["restarts"] for row in status["processes"] if row["name"] == name]
    return int(count)


def test_a_poller_killed_again_and_again_loses_nothing_and_leaves_no_run_waiting() -> None:
    chance = random.Random(SEED)
    with a_repository() as (server, at), service(STAND_IN=TOKEN) as cairn:
        cairn.run("project", "create", "Shop", "--idempotency-key", "shop")
        (project,) = [row["project_id"] for row in cairn.json("project", "list")]
        cairn.run(
            *("connector", "add", "github", "acme/shop", "--project", "Shop"),
            *("--credential", "token=env:STAND_IN", "--base-url", server.url),
            *("--stream", "issues", "--stream", "comments", "--every", "86400"),
        )
        for _ in range(KILLS):
            until = len(server.asked) + chance.randrange(1, 6)
            assert wait_until(partial(has_asked, server, until), timeout_s=90)
            killed = cairn.kill("poller")
            assert killed
            assert wait_until(partial(cairn.runs_again, "poller", killed), timeout_s=90)
        wanted = {source: sha256_hex(text) for source, text in standing(at, project).items()}
        assert wait_until(lambda: held(cairn) == wanted, timeout_s=420)

        def ended() -> bool:
            runs = rows(cairn, "SELECT status FROM ingestion_runs")
            return bool(runs) and all(status == "stopped" for (status,) in runs)

        assert wait_until(ended, timeout_s=420)
        assert restarts(cairn, "poller") >= KILLS
        (row,) = [row for row in cairn.json("connector", "list") if row["stream"] == "comments"]
        assert (row["seen"] >= COMMENTS, row["problem"]) == (True, None)
