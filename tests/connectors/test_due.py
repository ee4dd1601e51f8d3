"""When a stream is polled, when it is counted, and what a connector that cannot be opened tells."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.rate_limits import Budget
from connectors.sync import Engine, SyncTarget
from connectors.transport import AccessLost, BudgetSpent
from infra.platform.clock import SystemClock
from infra.service.connecting.polling import is_due, is_reconciliation_due, poll
from schemas.events.connector import CursorMoved, SyncFailed
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.registries import ARegistry, AStream, a_definition

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY_S = 86_400


def a_place(next_poll_at: datetime | None = None, census_at: datetime | None = None) -> CursorMoved:
    return CursorMoved(
        connector_id="con_1",
        stream="issues",
        position=3,
        cursor="",
        next_poll_at=next_poll_at,
        census_at=census_at,
    )


def test_a_stream_is_due_before_its_first_poll_and_when_its_time_has_come() -> None:
    assert is_due(None, NOW)
    assert is_due(a_place(), NOW)
    assert is_due(a_place(next_poll_at=NOW), NOW)
    assert not is_due(a_place(next_poll_at=NOW + timedelta(seconds=1)), NOW)


def test_a_census_is_due_when_its_time_is_over_and_never_before_a_first_walk() -> None:
    assert not is_reconciliation_due(None, NOW, DAY_S)
    assert not is_reconciliation_due(a_place(), NOW, DAY_S)
    assert not is_reconciliation_due(a_place(census_at=NOW - timedelta(hours=23)), NOW, DAY_S)
    assert is_reconciliation_due(a_place(census_at=NOW - timedelta(hours=24)), NOW, DAY_S)


def polled(at: ARegistry, *streams: str) -> ARegistry:
    asyncio.run(poll(cast(Any, at), a_definition("acme/shop", *streams)))
    return at


def test_a_fault_of_ours_in_one_stream_is_told_without_a_word_and_in_no_others_way() -> None:
    broken = AStream("issues", KeyError("words of somebody"))
    places = polled(ARegistry(broken, AStream("runs")), "issues", "runs").broker.places[
        "con_acme/shop"
    ]
    assert places["issues"].problem == "refused: A fault of ours (KeyError): tell of it."
    assert not is_due(places["issues"], SystemClock().now())
    assert (places["runs"].problem, places["runs"].cursor) == (None, "read")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SourceUnavailable("Slack does not answer."), "unavailable"),
        (BudgetSpent("Used up.", NOW), "budget"),
        (AccessLost("The App is not installed.", "not_found", 404), "not_found"),
    ],
)
def test_a_service_that_cannot_be_opened_fails_by_name_and_is_not_asked_at_once_again(
    error: Exception, reason: str
) -> None:
    at = polled(ARegistry(closed={"acme/shop": error}), "issues")
    (failed,) = at.broker.events(SyncFailed)
    assert (failed.stream, failed.reason) == ("issues", reason)
    assert at.broker.places["con_acme/shop"]["issues"].next_poll_at


def test_what_could_not_even_be_opened_is_told_on_the_log_and_comes_back_later() -> None:
    broker = MemoryBroker()
    target = SyncTarget(PROJECT, "con_1", "github", every_s=300)
    engine = Engine(target, broker.publisher(), {}, SystemClock(), Budget())
    error = SourceRefused("The environment variable GH_TOKEN is not set: set it to the secret.")
    asyncio.run(engine.refuse("issues", error))
    place = broker.places["con_1"]["issues"]
    assert place.problem is not None
    assert "GH_TOKEN" in place.problem
    assert (place.cursor, place.caught_up_at) == ("", None)
    assert not is_due(place, SystemClock().now())
