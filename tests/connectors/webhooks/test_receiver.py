"""Only a genuine delivery changes anything, and it is on the log before it is answered."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from connectors.webhooks.payload import MAX_BODY_BYTES
from infra.platform.errors import DatabaseUnavailable, VaultUnconfigured
from schemas.events.connector_item import ItemReceived
from tests.connectors.webhooks.doors import Door, a_door
from tests.connectors.webhooks.senders import (
    NOW,
    Sent,
    a_message,
    an_issue,
    from_bitbucket,
    from_github,
    from_jira,
    from_slack,
    mac,
)

ISSUE = {"id": "10001", "key": "SHOP-7"}
GENUINE = [
    (an_issue(), "issues.edited", "acme/shop/issues/12"),
    (from_github("push", {"ref": "refs/heads/main"}), "push", "acme/shop/refs/refs/heads/main"),
    (from_jira({"webhookEvent": "jira:issue_updated", "issue": ISSUE}), "jira:issue_updated",
     "SHOP-7"),
    (from_bitbucket("pullrequest:fulfilled", {"pullrequest": {"id": 3}}), "pullrequest:fulfilled",
     "acme/shop/pullrequests/3"),
    (a_message("We ship on Monday."), "message", "T1/C1/1772366400.000100"),
    (a_message("Or not.", thread_ts="1772366000.000001"), "message", "T1/C1/1772366000.000001"),
]  # fmt: skip


def sent_to_a_door(folder: Path, *deliveries: Sent) -> tuple[Door, list[int]]:
    async def run() -> tuple[Door, list[int]]:
        async with a_door(folder) as door:
            return door, [(await door.send(each))[0] for each in deliveries]

    return asyncio.run(run())


def resigned(sent: Sent, body: bytes) -> Sent:
    """The same delivery with another body, signed by who knows the secret."""
    name = next(name for name in sent.headers if name.startswith("X-Hub"))
    return replace(sent, body=body, headers=sent.headers | {name: f"sha256={mac(body)}"})


@pytest.mark.parametrize(("sent", "kind", "ref"), GENUINE, ids=lambda value: str(value)[:40])
def test_a_genuine_delivery_is_on_the_log_sealed(tmp_path, sent, kind, ref):
    door, statuses = sent_to_a_door(tmp_path, sent)
    (fact,) = door.log
    assert statuses == [202]
    assert isinstance(fact.event, ItemReceived)
    assert (fact.event.kind, fact.event.external_ref) == (kind, ref)
    assert fact.event.body == b"sealed:" + sent.body[::-1]
    assert fact.project_id == "prj_shop"
    assert door.is_reconcilable["received"] == {f"{sent.service} received": 1}


def test_a_chat_message_is_sealed_for_its_author_and_others_for_the_project(tmp_path):
    changed = {"user": "U2", "ts": "1.1", "text": "b"}
    door, _ = sent_to_a_door(
        tmp_path,
        a_message("a"),
        a_message("", subtype="message_changed", message=changed, user="U9"),
        an_issue(),
    )
    assert door.sealed_for == ["slack:U1", "slack:U2", ""]


@pytest.mark.parametrize(
    ("header", "value", "reason"),
    [
        ("X-Hub-Signature-256", "sha256=" + "0" * 64, "forged"),
        ("X-Hub-Signature-256", "", "unsigned"),
        ("X-Hub-Signature-256", mac(an_issue().body), "forged"),
        ("X-Hub-Signature-256", "sha256=" + mac(an_issue().body, b"another"), "forged"),
        ("X-Hub-Signature-256", "sha1=" + mac(an_issue().body), "forged"),
        ("X-GitHub-Delivery", "", "malformed"),
        ("X-GitHub-Event", "x" * 300, "malformed"),
        ("Content-Encoding", "gzip", "malformed"),
    ],
)
def test_a_delivery_with_a_wrong_header_changes_nothing(tmp_path, header, value, reason):
    sent = an_issue()
    if header == "Content-Encoding":
        sent = resigned(sent, gzip.compress(sent.body))
    door, (status,) = sent_to_a_door(
        tmp_path, replace(sent, headers=sent.headers | {header: value})
    )
    assert status == (400 if reason == "malformed" else 401)
    assert (door.log, door.sealed_for) == ([], [])
    assert door.is_reconcilable["refused"] == {f"github {reason}": 1}


def test_a_body_changed_on_the_way_is_forged(tmp_path):
    sent = an_issue()
    door, (status,) = sent_to_a_door(tmp_path, replace(sent, body=sent.body + b" "))
    assert (status, door.log) == (401, [])


def test_a_stranger_cannot_tell_a_wrong_secret_from_an_unknown_project(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            forged = await door.send(from_github("issues", {}, secret=b"another"))
            unknown = await door.send(replace(an_issue(), project="prj_elsewhere"))
            assert forged == unknown
            assert forged[0] == 401

    asyncio.run(run())


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_slack_delivery_of_another_time_is_stale(tmp_path, minutes):
    body = {"event_id": "Ev1", "event": {"type": "message", "channel": "C1", "ts": "1.1"}}
    old, near = (from_slack(body, NOW + timedelta(minutes=each)) for each in (minutes, minutes / 2))
    door, statuses = sent_to_a_door(tmp_path, old, near)
    assert statuses == [401, 202]
    assert door.is_reconcilable["refused"] == {"slack stale": 1}


def test_a_slack_time_that_was_not_signed_is_forged(tmp_path):
    sent = from_slack({"event_id": "Ev1"}, NOW - timedelta(hours=1))
    fresh = {"X-Slack-Request-Timestamp": str(int(NOW.timestamp()))}
    door, _ = sent_to_a_door(tmp_path, replace(sent, headers=sent.headers | fresh))
    assert door.is_reconcilable["refused"] == {"slack forged": 1}


def test_a_jira_body_of_the_day_before_yesterday_is_stale(tmp_path):
    event = {"webhookEvent": "jira:issue_updated", "issue": ISSUE}
    door, statuses = sent_to_a_door(tmp_path, from_jira(event, NOW - timedelta(days=2)))
    assert (statuses, door.log) == ([401], [])


def test_a_delivery_sent_again_is_taken_once_and_said_to_be_taken(tmp_path):
    retried = replace(
        a_message("once"), headers=a_message("once").headers | {"X-Slack-Retry-Num": "1"}
    )
    door, statuses = sent_to_a_door(tmp_path, a_message("once"), retried, an_issue(), an_issue())
    assert statuses == [202] * 4
    assert len(door.log) == 2


def test_two_projects_with_one_secret_are_each_told_of_the_same_change(tmp_path):
    other = replace(an_issue(), project="prj_depot")
    other.headers["X-GitHub-Delivery"] = "d-other"
    door, statuses = sent_to_a_door(tmp_path, an_issue(), other)
    assert statuses == [202, 202]
    assert [fact.project_id for fact in door.log] == ["prj_shop", "prj_depot"]


def test_a_body_replayed_under_another_id_is_refused(tmp_path):
    again = replace(an_issue(), headers=an_issue().headers | {"X-GitHub-Delivery": "d-other"})
    door, statuses = sent_to_a_door(tmp_path, an_issue(), again)
    assert statuses == [202, 409]
    assert len(door.log) == 1
    assert door.is_reconcilable["refused"] == {"github replayed": 1}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b'{"a": NaN}',
        b"\xff\xfe{}",
        b'{"a": "\\ud800"}',
        b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}",
        b'{"a": ' + b"[" * 200_000 + b"}",
        b'{"a": ' + b"9" * 10_000 + b"}",
        json.dumps({"action": ["opened"]}).encode(),
        json.dumps({"action": "opened", "repository": {"full_name": "x\u0000y"}}).encode(),
    ],
    ids=lambda body: repr(body[:30]),
)
def test_a_malformed_body_is_refused_even_when_its_signature_holds(tmp_path, body):
    door, (status,) = sent_to_a_door(tmp_path, resigned(an_issue(), body))
    assert (status, door.log, door.sealed_for) == (400, [], [])


def test_an_oversized_body_is_refused_with_or_without_its_length(tmp_path):
    async def in_pieces():
        for _ in range(MAX_BODY_BYTES // 1_000_000 + 2):
            yield b"x" * 1_000_000

    async def run() -> None:
        async with a_door(tmp_path) as door:
            whole = io.BytesIO(b"x" * (MAX_BODY_BYTES + 1))
            assert (await door.send(an_issue(), data=whole))[0] == 413
            assert (await door.send(an_issue(), data=in_pieces()))[0] == 413
        assert door.log == []
        assert door.is_reconcilable["refused"] == {"github oversized": 2}

    asyncio.run(run())


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path):
    async def never():
        yield b"{"
        await asyncio.Event().wait()

    async def run() -> None:
        async with a_door(tmp_path, body_within_s=0.05) as door:
            assert (await door.send(an_issue(), data=never()))[0] == 408

    asyncio.run(run())


def test_more_at_once_than_the_receiver_can_hold_are_asked_to_come_again(tmp_path):
    async def run() -> None:
        held, let_go = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            held.set()
            await let_go.wait()

        async with a_door(tmp_path, at_once=1) as door:
            door.wait = wait
            first = asyncio.create_task(door.send(an_issue(1)))
            await held.wait()
            assert (await door.send(an_issue(2)))[0] == 503
            let_go.set()
            assert (await first)[0] == 202

    asyncio.run(run())


def test_a_form_of_github_is_read_as_its_json(tmp_path):
    from urllib.parse import urlencode

    sent = an_issue()
    form = resigned(sent, urlencode({"payload": sent.body.decode()}).encode())
    form.headers["Content-Type"] = "application/x-www-form-urlencoded"
    door, (status,) = sent_to_a_door(tmp_path, form)
    (fact,) = door.log
    assert status == 202
    assert isinstance(fact.event, ItemReceived)
    assert fact.event.body == b"sealed:" + sent.body[::-1]


def test_slacks_challenge_is_answered_to_who_knows_the_secret_only(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            asked = from_slack({"type": "url_verification", "challenge": "3eZb"})
            assert await door.send(asked) == (200, {"challenge": "3eZb"})
            forged = replace(asked, body=asked.body.replace(b"3eZb", b"4eZb"))
            assert (await door.send(forged))[0] == 401
        assert door.log == []

    asyncio.run(run())


@pytest.mark.parametrize(
    "sent",
    [
        from_github("ping", {"zen": "Keep it simple."}),
        from_bitbucket("diagnostics:ping", {}),
        from_slack({"event_id": "Ev1", "event": {"type": "reaction_added"}}),
        from_slack({"type": "app_rate_limited"}),
    ],
)
def test_what_holds_nothing_for_us_is_answered_and_not_kept(tmp_path, sent):
    door, (status,) = sent_to_a_door(tmp_path, sent)
    assert (status, door.log, door.sealed_for) == (202, [], [])


def test_a_broker_that_is_away_makes_the_sender_try_again_and_nothing_is_lost(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            door.broker_away = True
            assert (await door.send(an_issue()))[0] == 503
            door.broker_away = False
            assert (await door.send(an_issue()))[0] == 202
        assert len(door.log) == 1
        assert door.is_reconcilable["refused"] == {"github broker_away": 1}

    asyncio.run(run())


def test_while_the_log_cannot_be_opened_senders_are_asked_to_come_again(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            door.close()
            status, answer = await door.send(an_issue())
            assert (status, answer["code"]) == (503, "broker_away")

    asyncio.run(run())


def test_a_broker_that_acknowledges_late_has_the_delivery_once(tmp_path):
    async def run() -> None:
        let_go = asyncio.Event()
        async with a_door(tmp_path, patience_s=0.5) as door:
            door.wait = let_go.wait  # type: ignore[assignment]
            assert (await door.send(an_issue()))[0] == 503
            again = asyncio.create_task(door.send(an_issue()))
            let_go.set()
            assert (await again)[0] == 202
            assert (await door.send(an_issue()))[0] == 202
        assert len(door.log) == 1

    asyncio.run(run())


def test_the_same_delivery_at_the_same_time_is_one(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            answers = await asyncio.gather(*(door.send(an_issue()) for _ in range(5)))
            assert {status for status, _ in answers} == {202}
        assert len({fact.event_id for fact in door.log}) == 1

    asyncio.run(run())


def test_a_delivery_whose_sending_failed_late_is_sent_again(tmp_path):
    async def run() -> None:
        let_go = asyncio.Event()
        async with a_door(tmp_path, patience_s=0.5) as door:
            door.wait, door.broker_away = let_go.wait, True  # type: ignore[assignment]
            assert (await door.send(an_issue()))[0] == 503
            let_go.set()
            assert (await door.send(an_issue()))[0] == 503
            door.broker_away = False
            assert (await door.send(an_issue()))[0] == 202
        assert len(door.log) == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    "error", [DatabaseUnavailable("away"), VaultUnconfigured("no key")], ids=lambda e: str(e)
)
def test_without_a_key_nothing_is_kept(tmp_path, error):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            door.key_error = error
            assert (await door.send(a_message("secret words")))[0] == 503
        assert door.log == []

    asyncio.run(run())


def test_a_fault_nobody_foresaw_ends_the_process_and_keeps_the_senders_retrying(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            door.key_error = RuntimeError("a producer that gave up")
            assert door.server
            ended = asyncio.create_task(door.server.until_broken())
            assert (await door.send(an_issue()))[0] == 503
            with pytest.raises(RuntimeError):
                await ended

    asyncio.run(run())


def test_no_word_of_a_delivery_is_in_any_log_answer_or_counter(tmp_path, caplog, capsys):
    private = "Kim turns everything down"
    door, _ = sent_to_a_door(
        tmp_path,
        a_message(private),
        replace(a_message(private), headers={}),
        replace(an_issue(), body=private.encode()),
        resigned(an_issue(), f'{{"{private}": '.encode()),
    )
    told = capsys.readouterr()
    shown = caplog.text + told.out + told.err + json.dumps(door.is_reconcilable)
    assert "Kim" not in shown
    assert "acme" not in shown


def test_counts_outlive_the_process(tmp_path):
    sent_to_a_door(tmp_path, an_issue())
    door, _ = sent_to_a_door(tmp_path, an_issue())
    assert door.is_reconcilable["received"] == {"github received": 2}
