"""After any history of a repository, with crashes anywhere, we hold what stands there.

Histories change the repository between requests too; many changes share a second; lists are cut
into pages of three. A crash is what kill -9 leaves: the sync ends between any two requests, or
between any two records of one publication, and a new one begins from what the log holds. In every
second history the tables, by which we know what is held, are behind the log.

Where webhooks tell of the changes, too, late, in any order and now and then twice, no census is
needed: what was said about a deleted issue goes with it.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pytest

from connectors.transport import Transport
from tests.connectors.github_side import Side, a_server, rows, standing
from tests.connectors.histories import HISTORIES, PATIENCE, History
from tests.connectors.hooks import Hooks
from tests.connectors.memory_broker import MemoryBroker
from tests.connectors.stand_ins.github import LIMIT, GitHubServer
from tests.connectors.stand_ins.github_world import Repository

PARTS = 10
STREAMS = ("issues", "comments", "reviews", "review-comments")
SAID = (
    "The gateway must answer within {} ms.",
    "We will use Redis for {} sessions.",
    "Retries are limited to {}.",
)


@dataclass
class AtGitHub(History):
    """One repository and how it changes."""

    at: Repository = field(kw_only=True)

    def happen(self) -> None:
        """Something is done at GitHub, often within the same second."""
        at, chance = self.at, self.chance
        at.wait(chance.choice((0, 0, 0, 1, 30, 4_000)) + (self.hooks is not None))
        text = chance.choice(SAID).format(chance.randrange(1_000))
        standing_issues, comments = list(at.issues), list(at.comments)
        match chance.randrange(12):
            case 0 | 1 | 2:
                at.open_issue(f"Title {chance.randrange(100)}", text, pull=chance.random() < 0.4)
            case 3 | 4 | 5 | 6 if standing_issues:
                number = chance.choice(standing_issues)
                if at.issues[number].get("pull_request") and chance.random() < 0.5:
                    chance.choice((
                        lambda: at.review(number, "APPROVED", text),
                        lambda: at.review(number, "COMMENTED", ""),
                        lambda: at.review_comment(number, text),
                        lambda: at.merge(number),
                    ))()  # fmt: skip
                else:
                    at.comment(number, text)
            case 7 if comments:
                at.edit(at.comments[chance.choice(comments)], body=text)
            case 8 if standing_issues:
                at.edit(at.issues[chance.choice(standing_issues)], body=text)
            case 9 if standing_issues and not self.hooks:  # a comment's delivery has the old title
                number = chance.choice(standing_issues)
                at.edit(at.issues[number], title=f"Retitled {chance.randrange(100)}")
            case 10 if comments:
                at.delete_comment(chance.choice(comments))
            case 11 if plain := [n for n in at.issues if not at.issues[n].get("pull_request")]:
                at.delete_issue(chance.choice(plain))  # GitHub lets nobody delete a pull request
            case _:
                at.open_issue("Another", text)


async def played(
    seed: int, server: GitHubServer, transport: Transport, *, told: bool = False
) -> tuple[Side, Repository]:
    """The history of a seed to its end, and one sync after it, and one census.

    If changes are ``told`` all deliveries in place of the census. What the tables do not show of a
    poll no deletion takes along, so these are not behind the log then.
    """
    chance = random.Random(seed)
    at = server.add(f"acme/history{seed}")
    history = AtGitHub(chance, at=at)
    for _ in range(chance.randrange(20)):
        history.happen()
    lags = seed % 2 == 1 and not told
    broker = MemoryBroker(
        before_record=history.between_records,
        lags=lambda: lags and chance.random() < 0.5,
        keep=False,
    )
    side = Side(transport, at, per_page=3, broker=broker)
    hooks = Hooks("github", at.name, broker, chance, lambda: at.now, lambda: rows(at))
    if told:
        hooks.connect()
        history.hooks = hooks
    server.before_each = lambda asked: history.between_requests()
    for _ in range(PATIENCE):
        history.plan_crash()
        await history.hear()
        if await history.ends(_synced(history, side)):
            if history.is_over:
                break
            history.go_on()
    server.before_each = lambda asked: None
    broker.before_record, broker.lags = lambda: None, lambda: False
    broker.show()
    await hooks.arrive(all_of_them=True)
    assert {each.reason for each in await side.sync(*STREAMS)} == {None}
    if not told:
        assert {each.reason for each in await side.reconcile(*STREAMS)} == {None}
    return side, at


async def _synced(history: AtGitHub, side: Side) -> None:
    await side.sync(*STREAMS)
    if history.chance.random() < 0.3:
        await side.reconcile(*STREAMS)


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("part", range(PARTS))
def test_after_any_history_with_crashes_what_is_held_is_what_stands(part: int, told: bool) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            for seed in range(part, HISTORIES, PARTS):
                side, at = await played(seed, server, transport, told=told)
                held, wanted = side.broker.contents, standing(at)
                assert held == wanted, f"history {seed}"
                # A kill leaves the tables behind: then a poll and a delivery say the same.
                assert seed % 2 or told or not side.broker.in_vain, f"history {seed}"
                server.repositories.clear()
                server.asked.clear()
                server.remaining = LIMIT  # the next history is another hour
                transport.budget.windows.clear()

    asyncio.run(run())
