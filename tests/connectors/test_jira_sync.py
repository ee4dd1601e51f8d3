"""A project at Jira is held as it stands there, over real HTTP, Cloud and Data Center."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from connectors.transport import AccessLost
from tests.connectors.jira_side import JiraSide, a_site
from tests.connectors.stand_ins.server import Fault

FLAVOURS = pytest.mark.parametrize("flavour", ["cloud", "data-center"])


def a_busy_one(side: JiraSide) -> str:
    """Issues of one moment, many comments, files."""
    at = side.server
    for number in range(7):
        at.open_issue(f"Export {number}", "The export *must* be resumable.")
    first = at.open_issue("Sessions", "h2. Why\nWe will keep sessions in Redis.")
    for number in range(8):
        at.comment(first, f"The timeout must be {number} minutes.")
    at.attach(first, "notes.md", b"We chose Redis.")
    at.attach(first, "screen.png", b"\x89PNG")
    at.wait(60)
    return first


@FLAVOURS
@pytest.mark.parametrize("page", [2, 3, 50])
def test_everything_of_a_project_is_held_as_it_stands(flavour: str, page: int) -> None:
    async def run() -> None:
        async with a_site(flavour) as side:
            side.page = page
            a_busy_one(side)
            assert (await side.sync()).reason is None
            assert side.broker.contents == side.standing()
            assert len(side.broker.contents) == 8 + 8 + 1

    asyncio.run(run())


@FLAVOURS
def test_a_second_sync_publishes_nothing_and_a_later_one_only_what_changed(flavour: str) -> None:
    async def run() -> None:
        async with a_site(flavour) as side:
            first = a_busy_one(side)
            await side.sync()
            assert (await side.sync()).counts.published == 0
            side.server.wait(4_000)
            side.server.comment(first, "We won't support Redis 5.")
            again = await side.sync()
            assert (again.counts.published, side.broker.contents) == (1, side.standing())

    asyncio.run(run())


def test_a_search_index_that_is_late_loses_nothing() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.server.index_late = timedelta(seconds=90)
            side.server.open_issue("Seen late", "The export must be resumable.")
            side.server.wait(100)
            side.server.open_issue("Seen later", "The import must be resumable.")
            await side.sync()
            side.server.edit(next(iter(side.server.issues)), description="It is resumable.")
            side.server.wait(100)
            await side.sync()
            assert side.broker.contents == side.standing()

    asyncio.run(run())


def test_what_is_deleted_goes_with_the_census_and_nothing_else() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.page = 3
            first = a_busy_one(side)
            await side.sync()
            side.server.delete_comment(first, side.server._comments(first)[1]["id"])
            side.server.delete_issue(next(iter(side.server.issues)))
            assert (await side.reconcile()).counts.removed == 2
            await side.sync()
            assert side.broker.contents == side.standing()

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["sync", "census"])
def test_a_lost_permission_is_told_as_such_and_removes_nothing(kind: str) -> None:
    async def run() -> None:
        async with a_site() as side:
            a_busy_one(side)
            await side.sync()
            before = dict(side.broker.contents)
            side.server.may_browse = False
            outcome = await (side.sync() if kind == "sync" else side.reconcile())
            assert outcome.reason == "access_lost" and "SHOP" in outcome.error
            assert side.broker.contents == before

    asyncio.run(run())


def test_faults_in_between_are_waited_out() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def run() -> None:
        async with a_site(sleep=sleep) as side:
            a_busy_one(side)
            side.server.faults = [
                Fault(429, {"Retry-After": "7"}),
                Fault(502),
                Fault(0, drop=True),
            ]
            assert (await side.sync()).reason is None
            assert side.broker.contents == side.standing()
        assert any(seconds > 6 for seconds in waited)

    asyncio.run(run())


def notices_of(side: JiraSide) -> list[str]:
    return side.broker.places["con_jira"]["issues"].notices


def test_no_word_of_an_issue_that_cannot_be_read_is_told() -> None:
    async def run() -> None:
        async with a_site() as side:
            key = side.server.open_issue("MARK", "MARK")
            side.server.issues[key]["fields"]["description"] = ["MARK"]
            outcome = await side.sync()
            assert (outcome.reason, outcome.counts.refused) == (None, 1)
            assert notices_of(side) == [f"{key}: a body is neither text nor document"]
            assert "MARK" not in str([fact.event for fact in side.broker.log])

    asyncio.run(run())


@FLAVOURS
def test_one_bad_record_is_named_and_in_no_others_way(flavour: str) -> None:
    async def run() -> None:
        async with a_site(flavour) as side:
            side.page = 2
            first = a_busy_one(side)
            bad = side.server.comment(first, "This one is lost.")
            side.server._comments(first)[-1]["body"] = 7
            side.server.issues["SHOP-2"]["fields"]["summary"] = ["none"]
            for _ in range(2):
                outcome = await side.sync()
                assert outcome.reason is None
            assert len(side.broker.contents) == 7 + 8 + 1
            assert set(notices_of(side)) == {
                "SHOP-2: summary is no text",
                f"{first}/comments/{bad}: a body is neither text nor document",
            }
            outcome = await side.reconcile()
            assert (outcome.reason, outcome.counts.removed) == (None, 0)
            assert len(side.broker.contents) == 7 + 8 + 1

    asyncio.run(run())


def test_a_record_that_became_readable_is_no_longer_named() -> None:
    async def run() -> None:
        async with a_site() as side:
            key = side.server.open_issue("Exports", "")
            side.server.edit(key, description=3)
            await side.sync()
            assert notices_of(side) == [f"{key}: a body is neither text nor document"]
            side.server.wait(60)
            side.server.edit(key, description="Exports must be resumable.")
            await side.sync()
            assert notices_of(side) == []

    asyncio.run(run())


@pytest.mark.parametrize("bad", [None, "", "yesterday", 5])
@pytest.mark.parametrize("name", ["created", "updated"])
def test_a_text_is_read_though_its_time_is_unknown(name: str, bad: object) -> None:
    async def run() -> None:
        async with a_site() as side:
            key = side.server.open_issue("Exports", "Exports must be resumable.")
            number = side.server.comment(key, "The limit must be 9 MB.")
            side.server.issues[key]["fields"][name] = bad
            side.server._comments(key)[0][name] = bad
            outcome = await side.sync()
            assert (outcome.reason, outcome.counts.refused) == (None, 0)
            assert len(side.broker.contents) == 2
            reason = f"{name} is {'missing' if bad in (None, '') else 'no time'}"
            assert notices_of(side) == [f"{key}: {reason}", f"{key}/comments/{number}: {reason}"]

    asyncio.run(run())


def test_fields_of_the_site_are_read_by_name_and_go_when_they_are_emptied() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.server.fields = {
                "customfield_10031": "Acceptance Criteria",
                "customfield_7": "Rank",
            }
            key = side.server.open_issue("Exports", "Exports.")
            plain = side.server.open_issue("Imports", "Imports.")
            side.server.edit(key, customfield_10031="Exports must be resumable.")
            side.server.edit(plain, customfield_7="0|i0001:")
            assert (await side.sync()).reason is None
            path = f"{key}/fields/customfield_10031"
            assert set(side.broker.by_path) == {key, plain, path}
            text = side.broker.by_path[path].decode()
            assert f"# {key}: Exports (Acceptance Criteria)\n" in text
            assert "### Acceptance Criteria\n\nExports must be resumable.\n" in text
            assert (await side.reconcile()).counts.removed == 0
            side.server.edit(key, customfield_10031=None)
            await side.sync()
            assert (await side.reconcile()).counts.removed == 1
            assert set(side.broker.by_path) == {key, plain}

    asyncio.run(run())


def test_a_site_that_does_not_tell_its_fields_is_read_without_them_and_says_so() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.server.fields = None
            side.server.open_issue("Exports", "Exports must be resumable.")
            outcome = await side.sync()
            assert (outcome.reason, len(side.broker.contents)) == (None, 1)
            assert notices_of(side) == [
                "fields: Jira does not tell which fields the site has added"
            ]

    asyncio.run(run())


def a_restricted_one(side: JiraSide) -> tuple[str, str]:
    open_one = side.server.open_issue("Exports", "Exports must be resumable.")
    side.server.comment(open_one, "Everybody may read this.")
    for fields in (
        {"visibility": {"type": "role", "value": "Administrators"}},
        {"jsdPublic": False},
    ):
        side.server.comment(open_one, "Only some may read this.")
        side.server._comments(open_one)[-1].update(fields)
    secret = side.server.open_issue("Prices", "Prices must rise.")
    side.server.edit(secret, security={"id": "1", "name": "Confidential"})
    return open_one, secret


def test_what_only_some_may_read_at_the_site_is_marked() -> None:
    async def run() -> None:
        async with a_site() as side:
            open_one, secret = a_restricted_one(side)
            await side.sync()
            texts = [text.decode() for text in side.broker.contents.values()]
            assert sum("(restricted)" in text for text in texts) == 2
            assert any("Restricted to: role Administrators." in text for text in texts)
            held = side.broker.by_path[secret].decode()
            assert "Restricted to: Confidential." in held and "(reporter, restricted)" in held
            assert "restricted" not in side.broker.by_path[open_one].decode()

    asyncio.run(run())


def test_what_only_some_may_read_is_left_out_by_name_where_that_is_asked_for() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.reads_restricted = False
            open_one, secret = a_restricted_one(side)
            outcome = await side.sync()
            assert (outcome.reason, outcome.counts.refused) == (None, 3)
            assert len(side.broker.contents) == 2
            assert any(secret in notice for notice in notices_of(side))
            assert (await side.reconcile()).counts.refused == 0
            assert set(side.broker.by_path) >= {open_one} and len(side.broker.contents) == 2
            side.server.wait(600)
            side.server.edit(open_one, security={"name": "Confidential"})
            await side.sync()
            assert open_one not in side.broker.by_path

    asyncio.run(run())


def test_an_unknown_credential_is_access_lost() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.server.faults = [Fault(401)]
            with pytest.raises(AccessLost):
                await side.stream.jira.check()

    asyncio.run(run())
