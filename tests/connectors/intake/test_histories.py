"""Whatever order, however often, killed wherever: what is held is what stands outside."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.feeder import FeedOrder
from connectors.github.items import (
    comment_item,
    discussion_comment_item,
    discussion_item,
    issue_item,
)
from connectors.intake.source_status import SourceStatuses
from connectors.jira import items as jira
from connectors.publishing import publish_items, source_id_of
from connectors.rendering import render
from connectors.service_items import ServiceItem
from schemas.envelope import Actor
from tests.connectors.intake.worlds import PROJECT, Killed, Record, World
from tests.connectors.webhooks.senders import Sent, from_github, from_jira

START = datetime(2026, 3, 1, tzinfo=UTC)
REPOSITORY, SITE = "acme/shop", "jira.example.org"
Key = tuple[str, int]
ABOUT: dict[Key, Key] = {  # what each comment is about
    ("issue_comment", 11): ("issues", 1),
    ("issue_comment", 12): ("issues", 1),
    ("issue_comment", 13): ("issues", 2),
    ("discussion_comment", 14): ("discussion", 3),
    ("jira_comment", 15): ("jira_issue", 4),
    ("jira_comment", 16): ("jira_issue", 4),
}
BY_POLL = FeedOrder(PROJECT, "poll", Actor(type="connector", id="any"), START, lanes=("deep",))
KEYS = sorted({*ABOUT, *ABOUT.values()})
GOING = ("deleted", "transferred")
RETURNING = ("issues", "discussion")  # those that GitHub transfers
EXAMPLES = int(os.environ.get("CAIRN_TEST_HISTORIES", "150"))
JIRA_WORDS = {"opened": "created", "edited": "updated", "transferred": "deleted"}


class Outside:
    """Services whose every change is a delivery, each in a second of its own.

    With an item goes all that was said about it. One that was transferred may come back; what was
    said before stands under other numbers then, of which no delivery tells. What is not in ``rows``
    from the beginning may still have stood before anybody told us.
    """

    def __init__(self, polled: set[Key]) -> None:
        self.rows: dict[Key, dict[str, Any]] = {}
        self.ever: set[Key] = set(polled)
        self.away: dict[Key, str] = {}
        self.told: list[tuple[datetime, Sent]] = []
        for key in polled:
            self.rows[key] = self._row(key, "It stood before.", 0)
        self.polled = self.items

    def step(self, key: Key, wish: str, words: str) -> None:
        """The item is created, edited or deleted, or goes elsewhere, whichever is possible."""
        second, about = len(self.told) + 1, ABOUT.get(key)
        if about in self.away:
            return  # nobody says anything about what is gone
        if wish in GOING and (key in self.rows or (about is None and key not in self.ever)):
            row = self.rows.pop(key, None) or self._row(key, words, 0)
            action = "deleted" if about else wish
            if about is None:
                self.away[key] = wish
                self.rows = {each: it for each, it in self.rows.items() if ABOUT.get(each) != key}
        elif key in self.rows:
            action = "edited"
            row = self.rows[key] | self._changed(key, words, second)
        elif key not in self.ever or (self.away.get(key) == "transferred" and key[0] in RETURNING):
            action = "opened" if about is None else "created"
            row = self._row(key, words, second)
            self.away.pop(key, None)
        else:
            return  # a number is given once
        self.ever.add(key)
        if action not in GOING:
            self.rows[key] = row
        self.told.append((START + timedelta(seconds=second), self._sent(key, action, row, second)))

    def _row(self, key: Key, words: str, second: int) -> dict[str, Any]:
        kind, number = key
        made = {"created_at": stamp(second), "updated_at": stamp(second), "body": words}
        match kind:
            case "issues" | "discussion":
                return made | {"number": number, "title": "Cart", "state": "open"}
            case "issue_comment" | "discussion_comment":
                about = ABOUT[key][1]
                return made | {"id": number, "issue_url": f"https://x/repos/a/s/issues/{about}"}
            case _:
                return {"id": str(number), "created": made["created_at"]} | self._changed(
                    key, words, second
                )

    def _changed(self, key: Key, words: str, second: int) -> dict[str, Any]:
        said = "description" if key[0] == "jira_issue" else "body"
        time = "updated" if key[0].startswith("jira") else "updated_at"
        return {said: words, time: stamp(second)}

    def _sent(self, key: Key, action: str, row: dict[str, Any], second: int) -> Sent:
        kind, number = key
        about = {"number": ABOUT.get(key, key)[1], "title": "Cart"}
        if kind == "jira_issue":
            event = f"jira:issue_{JIRA_WORDS.get(action, action)}"
            return self._jira({"webhookEvent": event, "issue": jira_issue(number, row)}, second)
        if kind == "jira_comment":
            issue = jira_issue(ABOUT[key][1], {})
            event = f"comment_{JIRA_WORDS.get(action, action)}"
            return self._jira({"webhookEvent": event, "issue": issue, "comment": row}, second)
        payload = {"issues": {"issue": row}, "discussion": {"discussion": row}}.get(kind) or {
            "comment": row,
            kind.removesuffix("_comment"): about,
        }
        return from_github(kind, {"action": action} | payload, f"d-{second}")

    @staticmethod
    def _jira(event: dict[str, Any], second: int) -> Sent:
        return from_jira(event, START + timedelta(seconds=second))

    @property
    def items(self) -> list[ServiceItem]:
        return [self._item(key, row) for key, row in self.rows.items()]

    @staticmethod
    def _item(key: Key, row: dict[str, Any]) -> ServiceItem:
        kind, number = key
        match kind:
            case "issues":
                return issue_item(REPOSITORY, row)
            case "discussion":
                return discussion_item(REPOSITORY, row)
            case "issue_comment":
                return comment_item(REPOSITORY, row, "Cart")
            case "discussion_comment":
                return discussion_comment_item(REPOSITORY, ABOUT[key][1], row, "Cart")
            case "jira_issue":
                return jira.issue_item(SITE, jira_issue(number, row))
            case _:
                return jira.comment_item(SITE, jira_issue(ABOUT[key][1], {}), row)

    @property
    def standing(self) -> dict[str, bytes]:
        return {source_id_of(PROJECT, item): render(item) for item in self.items}


def stamp(second: int) -> str:
    return (START + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


def jira_issue(number: int, row: dict[str, Any]) -> dict[str, Any]:
    return {"id": str(number), "key": f"SHOP-{number}", "fields": {"summary": "Cart"} | row}


def histories(chosen: set[Key]) -> st.SearchStrategy[tuple[set[Key], list[tuple[Key, str, str]]]]:
    """What stood before, and steps, of some items and of what is said about them."""
    keys = st.sampled_from([key for key in KEYS if ABOUT.get(key, key) in chosen])
    wishes = st.sampled_from(["edit", "edit", *GOING])
    words = st.sampled_from(["We use Kafka.", "We use Redis.", "It must be fast.", ""])
    steps = st.lists(st.tuples(keys, wishes, words), min_size=1, max_size=14)
    return st.tuples(st.sets(keys), steps)


HISTORIES = st.sets(st.sampled_from(sorted(set(ABOUT.values()))), min_size=1).flatmap(histories)


@settings(max_examples=EXAMPLES)
@given(history=HISTORIES, data=st.data())
def test_deliveries_in_any_order_doubled_and_killed_end_where_the_service_is(history, data):
    polled, steps = history
    outside = Outside(polled)
    for key, wish, words in steps:
        outside.step(key, wish, words)
    folder = Path(tempfile.mkdtemp())
    try:
        world = World(folder, statuses=SourceStatuses(folder / "told.sqlite"))
        asyncio.run(publish_items(outside.polled, BY_POLL, world.broker.publisher()))
        records = asyncio.run(received(world, outside))
        slow = data.draw(st.randoms(use_true_random=False))
        world.broker.lags = lambda: slow.random() < 0.5  # the tables follow when they like
        arriving = data.draw(st.permutations(records)) + data.draw(
            st.lists(st.sampled_from(records), max_size=4) if records else st.just([])
        )
        kills = iter(data.draw(st.lists(st.integers(0, 12), max_size=4)))
        asyncio.run(with_kills(world, arriving, kills))
        assert world.broker.contents == outside.standing
        assert world.broker.in_vain == 0  # nothing was said that was held already
        assert not world.broker.held_back  # the removal threshold is for missing items
        assert not world.dead
        world.statuses.close()
    finally:
        shutil.rmtree(folder)


async def received(world: World, outside: Outside) -> list[Record]:
    """Each delivery as it was received, when it was sent."""
    records: list[Record] = []
    for world.at, sent in outside.told:
        records += await world.received(sent)
    return records


async def with_kills(world: World, arriving: list[Record], kills: Any) -> None:
    """Each record until it is through; a process that was killed is followed by a fresh one."""
    left = next(kills, None)

    def maybe_die() -> None:
        nonlocal left
        if left is not None:
            left -= 1
            if left < 0:
                left = next(kills, None)
                raise Killed

    world.broker.before_record = maybe_die
    consumer = world.consumer()
    for record in arriving:
        while True:
            with contextlib.suppress(Killed):
                await consumer.process(record)
                break
            world.statuses.close()
            world.statuses = SourceStatuses(world.folder / "told.sqlite")
            consumer = world.consumer()
