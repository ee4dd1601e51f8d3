"""One way in for items: what is new is published once, what is old or equal changes nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from connectors.feeder import FeedOrder
from connectors.publishing import publish_items
from connectors.rendering import render
from connectors.service_items import DeletedItem, Remark, ServiceItem
from schemas.envelope import Actor
from schemas.events.connector import Counts
from schemas.events.ingestion_request import IngestionRequested, SourcesListed, SourcesUnchanged
from schemas.events.source import SourceRevised
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.remarks import NOON, a_comment, gone


def published(
    broker: MemoryBroker, *items: ServiceItem | DeletedItem, key: str = "delivery-1"
) -> Counts:
    order = FeedOrder(
        PROJECT, key, Actor(type="connector", id="github"), NOON, lanes=("deep",),
        trigger="webhook",
    )  # fmt: skip
    return asyncio.run(publish_items(items, order, broker.publisher()))


def texts(broker: MemoryBroker) -> list[bytes]:
    return list(broker.contents.values())


def test_a_page_is_one_trigger_with_its_listing_and_names_what_is_unchanged() -> None:
    broker = MemoryBroker()
    published(broker, a_comment(1))
    counts = published(broker, a_comment(2), a_comment(1), key="delivery-2")
    assert counts == Counts(seen=2, published=1, unchanged=1)
    [_, listing] = broker.events(SourcesListed)
    assert not listing.complete
    assert [source.path for source in listing.sources] == ["12/comments/1", "12/comments/2"]
    [unchanged] = broker.events(SourcesUnchanged)
    assert unchanged.source_ids == [listing.sources[0].source_id]
    assert len(broker.events(SourceRevised)) == 2


def test_nothing_new_is_not_even_a_trigger() -> None:
    broker = MemoryBroker()
    published(broker, a_comment())
    before = len(broker.log)
    assert published(broker, a_comment(minutes=5), key="again").unchanged == 1
    assert len(broker.log) == before


def test_the_same_delivery_again_has_the_same_ids() -> None:
    one, other = MemoryBroker(), MemoryBroker()
    published(one, a_comment(), a_comment(2))
    published(other, a_comment(2), a_comment())
    assert [fact.event_id for fact in one.log] == [fact.event_id for fact in other.log]


def test_the_same_words_in_another_delivery_are_a_fact_of_their_own() -> None:
    broker = MemoryBroker()
    for number, body in enumerate(("Redis.", "Postgres.", "Redis.")):
        published(broker, a_comment(body=body, minutes=number), key=f"delivery-{number}")
    assert texts(broker) == [render(a_comment(body="Redis."))]
    assert len(broker.events(IngestionRequested)) == 3


def test_what_was_changed_earlier_than_what_is_held_changes_nothing() -> None:
    broker = MemoryBroker()
    new = a_comment(body="We will use Postgres.", minutes=9)
    published(broker, new)
    assert published(broker, a_comment(minutes=3), key="late").unchanged == 1
    assert texts(broker) == [render(new)]


def test_the_log_itself_keeps_the_later_one_when_the_tables_are_behind() -> None:
    broker = MemoryBroker(lags=lambda: True)
    new = a_comment(body="We will use Postgres.", minutes=9)
    published(broker, new)
    assert published(broker, a_comment(minutes=3), key="late").published == 1
    assert texts(broker) == [render(new)]


def test_of_one_item_given_twice_the_later_counts() -> None:
    broker = MemoryBroker()
    new = a_comment(body="We will use Postgres.", minutes=9)
    published(broker, new, a_comment(minutes=3))
    assert texts(broker) == [render(new)]


def test_what_a_service_says_is_deleted_goes_at_once() -> None:
    broker = MemoryBroker()
    published(broker, a_comment(1), a_comment(2))
    assert published(broker, gone(1), key="deleted").removed == 1
    assert texts(broker) == [render(a_comment(2))]
    assert published(broker, gone(1), key="deleted again").removed == 0
    assert published(broker, gone(7), key="never seen").removed == 0


def test_a_deletion_older_than_what_is_held_removes_nothing() -> None:
    broker = MemoryBroker()
    published(broker, a_comment(minutes=9))
    assert published(broker, gone(minutes=3), key="late").removed == 0
    assert len(broker.contents) == 1


def test_each_message_of_a_chat_is_encrypted_for_its_author() -> None:
    broker = MemoryBroker()
    item = replace(
        a_comment(),
        service="slack",
        root="slack/T1/C1",
        path="1.0",
        source_type="chat_thread",
        remarks=(
            Remark("1.0", "U1", None, NOON, "Shall we use Redis?"),
            Remark("1.1", "U2", None, NOON, "Yes."),
        ),
    )
    published(broker, item)
    keys = {getattr(fact.event, "key_id", "") for fact in broker.log}
    assert {"key_", "key_U1", "key_U2"} <= keys
    assert texts(broker) == [render(item)]
