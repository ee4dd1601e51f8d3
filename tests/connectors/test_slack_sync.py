"""A channel of Slack is held as it stands there, over real HTTP."""

from __future__ import annotations

import asyncio

import pytest

from tests.connectors.slack_side import SlackSide, a_workspace
from tests.connectors.stand_ins.server import Fault

DAY_S = 24 * 3600


def a_busy_one(side: SlackSide) -> str:
    """Threads, words nobody answered, machines, notices; returns the first thread."""
    at = side.server
    first = at.say("Should exports be resumable?")
    for number in range(5):
        at.wait(60)
        at.say(f"Ada says the limit must be {number} MB.", "U2", first)
    at.say("<@U2> has joined the channel", "U2", subtype="channel_join")
    at.say("", "", bot_id="B1", subtype="bot_message")
    for number in range(4):
        at.wait(60)
        at.say(f"The import must take {number} files.")
    return first


@pytest.mark.parametrize("page", [1, 2, 200])
def test_everything_of_a_channel_is_held_as_it_stands(page: int) -> None:
    async def run() -> None:
        async with a_workspace() as side:
            side.page = page
            a_busy_one(side)
            assert (await side.sync()).error == ""
            assert side.broker.contents == side.standing()
            assert len(side.broker.contents) == 5
            assert b"Ada" not in b"".join(side.broker.contents.values())

    asyncio.run(run())


def test_late_replies_edits_and_deletions_are_found_within_the_window() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            first = a_busy_one(side)
            await side.sync()
            side.server.wait(DAY_S)
            side.server.say("We will go with resumable exports.", "U1", first)
            side.server.edit(side.server.replies(first)[1]["ts"], "The limit must be 9 MB.")
            side.server.delete(side.server.replies(first)[2]["ts"])
            outcome = await side.sync()
            assert (outcome.counts.published, side.broker.contents) == (1, side.standing())

    asyncio.run(run())


def test_a_reply_to_an_old_thread_is_found_within_a_day() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            first = a_busy_one(side)
            await side.sync()
            side.server.wait(40 * DAY_S)
            side.server.say("The gateway must answer in time.")
            await side.sync()
            side.server.wait(DAY_S + 1)
            side.server.say("In the end exports are resumable.", "U2", first)
            await side.sync()
            assert side.broker.contents == side.standing()

    asyncio.run(run())


def test_old_threads_without_news_are_not_asked_for() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            a_busy_one(side)
            await side.sync()
            side.server.wait(40 * DAY_S)
            side.server.say("The gateway must answer in time.")
            await side.sync()
            side.server.asked.clear()
            side.server.wait(2 * DAY_S)
            await side.sync()
            assert "/conversations.replies" not in {each.path for each in side.server.asked}

    asyncio.run(run())


def test_what_is_deleted_goes_with_the_census() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            side.page = 2
            first = a_busy_one(side)
            await side.sync()
            side.server.delete(side.server.roots()[-1])
            side.server.delete(first)
            await side.sync()
            await side.reconcile()
            assert side.broker.contents == side.standing()
            assert len(side.broker.contents) == 4

    asyncio.run(run())


def test_what_the_plan_of_the_workspace_hides_is_not_deleted() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            side.page = 2
            for number in range(9):
                side.server.wait(60)
                side.server.say(f"The gateway must answer request {number} in time.")
            await side.sync()
            held, roots = dict(side.broker.contents), side.server.roots()
            side.server.hidden_before = roots[3]
            side.server.delete(roots[5])
            outcome = await side.reconcile()
            assert (outcome.error, outcome.counts.removed) == ("", 1)
            assert len(side.broker.contents) == len(held) - 1

    asyncio.run(run())


def test_every_message_is_testimony_and_risky_ones_are_nothing_else() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            first = side.server.say("Exports must be resumable.")
            risky = side.server.say("Ben is incompetent.", "U1", first)
            await side.sync()
            assert {row["ts"] for row in side.told} == {first, risky}
            assert b"incompetent" not in b"".join(side.broker.contents.values())
            side.server.edit(first, "Ben is lazy.")
            await side.sync()
            assert side.broker.contents == {}

    asyncio.run(run())


def test_each_message_goes_under_its_authors_key() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            a_busy_one(side)
            await side.sync()
            sealed = {
                fact.event.key_id  # type: ignore[attr-defined]  # both records of a content
                for fact in side.broker.log
                if fact.event.type_name in ("source.revised", "source.content_part")
            }
            assert sealed == {"key_", "key_p_u1", "key_p_u2"}

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "reason", "named"),
    [
        ({"error": "missing_scope", "needed": "groups:read"}, "access_lost", "groups:read"),
        ({"error": "not_in_channel"}, "access_lost", "not_in_channel"),
        ({"error": "token_revoked"}, "access_lost", "token_revoked"),
        ({"error": "channel_not_found"}, "not_found", "channel_not_found"),
        ({"error": "fatal_error"}, "unavailable", "fatal_error"),
    ],
)  # fmt: skip
def test_a_failure_is_called_by_its_name_and_removes_nothing(
    error: dict[str, str], reason: str, named: str
) -> None:
    async def run() -> None:
        async with a_workspace() as side:
            a_busy_one(side)
            await side.sync()
            before = dict(side.broker.contents)
            side.server.broken["conversations.history"] = error
            for outcome in (await side.sync(), await side.reconcile()):
                assert outcome.reason == reason and named in outcome.error
            assert side.broker.contents == before

    asyncio.run(run())


def test_the_rate_limit_is_waited_for() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def run() -> None:
        async with a_workspace(sleep=sleep) as side:
            a_busy_one(side)
            side.server.faults = [Fault(429, {"Retry-After": "30"})]
            assert (await side.sync()).reason is None
            assert side.broker.contents == side.standing()
        assert any(29 < seconds <= 30 for seconds in waited)

    asyncio.run(run())


def test_a_message_that_cannot_be_read_is_named_and_its_neighbours_are_read() -> None:
    async def run() -> None:
        async with a_workspace() as side:
            side.page = 2
            first = a_busy_one(side)
            alone = side.server.roots()[-1]
            side.server.messages[alone]["text"] = 7
            bad = side.server.replies(first)[1]["ts"]
            side.server.messages[bad]["edited"] = "MARK"
            outcome = await side.sync()
            assert (outcome.reason, len(side.broker.contents)) == (None, 4)
            told = side.broker.places["con_slack"]["C1"].notices
            assert sorted(told) == sorted(
                [f"C1 {alone}: text is no text", f"C1 {bad}: edited is no object"]
            )
            assert b"limit must be 0 MB" in b"".join(side.broker.contents.values())
            assert b"limit must be 1 MB" not in b"".join(side.broker.contents.values())
            outcome = await side.reconcile()
            assert (outcome.reason, outcome.counts.removed) == (None, 0)

    asyncio.run(run())


def test_words_in_blocks_are_read_and_judged_like_those_of_a_text() -> None:
    def blocks(words: str) -> list[dict[str, object]]:
        said = {"type": "text", "text": words}
        return [{"type": "rich_text", "elements": [{"type": "section", "elements": [said]}]}]

    async def run() -> None:
        async with a_workspace() as side:
            side.server.say("", blocks=blocks("Exports must be resumable."))
            side.server.say("", blocks=blocks("Ben is incompetent."))
            await side.sync()
            (text,) = side.broker.contents.values()
            assert b"Exports must be resumable." in text

    asyncio.run(run())
