"""One attempt of a delivery: its signature, the rules for addresses, and each way it can end."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from infra.platform.addresses import may_be_called
from infra.platform.errors import Invalid
from infra.service.notifying.outgoing_webhooks import _check_url
from infra.service.notifying.webhook_post import draw_secret, headers_of, post, sign
from infra.store.webhook_deliveries import JITTER, PAUSES_S, Answer, pause_after
from tests.certificates import Authority
from tests.http.receiver import receiver

BODY = b'{"type":"run.ended"}'
INSIDE = ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.9", "172.16.5.5", "100.64.1.1", "fd12::1"]
NEVER = ["169.254.169.254", "fe80::1", "fe80::1%eth0", "0.0.0.0", "::", "224.0.0.1", "ff02::1"]
CARRYING = ["::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"]
CARRYING_NEVER = ["::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"]


def sent(url: str, *, may_be_private: bool = True, within_s: float = 10.0) -> Answer:
    headers = headers_of([draw_secret()], "msg_1", BODY)
    return asyncio.run(post(url, BODY, headers, may_be_private=may_be_private, within_s=within_s))


def test_the_signature_is_that_of_the_published_example():
    """Of the specification's reference libraries: secret, id, time and payload with signature."""
    signature = sign(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_while_two_secrets_are_good_a_receiver_verifies_with_either():
    new, old, other = draw_secret(), draw_secret(), draw_secret()
    headers = headers_of([new, old], "msg_1", BODY)

    for known in (new, old):
        assert Verifier(known).verify(BODY, headers) == {"type": "run.ended"}
    for body, secret, told in (
        (BODY + b" ", new, headers),
        (BODY, other, headers),
        (BODY, new, headers | {"webhook-id": "msg_2"}),
        (BODY, new, headers | {"webhook-timestamp": "1614265330"}),
    ):
        with pytest.raises(WebhookVerificationError):
            Verifier(secret).verify(body, told)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_public_addresses_are_called(address: str):
    assert may_be_called(address)


@pytest.mark.parametrize("address", [*INSIDE, *CARRYING])
def test_private_networks_need_the_word_of_an_owner_of_all_projects(address: str):
    assert not may_be_called(address)


@pytest.mark.parametrize("address", INSIDE)
def test_with_that_word_they_are_called(address: str):
    assert may_be_called(address, private=True)


@pytest.mark.parametrize("address", [*NEVER, *CARRYING_NEVER, "", "no address", "127.1"])
def test_some_addresses_are_never_called(address: str):
    assert not may_be_called(address, private=True)


@given(st.text())
def test_any_text_is_judged(text: str):
    assert may_be_called(text) in (True, False)
    try:
        _check_url(text, private=False)
    except Invalid:
        return
    assert text.lower().startswith("https://")


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://example.org/hook", "webhook_url_invalid"),
        ("ftp://example.org/hook", "webhook_url_invalid"),
        ("https://user:pass@example.org/", "webhook_url_invalid"),
        ("https:///hook", "webhook_url_invalid"),
        ("https://10.0.0.7/hook", "webhook_url_private"),
        ("https://[::ffff:10.0.0.7]/hook", "webhook_url_private"),
        ("https://169.254.169.254/latest", "webhook_url_private"),
        ("http://localhost:9092/", "webhook_url_private"),
        ("https://example.org/?token=ghp_abcdefghijklmnopqrstuvwxyz0123456789", None),
    ],
)
def test_an_address_that_may_not_be_called_is_refused_at_once(url: str, code: str | None):
    with pytest.raises(Invalid) as refused:
        _check_url(url, private=False)
    assert refused.value.code == (code or "webhook_url_holds_secret")


def test_a_name_that_leads_inside_is_judged_when_it_is_called():
    """Numbers that resolvers take for addresses, too; nothing reaches the receiver."""
    with receiver() as made:
        port = made.url.rpartition(":")[2]
        for host in ("localhost", "127.1", "2130706433", "0x7f000001"):
            answer = sent(f"https://{host}:{port}", may_be_private=False)
            assert answer.status is None
            assert "may not be called" in answer.error or "not known" in answer.error
        assert made.received == []


def test_a_certificate_is_checked_by_the_authorities_that_the_setting_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own, other = (tmp_path / name for name in ("own", "other"))
    own.mkdir()
    other.mkdir()
    authority, stranger = Authority(own), Authority(other)
    secret = draw_secret()
    headers = headers_of([secret], "msg_1", BODY)

    def send(url: str) -> Answer:
        return asyncio.run(post(url, BODY, headers, may_be_private=True))

    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with receiver(tls=authority.serve_as("localhost")) as made:
        assert send(made.url).error.endswith("(ConnectError)")
        monkeypatch.setenv("SSL_CERT_FILE", str(stranger.file))
        assert send(made.url).error.endswith("(ConnectError)")
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert send(made.url.replace("localhost", "127.0.0.1")).error.endswith("(ConnectError)")
        assert made.received == []
        assert send(made.url).status == 204
        (sent,) = made.received
    assert Verifier(secret).verify(sent.body, sent.headers) == json.loads(BODY)


def test_a_redirect_is_not_followed():
    with receiver() as end, receiver(302, location=end.url) as made:
        assert sent(made.url).status == 302
        assert len(made.received) == 1
        assert end.received == []


def test_a_receiver_that_answers_too_late_or_not_at_all_has_failed():
    with receiver() as slow:
        slow.may_answer.clear()
        answer = sent(slow.url, within_s=0.3)
        assert (answer.status, answer.error) == (None, "no answer within 0.3 s")
    with receiver(0) as closing:
        assert "no connection or no HTTP" in sent(closing.url).error
    assert "no connection or no HTTP" in sent(slow.url).error  # nobody listens any more


def test_an_answer_without_end_takes_no_more_than_its_head(flood: str):
    assert sent(flood).status == 200


@pytest.mark.parametrize(("asked", "wait_s"), [("120", 120.0), ("soon", None)])
def test_a_receiver_may_ask_for_a_pause(asked: str, wait_s: float | None):
    with receiver(503, retry_after=asked) as made:
        assert sent(made.url).wait_s == wait_s


def test_attempts_are_spread_over_three_days():
    assert 3 * 86_400 < sum(PAUSES_S) < 4 * 86_400
    for number, pause_s in enumerate(PAUSES_S, 1):
        assert pause_after(number, spread=0.0) == pause_s
        assert pause_after(number, spread=1.0) == pytest.approx(pause_s * (1 + JITTER))
    assert pause_after(1, wait_s=60.0, spread=0.0) == 60.0
    assert pause_after(1, wait_s=1e9, spread=0.0) == 3_600.0


@pytest.fixture
def flood() -> Iterator[str]:
    """The address of a receiver whose answer never ends."""
    import threading

    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n")
                while True:
                    connection.sendall(b"x" * 65_536)
            except OSError:
                return

    thread: Any = threading.Thread(target=answer, daemon=True)
    thread.start()
    with listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    thread.join(10)
    assert not thread.is_alive()
