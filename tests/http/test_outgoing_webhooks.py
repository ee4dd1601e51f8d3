"""A project's news reaches its webhooks, signed, however often something is killed in between."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from infra.platform import postgres
from infra.runtime.local.process import wait_until
from infra.store.webhook_deliveries import PAUSES_S
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser
from tests.http.receiver import Received, Receiver, receiver

pytestmark = [pytest.mark.broker]


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


@pytest.fixture
def place(called: Called) -> str:
    return f"/v1/projects/{called.other}/webhooks"


def add(client: httpx.Client, place: str, url: str, *events: str) -> dict[str, Any]:
    body = {"url": url, "events": list(events), "allow_private": True}
    made = client.post(place, json=body)
    assert made.status_code == 201, made.text
    assert made.headers["cache-control"] == "no-store"
    answer: dict[str, Any] = made.json()["webhook"] | {"secret": made.json()["secret"]}
    return answer


def send_test(client: httpx.Client, place: str, known: dict[str, Any]) -> str:
    """The id of the delivery."""
    sent = client.post(f"{place}/{known['webhook_id']}/test")
    assert sent.status_code == 202, sent.text
    return str(sent.json()["delivery_id"])


def deliveries(client: httpx.Client, place: str, known: dict[str, Any]) -> list[dict[str, Any]]:
    answer = client.get(f"{place}/{known['webhook_id']}/deliveries")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def eventually(found: Callable[[], Any]) -> None:
    """``found`` answers with something that is true."""
    assert wait_until(lambda: bool(found()), timeout_s=PATIENCE_S)


def change_rows(called: Called, statement: str, *values: object) -> int:
    settings = called.cairn.settings_now()
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        return connection.execute(statement.encode(), values).rowcount


def of_type(name: str) -> Callable[[list[Received]], list[Received]]:
    return lambda received: [each for each in received if json.loads(each.body)["type"] == name]


def test_news_of_an_ingest_is_verified_by_an_independent_library_and_outlives_a_lost_queue(
    called: Called, owner: httpx.Client, hook: Receiver, tmp_path: Path
):
    project = called.cairn.run("project", "create", "Told", "--idempotency-key", "told").strip()
    place = f"/v1/projects/{project}/webhooks"
    known = add(owner, place, hook.url)
    for name, says in (("one.md", "session cookies"), ("two.md", "JWT tokens")):
        (tmp_path / name).write_text(f"# Sign-in\n\nAuth uses {says}.\n")

    called.cairn.ingest(tmp_path, "Told", "told")

    for event in ("run.ended", "prd.changed", "contradiction.opened", "decision.waiting"):
        hook.wait_for(of_type(event))
    verifier = Verifier(known["secret"])
    for each in list(hook.received):
        told = verifier.verify(each.body, each.headers)
        assert told["data"]["project_id"] == project
        assert b"cookies" not in each.body
        assert owner.get(told["data"]["path"]).status_code == 200
        with pytest.raises(WebhookVerificationError):
            verifier.verify(each.body.replace(b"prj_", b"prx_"), each.headers)

    eventually(
        lambda: {each["status"] for each in deliveries(owner, place, known)} == {"delivered"}
    )
    sent = deliveries(owner, place, known)
    outcomes = "DELETE FROM webhook_outcomes WHERE delivery_id = %s"
    eventually(lambda: change_rows(called, outcomes, sent[0]["delivery_id"]))
    change_rows(called, "DELETE FROM webhook_deliveries WHERE project_id = %s", project)
    before = len(hook.received)
    change_rows(called, "DELETE FROM webhook_messages_seen")
    again = hook.wait_for(lambda received: received[before:])
    assert [each.message_id for each in again] == [sent[0]["message_id"]]


def test_an_attempt_that_is_killed_is_made_again_and_a_slow_receiver_holds_up_nobody(
    called: Called, owner: httpx.Client, place: str, hook: Receiver
):
    with receiver() as slow:
        slow.may_answer.clear()
        waits, fast = add(owner, place, slow.url), add(owner, place, hook.url)
        send_test(owner, place, waits)
        slow.wait_for(len)
        send_test(owner, place, fast)
        hook.wait_for(len)
        assert deliveries(owner, place, waits)[0]["status"] == "waiting"

        killed = called.cairn.kill("jobs")
        assert killed
        slow.may_answer.set()
        first, second, *_ = slow.wait_for(lambda received: received[1:] and received)

    assert (first.message_id, first.body) == (second.message_id, second.body)
    assert deliveries(owner, place, waits)[0]["event_type"] == "webhook.test"
    eventually(lambda: deliveries(owner, place, waits)[0]["status"] == "delivered")


def test_what_fails_is_tried_again_and_a_webhook_that_takes_nothing_is_disabled(
    called: Called, owner: httpx.Client, place: str
):
    due = "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE delivery_id = %s"
    due += " AND status = 'waiting' AND attempt_count = %s"
    with receiver(500, 302, 0, 204, 503) as made:
        known = add(owner, place, made.url)
        sent = send_test(owner, place, known)
        for count in (1, 2, 3):
            eventually(partial(change_rows, called, due, sent, count))
        eventually(lambda: deliveries(owner, place, known)[0]["status"] == "delivered")
        (told,) = deliveries(owner, place, known)
        assert [each["status"] for each in told["attempts"]] == [500, 302, None, 204]
        assert len({each.message_id for each in made.received}) == 1

        replayed = owner.post(f"{place}/{known['webhook_id']}/deliveries/{sent}/replay")
        assert (replayed.status_code, replayed.json()["round"]) == (202, 2)
        made.wait_for(lambda received: len(received) == 5)
        again = owner.post(f"{place}/{known['webhook_id']}/deliveries/{sent}/replay")
        assert (again.status_code, again.json()["code"]) == (409, "delivery_waits")

        change_rows(
            called,
            "UPDATE webhook_deliveries SET attempt_count = %s, next_attempt_at = now()"
            " WHERE delivery_id = %s",
            *(len(PAUSES_S), sent),
        )
        one = f"{place}/{known['webhook_id']}"
        eventually(lambda: owner.get(one).json()["disabled_reason"] == "failing")
        assert f"The webhook {known['webhook_id']}" in called.cairn.run("status")
        refused = owner.post(f"{one}/test")
        assert (refused.status_code, refused.json()["code"]) == (409, "webhook_not_active")
        made.statuses[:] = [410]
        assert owner.patch(one, json={"is_active": True}).json()["disabled_reason"] is None
        send_test(owner, place, known)
        eventually(lambda: owner.get(one).json()["disabled_reason"] == "gone")
        assert owner.delete(one).status_code == 204
        assert owner.get(one).status_code == 404


def test_secrets_are_shown_once_and_two_sign_after_a_rotation(
    called: Called, owner: httpx.Client, place: str, hook: Receiver
):
    key = {"idempotency-key": "hook-once"}
    body = {"url": hook.url, "allow_private": True}
    made, repeated = (owner.post(place, json=body, headers=key).json() for _ in range(2))
    assert made == repeated
    known = made["webhook"]
    one = f"{place}/{known['webhook_id']}"
    rotated = owner.post(f"{one}/rotate-secret").json()
    assert rotated["secret"] != made["secret"]

    send_test(owner, place, known)
    (sent,) = hook.wait_for(list)
    for secret in (made["secret"], rotated["secret"]):
        assert Verifier(secret).verify(sent.body, sent.headers)["type"] == "webhook.test"
    for path in (place, one, f"{one}/deliveries"):
        assert "whsec_" not in owner.get(path).text
    kept = "SELECT FROM webhooks w WHERE w::text LIKE '%%' || %s || '%%'"
    assert change_rows(called, kept, made["secret"]) == 0


def test_an_owner_of_one_project_reaches_its_webhooks_alone_and_no_private_network(
    called: Called, owner: httpx.Client, place: str, hook: Receiver
):
    known = add(owner, place, hook.url)
    elsewhere = f"/v1/projects/{called.project}/webhooks"
    for path in (f"{elsewhere}/{known['webhook_id']}", f"{elsewhere}/whk_1/deliveries"):
        assert owner.get(path).status_code == 404
    with called.client(called.make_token("owner", called.other)) as local:
        refused = local.post(place, json={"url": "https://10.0.0.1/", "allow_private": True})
        assert (refused.status_code, refused.json()["code"]) == (403, "address_not_allowed")
        changed = {"url": "http://127.0.0.1:1/"}
        moved = local.patch(f"{place}/{known['webhook_id']}", json=changed)
        assert (moved.status_code, moved.json()["code"]) == (422, "webhook_url_private")
        named = local.post(place, json={"url": "https://127.1:1/hook"})
        send_test(local, place, named.json()["webhook"])
        eventually(lambda: deliveries(local, place, named.json()["webhook"])[0]["attempts"])
        (told,) = deliveries(local, place, named.json()["webhook"])
        assert "may not be called" in told["attempts"][0]["error"]
    with called.client(called.make_token("pm", called.other)) as pm:
        assert pm.get(place).status_code == 403


def test_the_console_sets_a_webhook_up_and_shows_what_was_sent(
    called: Called, owner: httpx.Client, hook: Receiver
):
    home = f"{CONSOLE}/projects/{called.other}/webhooks"
    with Browser(called) as browser:
        added = browser.send(
            home, f"{home}/add", url=hook.url, allow_private="on", **{"run.ended": "on"}
        )
        (secret,) = re.findall(r"whsec_[\w+/=]+", added.text)
        (one,) = re.findall(rf"{home}/whk_\w+", added.text)[:1]
        assert "The test message is sent" in browser.send(one, f"{one}/test").text
        (sent,) = hook.wait_for(list)
        assert Verifier(secret).verify(sent.body, sent.headers)["type"] == "webhook.test"
        eventually(lambda: "delivered" in browser.open(one).text)
        assert secret not in browser.open(one).written
        refused = browser.send(home, f"{home}/add", url="http://example.org/hook")
        assert refused.status_code == 422
        assert "without encryption" in refused.text


def test_the_command_line_does_the_same(called: Called, hook: Receiver):
    run = called.cairn.run
    added = run("webhooks", "add", hook.url, "--project", "Other", "--allow-private").split()
    webhook_id, secret = added[-2:]
    sent = run("webhooks", "test", webhook_id, "--project", "Other").strip()
    (message,) = hook.wait_for(list)
    assert Verifier(secret).verify(message.body, message.headers)["type"] == "webhook.test"
    listed = called.cairn.json("webhooks", "deliveries", webhook_id, "--project", "Other")
    assert [each["delivery_id"] for each in listed] == [sent]
    run("webhooks", "remove", webhook_id, "--project", "Other")
    left = called.cairn.json("webhooks", "list", "--project", "Other")
    assert webhook_id not in {each["webhook_id"] for each in left}
