"""`cairn connector sync all` and `test all`: one that cannot be read is named, the others are."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.sync import Engine, Outcome, Stream
from infra.platform.errors import BrokerUnavailable, DatabaseUnavailable, Refusal
from infra.service.connecting.connectors import check_connector
from infra.service.connecting.syncing import read_each
from schemas.events.connector import SyncFailed
from tests.connectors.registries import ARegistry, AStream, a_definition

NO_SECRET = SourceRefused("The environment variable GH_TOKEN is not set: set it to the secret.")
AWAY = SourceUnavailable("api.github.com does not answer: the next poll continues.")
BUSY = Refusal("This connector is being synced right now: try again when it is done.")
ALL = [a_definition(target, "issues", "runs") for target in ("acme/first", "acme/then")]


async def sync(engine: Engine, stream: Stream) -> Outcome:
    return await engine.sync(stream)


def read(at: ARegistry, *names: str) -> list[tuple[str, str, str | None, str]]:
    outcomes = asyncio.run(read_each(cast(Any, at), ALL, names, sync))
    return [(it.added.target, of.stream, of.reason, of.error) for it, of in outcomes]


@pytest.mark.parametrize(("error", "reason"), [(NO_SECRET, "refused"), (AWAY, "unavailable")])
def test_one_that_cannot_be_opened_is_named_with_the_reason_and_the_others_are_read(error, reason):
    at = ARegistry(AStream("issues"), AStream("runs"), closed={"acme/first": error})
    assert read(at) == [
        ("acme/first", "issues", reason, str(error)),
        ("acme/first", "runs", reason, str(error)),
        ("acme/then", "issues", None, ""),
        ("acme/then", "runs", None, ""),
    ]
    failed = at.broker.events(SyncFailed)
    assert [event.stream for event in failed] == ["issues", "runs"]


def test_one_that_somebody_else_reads_is_named_and_in_no_others_way():
    at = ARegistry(AStream("issues"), AStream("runs"), busy={"acme/first": BUSY})
    assert read(at, "issues") == [
        ("acme/first", "", "refused", str(BUSY)),
        ("acme/then", "issues", None, ""),
    ]


@pytest.mark.parametrize("error", [BrokerUnavailable("away"), DatabaseUnavailable("away")])
def test_without_broker_or_database_nothing_is_tried_further(error):
    with pytest.raises(type(error)):
        read(ARegistry(AStream("issues"), busy={"acme/first": error}))


def test_a_check_of_all_names_the_one_that_cannot_be_opened():
    at = ARegistry(AStream("issues"), closed={"acme/first": NO_SECRET})
    checks = [asyncio.run(check_connector(cast(Any, at), each)) for each in ALL]
    assert [check.problem for check in checks] == [str(NO_SECRET), ""]
    assert [check.is_readable for check in checks] == [False, True]
