"""What was said about something goes with it, and does not come back by a late word."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from connectors.feeder import FeedOrder
from connectors.github.items import comment_item
from connectors.jira.items import attachment_item
from connectors.jira.items import comment_item as jira_comment
from connectors.publishing import publish_items
from schemas.envelope import Actor
from schemas.events.ingestion_request import IngestionRequested
from tests.connectors.intake.worlds import PROJECT, World
from tests.connectors.webhooks.senders import NOW, Sent, from_github, from_jira

EARLIER = "2026-03-01T10:00:00Z"
LATER = "2026-03-01T12:30:00Z"  # than the deletion, which is told at noon
KINDS = {"issues": ("issue", "issue_comment"), "discussion": ("discussion", "discussion_comment")}


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path)


@pytest.fixture(params=["issues", "discussion"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(world: World, *deliveries: Sent) -> World:
    asyncio.run(world.taken(*deliveries))
    return world


def an_item(kind: str, action: str, number: int = 12, at: str = EARLIER) -> Sent:
    item = {
        "number": number,
        "title": f"Cart {number}",
        "body": f"The cart must keep items ({number}).",
        "created_at": EARLIER,
        "updated_at": at,
    }
    return from_github(kind, {"action": action, KINDS[kind][0]: item}, f"{action}-{number}-{at}")


def comment_row(number: int, comment: int, at: str = EARLIER) -> dict[str, Any]:
    return {
        "id": comment,
        "body": f"Use PostgreSQL ({comment}).",
        "created_at": EARLIER,
        "updated_at": at,
        "issue_url": f"https://api.github.com/repos/acme/shop/issues/{number}",
    }


def a_comment(
    kind: str, action: str = "created", number: int = 12, comment: int = 5, at: str = EARLIER
) -> Sent:
    named, event = KINDS[kind]
    about = {"number": number, "title": f"Cart {number}"}
    told = {"action": action, named: about, "comment": comment_row(number, comment, at)}
    return from_github(event, told, f"c-{action}-{comment}-{at}")


@pytest.mark.parametrize("action", ["deleted", "transferred"])
def test_comments_go_with_what_they_are_about_and_no_others(world, kind, action):
    run(world, an_item(kind, "opened"), a_comment(kind), a_comment(kind, comment=6))
    run(world, an_item(kind, "opened", number=1), a_comment(kind, number=1, comment=7))
    run(world, an_item(kind, action))
    assert sorted(text.splitlines()[-1] for text in world.texts) == [
        "The cart must keep items (1).",
        "Use PostgreSQL (7).",
    ]
    assert world.broker.held_back == []


def test_a_late_or_repeated_comment_of_what_is_gone_does_not_come_back(world, kind):
    repeated = a_comment(kind)
    run(world, an_item(kind, "opened"), repeated, an_item(kind, "deleted"))
    late = a_comment(kind, "edited", at="2026-03-01T11:00:00Z")
    run(world, repeated, late, a_comment(kind, comment=6))
    assert world.texts == []


def test_a_return_brings_what_is_said_from_then_on_in_whatever_order(tmp_path, kind):
    """What was said before is a census's to bring: no delivery carries it."""
    deliveries = (
        a_comment(kind),
        an_item(kind, "transferred"),
        an_item(kind, "opened", at=LATER),
        a_comment(kind, comment=6, at=LATER),
    )
    for order in permutations(deliveries):
        world = run(World(tmp_path), *order)
        assert sorted(text.splitlines()[-1] for text in world.texts) == [
            "The cart must keep items (12).",
            "Use PostgreSQL (6).",
        ]


def test_a_comment_on_what_was_never_seen_is_held(world, kind):
    assert len(run(world, a_comment(kind)).texts) == 1


def test_comments_that_the_tables_do_not_show_yet_go_too(world, kind):
    world.broker.lags = lambda: True
    run(world, an_item(kind, "opened"), a_comment(kind), an_item(kind, "deleted"))
    assert world.texts == []


def test_comments_that_a_poll_brought_go_too_also_a_second_time(world):
    """A census finds them standing again after a return, older than the deletion."""
    opened, deleted = an_item("issues", "opened"), an_item("issues", "transferred")
    polled = comment_item("acme/shop", comment_row(12, 5), "Cart 12")
    by_poll(world, polled)
    assert run(world, opened, deleted).texts == []
    by_poll(world, polled)
    assert len(world.texts) == 1
    world.at += timedelta(hours=1)
    assert run(world, an_item("issues", "deleted", at=LATER)).texts == []


def test_a_deletion_told_again_publishes_nothing_more(world, kind):
    world.broker.lags = lambda: True  # the tables show what went
    deleted = an_item(kind, "deleted")
    run(world, an_item(kind, "opened"), a_comment(kind), deleted)
    before = len(world.events(IngestionRequested))
    run(world, deleted)
    again = replace(deleted, headers=deleted.headers | {"X-GitHub-Delivery": "another"})
    run(world, again)
    assert len(world.events(IngestionRequested)) == before


def test_with_a_jira_issue_go_comments_and_attachments_the_event_does_not_name(world):
    times = dict.fromkeys(("created", "updated"), "2026-03-01T10:00:00.000+0000")
    issue = {"id": "7", "key": "SHOP-7", "fields": {"summary": "Cart", **times}}
    other = {"id": "70", "key": "SHOP-70", "fields": {"summary": "Basket", **times}}
    comment = {"id": "1", "body": "Use PostgreSQL.", **times}
    attachment = {"id": "9", "filename": "plan.md", "created": times["created"]}
    by_poll(
        world,
        attachment_item("jira.example.org", issue, attachment, b"We use Redis."),
        jira_comment("jira.example.org", other, comment),
        service="jira",
    )

    def told(event: str, at: datetime = NOW, **more: Any) -> Sent:
        return from_jira({"webhookEvent": event, "issue": issue} | more, at)

    created = told("jira:issue_created")
    said = told("comment_created", comment=comment)
    run(world, created, said)
    assert len(world.texts) == 4
    run(world, told("jira:issue_deleted", NOW + timedelta(minutes=1)), said)
    (text,) = world.texts
    assert text.startswith("# Re: SHOP-70: Basket")


def by_poll(world: World, *items: Any, service: str = "github") -> None:
    actor = Actor(type="connector", id=service)
    order = FeedOrder(PROJECT, f"poll|{len(world.broker.log)}", actor, NOW, lanes=("deep",))
    asyncio.run(publish_items(items, order, world.broker.publisher()))
