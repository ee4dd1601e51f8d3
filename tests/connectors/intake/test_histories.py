"""Whatever order, however often, killed wherever: what is held is what stands outside."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.github.items import comment_item, issue_item
from connectors.intake.told import Told
from connectors.publishing import source_id_of
from connectors.rendering import render
from tests.connectors.intake.worlds import PROJECT, Killed, Record, World
from tests.connectors.webhooks.senders import Sent, from_github

START = datetime(2026, 3, 1, tzinfo=UTC)
ISSUES, COMMENTS = (1, 2), (11, 12, 13)


def stamp(second: int) -> str:
    return (START + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Outside:
    """A repository whose every change is a delivery, each in a second of its own."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], dict[str, Any]] = {}
        self.ever: set[tuple[str, int]] = set()
        self.told: list[Sent] = []

    def step(self, kind: str, number: int, wish: str, words: str) -> None:
        """The item is created, edited or deleted, whichever is possible."""
        key, second = (kind, number), len(self.told) + 1
        if key in self.rows and wish == "delete":
            action, row = "deleted", self.rows.pop(key)
        elif key not in self.ever:
            action = "opened" if kind == "issues" else "created"
            row = self._row(kind, number, words, second)
        elif key in self.rows:
            action = "edited"
            row = self.rows[key] | {"body": words, "updated_at": stamp(second)}
        else:
            return  # a number is given once
        if action != "deleted":
            self.ever.add(key)
            self.rows[key] = row
        payload: dict[str, Any] = {"action": action}
        if kind == "issues":
            payload["issue"] = row
        else:
            payload |= {"comment": row, "issue": {"number": 1, "title": "Cart"}}
        self.told.append(from_github(kind, payload, f"d-{second}"))

    def _row(self, kind: str, number: int, words: str, second: int) -> dict[str, Any]:
        common = {"body": words, "created_at": stamp(second), "updated_at": stamp(second)}
        if kind == "issues":
            return common | {"number": number, "title": "Cart", "state": "open"}
        return common | {"id": number, "issue_url": "https://api.github.com/repos/a/s/issues/1"}

    @property
    def standing(self) -> dict[str, bytes]:
        items = [
            issue_item("acme/shop", row)
            if kind == "issues"
            else comment_item("acme/shop", row, "Cart")
            for (kind, _), row in self.rows.items()
        ]
        return {source_id_of(PROJECT, item): render(item) for item in items}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [("issues", each) for each in ISSUES] + [("issue_comment", each) for each in COMMENTS]
        ),
        st.sampled_from(["edit", "edit", "delete"]),
        st.sampled_from(["We use Kafka.", "We use Redis.", "It must be fast.", ""]),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=100, deadline=None)
@given(steps=STEPS, data=st.data())
def test_deliveries_in_any_order_doubled_and_killed_end_where_the_service_is(steps, data):
    outside = Outside()
    for (kind, number), wish, words in steps:
        outside.step(kind, number, wish, words)
    folder = Path(tempfile.mkdtemp())
    try:
        world = World(folder, told=Told(folder / "told.sqlite"))
        records = asyncio.run(world.received(*outside.told))
        slow = data.draw(st.randoms(use_true_random=False))
        world.broker.lags = lambda: slow.random() < 0.5  # the tables follow when they like
        arriving = data.draw(st.permutations(records)) + data.draw(
            st.lists(st.sampled_from(records), max_size=4)
        )
        kills = iter(data.draw(st.lists(st.integers(0, 12), max_size=4)))
        asyncio.run(with_kills(world, arriving, kills))
        assert world.broker.contents == outside.standing
        assert world.broker.in_vain == 0  # nothing was said that was held already
        assert not world.dead
        world.told.close()
    finally:
        shutil.rmtree(folder)


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
            world.told.close()
            world.told = Told(world.folder / "told.sqlite")
            consumer = world.consumer()
