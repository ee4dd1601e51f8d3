"""A repository at GitHub is held as it stands there, over real HTTP."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.connectors.github_side import Side, a_server, standing
from tests.connectors.stand_ins.github_world import Repository
from tests.connectors.stand_ins.server import Fault


def a_busy_one(at: Repository) -> Repository:
    """A bit of everything there is in a repository."""
    first = at.open_issue("Sessions", "We will keep sessions in Redis.")
    pull = at.open_issue("Add sessions", "This adds the sessions.", pull=True)
    at.wait(5)
    at.comment(first, "Agreed, but the timeout must be 30 minutes.")
    at.comment(pull, "Please use the existing client.")
    at.review(pull, "APPROVED", "LGTM, after the retry is in.")
    at.review(pull, "COMMENTED", "")
    at.review_comment(pull, "This must be retried three times.")
    at.release("v1.0", "Sessions are kept in Redis.")
    at.run("CI", "failure")
    number = at.discuss("Which store?", "Redis or Postgres?")
    at.discussions[number]["comments"].append(at._said(900, "Redis.", "ben"))
    return at


def test_everything_of_a_repository_is_held_as_it_stands() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, a_busy_one(server.add("acme/shop")))
            outcomes = await side.sync()
            assert {each.error for each in outcomes} == {""}
            assert side.broker.contents == standing(side.repository)
            assert len(side.broker.contents) == 10

    asyncio.run(run())


def test_a_second_sync_asks_under_condition_only_and_publishes_nothing() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, a_busy_one(server.add("acme/shop")), per_page=2)
            rest = ("issues", "comments", "reviews", "review-comments", "releases", "runs")
            side.repository.wait(5)  # the second of the last change is over
            await side.sync(*rest)
            server.asked.clear()
            before = side.broker.log.copy()
            await side.sync(*rest)
            assert {(each.conditional, each.status) for each in server.asked} == {(True, 304)}
            told = {each.event.type_name for each in side.broker.log[len(before) :]}
            assert told == {
                "connector.sync_started", "connector.sync_finished", "connector.cursor_moved",
            }  # fmt: skip

    asyncio.run(run())


def test_a_discussion_that_was_deleted_goes_and_switched_off_ones_stay() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            assert [each.reason for each in await side.sync("discussions")] == [None]
            numbers = [side.repository.discuss(f"Store {n}?", "Redis?") for n in range(9)]
            await side.sync("discussions")
            del side.repository.discussions[numbers[3]]
            [outcome] = await side.reconcile("discussions")
            assert (outcome.error, outcome.counts.removed) == ("", 1)
            held = dict(side.broker.contents)
            assert len(held) == 8
            server.discussions_enabled = False
            [outcome] = await side.sync("discussions")
            assert (outcome.reason, outcome.counts.refused) == (None, 0)
            assert "switched off" in str(outcome.notices)
            assert [each.reason for each in await side.reconcile("discussions")] == [None]
            assert side.broker.contents == held

    asyncio.run(run())


def test_a_row_nobody_can_read_is_counted_and_named_and_in_nobodys_way() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            odd = side.repository.open_issue("Odd", "It has no number of its own.")
            side.repository.open_issue("Even", "The gateway must answer in time.")
            side.repository.issues[odd] |= {"number": None, "id": 77}
            [outcome] = await side.sync("issues")
            assert (outcome.reason, outcome.counts.published) == (None, 1)
            assert outcome.counts.refused == 2  # the last minute of a list is read twice
            assert [str(each) for each in outcome.notices] == ["77: number is missing"]
            place = side.broker.places["con_acme/shop"]["issues"]
            assert place.notices == ["77: number is missing"]
            assert {each.reason for each in await side.reconcile("issues")} == {None}
            assert len(side.broker.contents) == 1

    asyncio.run(run())


@pytest.mark.parametrize("bad", [None, "", "yesterday MARK", 5])
@pytest.mark.parametrize("name", ["created_at", "updated_at"])
def test_a_text_is_read_though_its_time_is_unknown(name: str, bad: object) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            odd = side.repository.open_issue("Odd", "The gateway must answer in time.")
            comment = side.repository.comment(odd, "The timeout must be 30 minutes.")
            side.repository.issues[odd][name] = bad
            side.repository.comments[comment][name] = bad
            for _ in range(2):
                outcomes = await side.sync("issues", "comments")
                assert [each.reason for each in outcomes] == [None, None]
                assert [each.counts.refused for each in outcomes] == [0, 0]
            places = side.broker.places[side.connector_id]
            told = str([places["issues"].notices, places["comments"].notices])
            held = b"".join(side.broker.contents.values())
            assert b"must answer in time" in held and b"30 minutes" in held
            assert told.count(name) == 2 and "MARK" not in told

    asyncio.run(run())


def test_a_page_that_is_none_fails_by_name_and_harms_nothing() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, a_busy_one(server.add("acme/shop")))
            for body in ("[1, 2]", '{"message": "hello"}', "<html>"):
                server.faults = [Fault(200, body=body)]
                [outcome] = await side.sync("issues")
                assert outcome.reason == "unavailable", body
            [outcome] = await side.sync("issues")
            assert (outcome.reason, outcome.counts.published) == (None, 2)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("stream", "bodies"),
    [
        (
            "discussions",
            (
                "[]",
                '{"errors": ["no"]}',
                '{"data": {"repository": {"discussions": null}}}',
                '{"data": {"repository": {"discussions": {"nodes": []}}},'
                ' "errors": [{"type": "SERVICE", "path": ["repository", "discussions"]}]}',
            ),
        ),
        ("files", ("[]", "{}", '{"default_branch": "main"}')),
    ],
)
def test_an_answer_that_is_none_fails_its_stream_by_name(stream: str, bodies: list[str]) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, a_busy_one(server.add("acme/shop")))
            for body in bodies:
                server.faults = [Fault(200, body=body)]
                [outcome] = await side.sync(stream)
                assert outcome.reason == "unavailable", body
                server.faults = [Fault(200, body=body)]
                assert all(each.reason == "unavailable" for each in await side.reconcile(stream))

    asyncio.run(run())


def test_a_review_in_the_same_second_as_the_last_one_is_held_though_its_row_is_as_before() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"))
            pull = side.repository.open_issue("Add sessions", "This adds the sessions.", pull=True)
            side.repository.review(pull, "APPROVED", "We will keep sessions in Redis.")
            await side.sync("issues", "reviews")
            side.repository.review(pull, "APPROVED", "The timeout must be 30 minutes.")
            await side.sync("issues", "reviews")
            assert side.broker.contents == standing(side.repository)
            assert len(side.broker.contents) == 3

    asyncio.run(run())


def test_a_limit_told_inside_an_answer_is_no_failure_and_says_when_it_ends() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, a_busy_one(server.add("acme/shop")))
            resets = int(time.time()) + 900
            limit = {
                "X-RateLimit-Limit": "5000",
                "X-RateLimit-Remaining": "0",
                "X-RateLimit-Reset": str(resets),
                "X-RateLimit-Resource": "graphql",
            }
            server.faults = [Fault(200, limit, '{"errors": [{"type": "RATE_LIMITED"}]}')]
            [outcome] = await side.sync("discussions")
            assert outcome.reason == "budget"
            assert outcome.next_poll_at is not None
            assert abs(outcome.next_poll_at.timestamp() - resets) < 60

    asyncio.run(run())


def test_workflows_are_read_back_two_weeks_and_their_late_ends_are_seen() -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"), per_page=2)
            at = side.repository
            for day in range(40):
                at.wait(0 if day == 0 else 86_400)
                last = at.run("CI", "success")
            at.edit(at.runs[last - 3], status="in_progress", conclusion=None)
            await side.sync("runs")
            assert {each.query["page"] for each in server.asked} == set("12345678")
            assert len(side.broker.contents) == 15
            at.edit(at.runs[last - 3], status="completed", conclusion="failure")
            assert not any(b"failure" in text for text in side.broker.contents.values())
            await side.sync("runs")
            assert any(b"failure" in text for text in side.broker.contents.values())

    asyncio.run(run())
