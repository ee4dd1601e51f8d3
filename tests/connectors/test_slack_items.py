"""Slack's messages become threads without names, notices or what must not be read."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.payloads import UnreadablePayload
from connectors.rendering import render
from connectors.slack.items import ThreadRef, message_of, thread_item, thread_of_event
from connectors.slack.mrkdwn import markdown
from connectors.slack.people import People
from tests.connectors.slack_side import CHANNEL, pseudonym

NOW = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
MEMBERS: list[dict[str, Any]] = [
    {"id": "U1", "name": "kim.l", "real_name": "Kim Larsen", "profile": {"display_name": "Kim"}},
    {"id": "U2", "name": "will", "profile": {"real_name": "Will Okafor", "first_name": "Will"}},
    {"id": "U9", "name": "deploys", "is_bot": True, "profile": {"real_name": "Deploy Bot"}},
]
ROOT = {"type": "message", "user": "U1", "text": "Do we need a queue?", "ts": "1793614445.000100"}
REPLY = {"user": "U2", "text": "Yes.", "ts": "1793618045.000200", "thread_ts": ROOT["ts"]}


PEOPLE = People(MEMBERS, pseudonym)


def a_thread(*payloads: dict[str, Any], refused: str = "") -> Any:
    messages = [message for it in payloads if (message := message_of(it))]
    return thread_item(
        CHANNEL,
        messages,
        PEOPLE,
        as_of=NOW,
        admits=lambda words: not refused or refused not in words,
    )


def test_a_thread_is_one_item_without_names():
    item = a_thread(ROOT, REPLY)
    assert (item.root, item.path) == ("slack/T1/C1", ROOT["ts"])
    assert render(item).decode() == (
        "# #shop, 2026-11-02\n"
        "\n## [PERSON:p_u1], 2026-11-02T10:14:05Z\n\nDo we need a queue?\n"
        "\n## [PERSON:p_u2], 2026-11-02T11:14:05Z\n\nYes.\n"
    )


def test_the_order_of_the_messages_and_repeats_change_nothing():
    for order in itertools.permutations([ROOT, REPLY, REPLY]):
        assert a_thread(*order) == a_thread(ROOT, REPLY)


def test_an_edit_is_a_new_revision_that_tells_its_time():
    edited = {**REPLY, "text": "No.", "edited": {"user": "U2", "ts": "1793618100.000000"}}
    item = a_thread(ROOT, edited)
    assert item.revision_ref != a_thread(ROOT, REPLY).revision_ref
    assert b"edited 2026-11-02T11:15:00Z" in render(item)


def test_what_must_not_be_read_is_left_out_and_an_emptied_thread_is_none():
    assert [it.body for it in a_thread(ROOT, REPLY, refused="queue").remarks] == ["Yes."]
    assert a_thread(ROOT, refused="queue") is None


@pytest.mark.parametrize("subtype", ["channel_join", "channel_topic", "bot_add", "tombstone"])
def test_notices_of_the_service_are_nobodys_words(subtype: str):
    assert message_of({**ROOT, "subtype": subtype}) is None


def test_bots_are_told_apart_and_do_not_make_a_thread_alone():
    told = {"subtype": "bot_message", "bot_id": "B1", "text": "built", "ts": "1793614446.000100"}
    assert a_thread(told) is None
    assert a_thread({**ROOT, "user": "U9"}) is None
    assert a_thread({**ROOT, "user": "USLACKBOT", "subtype": "slackbot_response"}) is None
    both = a_thread(ROOT, {**told, "thread_ts": ROOT["ts"]})
    assert [it.role for it in both.remarks] == [None, "bot"]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("<@U1>: use *one* queue", "@[PERSON:p_u1]: use **one** queue"),
        ("<https://a.example|the docs> &amp; <https://b.example>",
         "[the docs](https://a.example) & <https://b.example>"),
        ("<#C2|ops> <!here> <!subteam^S1|@leads>", "#ops @here @leads"),
        ("call <tel:123|123> or <mailto:a@b.example|a@b.example>", "call 123 or a@b.example"),
        ("like ```x &lt; <https://a.example>\ny``` so",
         "like\n```\nx < https://a.example\ny\n```\n so"),
        ("&gt; old words\nmine :tada:", "> old words\nmine"),
        ("so:\n&gt;&gt;&gt; one\n\ntwo <@U1>", "so:\n> one\n>\n> two @[PERSON:p_u1]"),
        ("a &gt;&gt;&gt; b", "a >>> b"),
        ("• one\n• two", "- one\n- two"),
        ("ratio 3:4:5 and `*raw*` ~no~", "ratio 3:4:5 and `*raw*` ~~no~~"),
    ],
)  # fmt: skip
def test_message_markup_as_markdown(said: str, read: str):
    assert markdown(said, PEOPLE.speak) == read


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Kim Larsen decided", "[PERSON:p_u1] decided"),
        ("ask Kim, or @kim.l", "ask [PERSON:p_u1], or [PERSON:p_u1]"),
        ("Will this work? I asked Will.", "Will this work? I asked [PERSON:p_u2]."),
        ("this will do", "this will do"),
        ("<https://x.example/files/U1/F1/a.js>", "<https://x.example/files/[PERSON:p_u1]/F1/a.js>"),
        ("kimberlite and https://x.example/kim.l/a", "kimberlite and https://x.example/kim.l/a"),
    ],
)
def test_names_of_members_become_pseudonyms(said: str, read: str):
    assert PEOPLE.without_names(said) == read


def test_an_event_names_its_thread_whatever_happened_to_it():
    ref = ThreadRef("T1", "C1", ROOT["ts"])
    for inner in (
        REPLY,
        {"subtype": "message_changed", "message": REPLY, "previous_message": REPLY},
        {"subtype": "message_deleted", "previous_message": REPLY, "deleted_ts": REPLY["ts"]},
        {"subtype": "message_deleted", "deleted_ts": ROOT["ts"]},
    ):
        event = {"type": "message", "channel": "C1", **inner}
        assert thread_of_event({"team_id": "T1", "event": event}) == ref
    assert thread_of_event({"team_id": "T1", "event": {"type": "reaction_added"}}) is None


@pytest.mark.parametrize("ts", ["", "yesterday", "1.x", None, "99999999999999.1"])
def test_a_stamp_that_is_none_is_refused(ts: object):
    with pytest.raises(UnreadablePayload):
        message_of({**ROOT, "ts": ts})
