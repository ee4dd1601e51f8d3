"""A delivery has its effect once, in whatever order and however often it comes."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from datetime import timedelta

import pytest

from connectors.connector import SourceUnavailable
from connectors.service_items import DeletedItem, Remark, ServiceItem
from infra.platform.errors import BrokerUnavailable
from schemas.events.ingestion_request import IngestionRequested
from schemas.events.source import SourceRevised
from schemas.events.testimony import MessageReceived, MessageWithdrawn
from tests.connectors.intake.worlds import Killed, Record, World, a_received
from tests.connectors.webhooks.senders import (
    NOW,
    REPOSITORY,
    a_message,
    an_issue,
    from_bitbucket,
    from_github,
    from_jira,
    from_slack,
)

COMMENT = {
    "id": 5,
    "body": "Use PostgreSQL.",
    "created_at": "2026-03-01T10:30:00Z",
    "updated_at": "2026-03-01T10:30:00Z",
    "user": {"login": "bo"},
    "issue_url": "https://api.github.com/repos/acme/shop/issues/12",
}
PULL = {
    "id": 3,
    "title": "Faster cart",
    "description": "We cache the cart.",
    "state": "OPEN",
    "created_on": "2026-03-01T10:00:00+00:00",
    "updated_on": "2026-03-01T10:00:00+00:00",
    "author": {"nickname": "ana"},
}


def run(world: World, *deliveries) -> World:
    asyncio.run(world.taken(*deliveries))
    return world


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path)


def test_an_issue_and_its_comment_are_held_as_a_sync_would_hold_them(world):
    told = {"action": "created", "issue": {"title": "The cart forgets items"}, "comment": COMMENT}
    run(world, an_issue(), from_github("issue_comment", told, "c-1"))
    assert sorted(text.splitlines()[0] for text in world.texts) == [
        "# Re: The cart forgets items",
        "# The cart forgets items",
    ]
    assert {event.trigger for event in world.events(IngestionRequested)} == {"webhook"}


def test_a_deleted_comment_is_removed_and_a_late_edit_does_not_bring_it_back(world):
    issue = {"title": "The cart forgets items"}
    late = COMMENT | {"body": "Use MySQL.", "updated_at": "2026-03-01T10:40:00Z"}
    deliveries = [
        from_github("issue_comment", {"action": action, "issue": issue, "comment": comment}, key)
        for key, action, comment in (
            ("c-1", "created", COMMENT),
            ("c-2", "deleted", late),
            ("c-3", "edited", late),
        )
    ]
    assert run(world, *deliveries).texts == []


def test_a_late_delivery_does_not_overwrite_a_newer_state(world):
    new = an_issue(body="It works since 2.0.", at="2026-03-01T11:30:00Z")
    old = an_issue(body="It breaks.", at="2026-03-01T11:00:00Z")
    (text,) = run(world, new, old).texts
    assert "It works since 2.0." in text


@pytest.mark.parametrize("polled", [True, False])
def test_a_new_title_is_left_to_the_poll_that_reads_the_comments_with_it(world, polled):
    """Without a poll the comments keep the title they were said under."""
    world.connect("github", "acme/shop", ("webhook", "token") if polled else ("webhook",))
    told = {"action": "created", "issue": {"title": "The cart forgets items"}, "comment": COMMENT}
    first, later = an_issue(), an_issue(at="2026-03-01T11:30:00Z", title="Carts are forgetful")
    run(world, first, from_github("issue_comment", told, "c-1"), later)
    title = "The cart forgets items" if polled else "Carts are forgetful"
    assert {text.splitlines()[0] for text in world.texts} == {
        "# Re: The cart forgets items",
        f"# {title}",
    }
    assert world.is_reconcilable.get("github left_to_the_next_poll", 0) == polled


def test_a_delivery_taken_again_publishes_nothing_more(world):
    run(world, an_issue())
    before = world.broker.records
    run(world, an_issue(), an_issue())
    assert world.broker.records == before


def test_a_jira_issue_is_held_and_goes_when_it_is_deleted(world):
    issue = {
        "id": "7",
        "key": "SHOP-7",
        "fields": {
            "summary": "Cart",
            "description": "The cart must keep items for 30 days.",
            "created": "2026-03-01T10:00:00.000+0000",
            "updated": "2026-03-01T10:00:00.000+0000",
            "reporter": {"name": "ana"},
        },
    }
    run(world, from_jira({"webhookEvent": "jira:issue_created", "issue": issue}))
    (text,) = world.texts
    assert "The cart must keep items for 30 days." in text
    gone = {"webhookEvent": "jira:issue_deleted", "issue": issue}
    assert run(world, from_jira(gone, NOW + timedelta(minutes=1))).texts == []


def test_what_jira_shows_to_some_people_only_is_marked_or_left_out_as_asked(world):
    issue = {"key": "SHOP-7", "fields": {"summary": "Cart"}}
    comment = {
        "id": "9",
        "body": "The cart must keep items for 30 days.",
        "created": "2026-03-01T10:00:00.000+0000",
        "updated": "2026-03-01T10:00:00.000+0000",
        "visibility": {"type": "role", "value": "Administrators"},
    }
    event = {"webhookEvent": "comment_created", "issue": issue, "comment": comment}
    run(world, from_jira(event))
    (text,) = world.texts
    assert "Restricted to: role Administrators." in text and "(restricted)" in text
    world.connect("jira", "SHOP", site="jira.example.org", restricted="leave-out")
    again = {**comment, "updated": "2026-03-01T10:01:00.000+0000"}
    event = {"webhookEvent": "comment_updated", "issue": issue, "comment": again}
    assert run(world, from_jira(event, NOW + timedelta(minutes=1))).texts == []


@pytest.mark.parametrize("bad", [None, "", "yesterday", 5])
def test_a_bitbucket_comment_of_unknown_time_is_held(world, bad):
    comment = {"id": 9, "content": {"raw": "Why not Redis?"}, "created_on": bad, "updated_on": bad}
    event = {"pullrequest": PULL, "comment": comment}
    run(world, from_bitbucket("pullrequest:comment_created", event, "1"))
    (text,) = world.texts
    assert "## unknown, time unknown" in text and "Why not Redis?" in text


def test_a_bitbucket_pull_request_its_comment_and_its_approval_are_held(world):
    comment = {
        "id": 9,
        "content": {"raw": "Why not Redis?"},
        "user": {"nickname": "bo"},
        "created_on": "2026-03-01T11:00:00+00:00",
        "updated_on": "2026-03-01T11:00:00+00:00",
    }
    approval = {"date": "2026-03-01T11:30:00+00:00", "user": {"nickname": "bo", "uuid": "{u-1}"}}
    run(
        world,
        from_bitbucket("pullrequest:created", {"pullrequest": PULL}, "1"),
        from_bitbucket(
            "pullrequest:comment_created", {"pullrequest": PULL, "comment": comment}, "2"
        ),
        from_bitbucket("pullrequest:approved", {"pullrequest": PULL, "approval": approval}, "3"),
    )
    for words in ("We cache the cart.", "Why not Redis?", "Approved."):
        assert len([text for text in world.texts if words in text]) == 1
    run(
        world,
        from_bitbucket(
            "pullrequest:comment_deleted", {"pullrequest": PULL, "comment": comment}, "4"
        ),
    )
    assert not any("Redis" in text for text in world.texts)


@pytest.mark.parametrize(
    "sent",
    [
        from_github("label", {"action": "created", "label": {"name": "bug"}}),
        from_bitbucket("repo:fork", {}),
        from_jira({"webhookEvent": "worklog_updated", "issue": {"key": "SHOP-1", "id": "1"}}),
    ],
    ids=lambda sent: sent.service,
)
def test_an_unknown_kind_is_counted_and_acknowledged(world, sent):
    run(world, sent)
    assert world.broker.log == []
    assert world.is_reconcilable == {f"{sent.service} unknown_kind": 1}


def test_what_the_project_has_not_connected_changes_nothing(world):
    other = {"repository": REPOSITORY | {"full_name": "acme/other"}, "issue": {}}
    run(world, from_github("issues", {"action": "opened"} | other))
    assert (world.broker.log, world.is_reconcilable) == ([], {"github not_connected": 1})


# --- chat -----------------------------------------------------------------------------------


def a_thread(ts: str, *words: str) -> ServiceItem:
    said = tuple(Remark(str(n), f"p_{n}", None, NOW, text) for n, text in enumerate(words))
    return ServiceItem(
        service="slack",
        root="slack/T1/C1",
        path=ts,
        source_type="chat_thread",
        title="#general",
        remarks=said,
        changed_at=NOW,
        revision_ref=str(len(words)),
    )


def test_every_message_is_testimony_and_only_project_channels_are_sources(tmp_path):
    world = World(tmp_path, {"project_channels": "C1, C2"})
    ts = "1772366400.000100"
    world.threads[ts] = a_thread(ts, "We ship on Monday.")
    run(world, a_message("We ship on Monday."), a_message("Lunch?", ts="2.2", channel="C9"))
    assert len(world.events(MessageReceived)) == 2
    assert [ref.channel_id for ref in world.asked] == ["C1"]
    (text,) = world.texts
    assert "We ship on Monday." in text


def test_testimony_is_on_the_log_before_anything_else_sees_the_message(tmp_path):
    world = World(tmp_path, {"project_channels": "C1"})
    seen = []

    def look() -> None:
        seen.append([event.risk_class for event in world.events(MessageReceived)])

    world.outage = look
    run(world, a_message("Kim turns down every pull request out of spite"))
    assert (seen, world.dead) == ([["medium"]], [])


def test_testimony_names_nobody_and_nothing_in_clear(world):
    run(world, a_message("Kim is lazy", user="UKIM", channel="CSECRET"))
    (fact,) = world.broker.log
    event = fact.event
    assert isinstance(event, MessageReceived)
    assert (event.risk_class, event.author_pseudonym[:2]) == ("medium", "p_")
    shown = repr(fact.event.model_dump(exclude={"ciphertext"})) + repr(fact)[:300]
    for word in ("Kim", "UKIM", "CSECRET", "lazy", "1772366400"):
        assert word not in shown
    assert world.keys.open(event.key_id, event.nonce + event.ciphertext) == b"Kim is lazy"
    assert event.key_id.endswith(event.author_pseudonym)


def test_each_wording_of_a_message_is_told_once_under_one_testimony(world):
    edited = {
        "user": "U1",
        "ts": "1772366400.000100",
        "text": "b",
        "edited": {"ts": "1772366500.1"},
    }
    change = from_slack(
        {
            "event_id": "Ev2",
            "event": {
                "type": "message",
                "subtype": "message_changed",
                "channel": "C1",
                "message": edited,
                "previous_message": {"text": "a"},
            },
        }
    )
    run(world, a_message("a"), change, change)
    run(world, a_message("a"))
    ids = {fact.event_id for fact in world.broker.log}
    told = world.events(MessageReceived)
    assert (len(ids), len({event.testimony_id for event in told})) == (2, 1)
    assert {event.edited for event in told} == {"", "1772366500.1"}


def test_a_deleted_message_is_withdrawn(world):
    said = {"user": "U1", "ts": "1772366400.000100", "text": "a"}
    event = {"type": "message", "subtype": "message_deleted", "channel": "C1"}
    deleted = from_slack({"event_id": "Ev3", "event": event | {"previous_message": said}})
    run(world, a_message("a"), deleted)
    (told,), (gone,) = world.events(MessageReceived), world.events(MessageWithdrawn)
    assert told.testimony_id == gone.testimony_id


def test_a_deleted_first_message_of_a_thread_is_withdrawn_and_its_replies_stay(tmp_path):
    """Slack puts a stone in its place and calls that a change."""
    world = World(tmp_path, {"project_channels": "C1"})
    ts = "1772366400.000100"
    world.threads[ts] = a_thread(ts, "We ship on Monday.", "On Tuesday.")
    said = {"user": "U1", "ts": ts, "text": "We ship on Monday.", "thread_ts": ts}
    stone = said | {"user": "USLACKBOT", "subtype": "tombstone", "text": "It was deleted."}
    change = {"type": "message", "subtype": "message_changed", "channel": "C1", "message": stone}
    run(world, a_message("We ship on Monday."))
    world.threads[ts] = replace(a_thread(ts, "On Tuesday."), changed_at=NOW + timedelta(seconds=9))
    run(world, from_slack({"event_id": "Ev4", "event": change | {"previous_message": said}}))
    (told,), (gone,) = world.events(MessageReceived), world.events(MessageWithdrawn)
    assert told.testimony_id == gone.testimony_id
    (text,) = world.texts
    assert "On Tuesday." in text
    assert "Monday" not in text


@pytest.mark.parametrize(
    "sent",
    [
        a_message("build failed", bot_id="B1", subtype="bot_message"),
        a_message("<@U1> has joined", subtype="channel_join"),
        a_message(" "),
    ],
)
def test_bots_and_notices_are_no_testimony(world, sent):
    assert run(world, sent).events(MessageReceived) == []


def test_an_erased_authors_delivery_is_acknowledged_unread(world):
    records = asyncio.run(world.received(a_message("a", user="U1")))
    world.keys.erased.add("key_prj_shop_slack:U1")
    asyncio.run(world.consumer().process(records[0]))
    assert (world.broker.log, world.is_reconcilable) == ([], {"slack erased": 1})


def test_a_thread_that_slack_does_not_give_is_left_to_the_next_poll(tmp_path):
    def away() -> None:
        raise SourceUnavailable("Slack does not answer.")

    world = World(tmp_path, {"project_channels": "C1"}, outage=away)
    run(world, a_message("We ship on Monday."))
    assert len(world.events(MessageReceived)) == 1
    assert world.is_reconcilable["slack left_to_the_next_poll"] == 1
    assert not world.dead


def test_a_thread_of_which_nothing_is_left_goes(tmp_path):
    world = World(tmp_path, {"project_channels": "C1"})
    ts = "1772366400.000100"
    world.threads[ts] = a_thread(ts, "We ship on Monday.")
    run(world, a_message("We ship on Monday."))
    world.threads[ts] = DeletedItem("slack", "slack/T1/C1", ts, NOW + timedelta(seconds=9))
    assert run(world, a_message("", subtype="message_deleted", deleted_ts=ts)).texts == []
    assert len(world.events(MessageWithdrawn)) == 1


# --- failures -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        Record(b"no fact", b"k"),
        a_received("github", "issues.opened", {"repository": REPOSITORY, "issue": 5}),
        a_received("github", "issues.opened", {"repository": REPOSITORY, "issue": {"number": 1}}),
        a_received("github", "issues.opened", [1, 2]),
        a_received("jira", "jira:issue_updated",
                   {"webhookEvent": "jira:issue_updated", "issue": {"key": "SHOP-1"}}),
        a_received("slack", "message", {"team_id": "T1", "event": "hello"}),
    ],
    ids=lambda record: str(record.value[10:14]),
)  # fmt: skip
def test_a_delivery_that_cannot_be_read_is_a_dead_letter_and_the_rest_goes_on(world, record):
    consumer = world.consumer()
    asyncio.run(consumer.process(record))
    (letter,) = world.dead
    assert letter.stage == "intake"
    run(world, an_issue())
    assert len(world.texts) == 1


def test_a_delivery_that_was_copied_under_another_key_is_taken_once(world):
    run(world, an_issue())
    [record] = asyncio.run(world.received(an_issue()))
    asyncio.run(world.consumer().process(replace(record, key=b"github|another")))
    (letter,) = world.dead
    assert (letter.error_class, letter.origin_key) == ("Misplaced", "github|another")
    assert len(world.texts) == 1


def test_a_dead_letter_says_nothing_of_what_was_delivered(world):
    issue = {"number": "secret plan", "title": "secret plan", "created_at": "secret plan"}
    payload = {"repository": REPOSITORY, "issue": issue}
    asyncio.run(world.consumer().process(a_received("github", "issues.opened", payload)))
    (letter,) = world.dead
    assert "secret" not in letter.error + letter.error_class
    assert b"secret" not in (letter.value or b"")


def test_an_outage_is_no_fault_of_the_delivery(world):
    def away() -> None:
        raise BrokerUnavailable("away")

    world.broker.before_record = away
    with pytest.raises(BrokerUnavailable):
        run(world, an_issue())
    world.broker.before_record = lambda: None
    run(world, an_issue())
    assert (len(world.texts), world.dead) == (1, [])


@pytest.mark.parametrize("records_before", range(4))
def test_a_killed_intake_is_followed_by_one_that_finishes(world, records_before):
    left = [records_before]

    def die() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    world.broker.before_record = die
    with contextlib.suppress(Killed):
        run(world, an_issue())
    world.broker.before_record = lambda: None
    run(world, an_issue())
    (text,) = world.texts
    assert "It breaks." in text
    assert len({event.raw_sha256 for event in world.events(SourceRevised)}) == 1


def test_a_service_that_answers_at_the_third_time_is_waited_for(world):
    tries = iter((True, True, False))

    def away() -> None:
        if next(tries):
            raise SourceUnavailable("git does not answer.")

    world.outage = away
    run(world, a_merge())
    assert (len(world.deltas), len(world.waits), list(world.dead)) == (1, 2, [])


# --- deltas ---------------------------------------------------------------------------------


def a_merge(**changes):
    pull = {
        "number": 4,
        "title": "Faster cart",
        "state": "closed",
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T11:00:00Z",
        "merged": True,
        "merge_commit_sha": "b" * 40,
        "base": {"ref": "main", "sha": "a" * 40},
    } | changes
    return from_github("pull_request", {"action": "closed", "pull_request": pull}, "m-1")


def a_push(ref="refs/heads/main", before="a" * 40, after="b" * 40):
    return from_github("push", {"ref": ref, "before": before, "after": after}, "p-1")


def a_bitbucket_push(branch="main", **repository):
    new = {"type": "branch", "name": branch, "target": {"hash": "b" * 40}}
    change = {"new": new, "old": {"target": {"hash": "a" * 40}}}
    named = {"full_name": "acme/shop"} | repository
    return from_bitbucket("repo:push", {"push": {"changes": [change]}, "repository": named}, "bp")


FULFILLED = from_bitbucket(
    "pullrequest:fulfilled",
    {
        "pullrequest": PULL
        | {
            "state": "MERGED",
            "merge_commit": {"hash": "b" * 12},
            "destination": {"branch": {"name": "main"}, "commit": {"hash": "a" * 12}},
        }
    },
    "bf",
)


@pytest.mark.parametrize(
    ("sent", "cause", "ends"),
    [
        (a_merge(), "#4", ("a" * 40, "b" * 40)),
        (a_push(), "@push", ("a" * 40, "b" * 40)),
        (a_push(before="0" * 40), "@push", ("", "b" * 40)),
        (a_bitbucket_push(), "@push", ("a" * 40, "b" * 40)),
        (a_bitbucket_push("trunk", mainbranch={"name": "trunk"}), "@push", ("a" * 40, "b" * 40)),
        (FULFILLED, "#3", ("a" * 12, "b" * 12)),
    ],
)
def test_what_changes_the_default_branch_is_a_delta(world, sent, cause, ends):
    (delta,) = run(world, sent).deltas
    assert (delta.cause, (delta.before, delta.after)) == (cause, ends)


@pytest.mark.parametrize(
    "sent",
    [
        a_merge(merged=False),
        a_merge(base={"ref": "stable", "sha": "a" * 40}),
        a_push(ref="refs/heads/feature"),
        a_push(ref="refs/tags/main"),
        a_push(after="0" * 40),
        a_push(after="--upload-pack=evil"),
        a_bitbucket_push("feature"),
        a_bitbucket_push("main", mainbranch={"name": "trunk"}),
    ],
)
def test_what_leaves_the_default_branch_as_it_is_is_none(world, sent):
    assert run(world, sent).deltas == []


def test_the_same_change_told_twice_is_one_trigger(world):
    again = replace(a_push(), headers=a_push().headers | {"X-GitHub-Delivery": "p-2"})
    first, second = run(world, a_push(), again).deltas
    assert first.trigger_key == second.trigger_key
