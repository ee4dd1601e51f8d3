"""Who is slow, or comes in great numbers, keeps nobody from delivering."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import pytest

from connectors.webhooks.payload import MAX_BODY_BYTES
from infra.http.connections import network_of
from tests.connectors.webhooks.doors import Door, a_door
from tests.connectors.webhooks.senders import Sent, an_issue

PATIENCE_S = 60  # how long a test waits for what must happen; nothing is measured by it
NEVER_S = 3600.0
HEAD = "POST /v1/webhooks/github/prj_shop HTTP/1.1\r\nHost: hooks\r\n"
HALF_A_HEAD = HEAD.encode()
HALF_A_BODY = f"{HEAD}Content-Length: 100000\r\n\r\n{{".encode()
SLOW = {"silent": b"", "half a head": HALF_A_HEAD, "half a body": HALF_A_BODY}


class Client:
    """One connection of a stranger who decides what to send and whether to read."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, sent: bytes) -> None:
        self.writer.write(sent)

    async def answer(self) -> bytes:
        """All that comes until the server closes the connection."""
        async with asyncio.timeout(PATIENCE_S):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""


@asynccontextmanager
async def a_client(door: Door, address: str = "127.0.0.1") -> AsyncIterator[Client]:
    host, port = door.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(address, 0))
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()


async def slow_clients(stack: AsyncExitStack, door: Door, count: int, hosts: int) -> list[Client]:
    """Connections from so many addresses that have sent too little, of each kind alike."""
    kinds = list(SLOW.values())
    clients = []
    for number in range(count):
        address = f"127.0.1.{1 + number % hosts}"
        client = await stack.enter_async_context(a_client(door, address))
        client.send(kinds[number % len(kinds)])
        clients.append(client)
    return clients


def as_bytes(sent: Sent) -> bytes:
    headers = {"Host": "hooks", "Content-Length": str(len(sent.body))} | sent.headers
    lines = [f"POST /v1/webhooks/{sent.service}/{sent.project} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + sent.body


def test_deliveries_go_through_while_five_hundred_slow_clients_hang(tmp_path):
    async def run() -> None:
        patient = {"headers_within_s": NEVER_S, "body_within_s": NEVER_S}
        async with a_door(tmp_path, **patient) as door, AsyncExitStack() as stack:
            slow = await slow_clients(stack, door, 500, hosts=10)
            statuses = [(await door.send(an_issue(number)))[0] for number in range(100)]
            assert statuses == [202] * 100
            assert not any(client.reader.at_eof() for client in slow)

    asyncio.run(run())


def test_deliveries_go_through_beside_slow_clients_of_the_same_address(tmp_path):
    """As behind a proxy, which is one address: the oldest that is not done gives way."""

    async def run() -> None:
        options = {"headers_within_s": NEVER_S, "body_within_s": NEVER_S, "per_address": 10}
        async with a_door(tmp_path, **options) as door, AsyncExitStack() as stack:
            slow = await slow_clients(stack, door, 30, hosts=1)
            waiting = [client for n, client in enumerate(slow) if n % len(SLOW) < 2]
            for client in waiting[:10]:
                assert await client.answer() == b""
            host = "127.0.1.1"
            for number in range(20):
                async with a_client(door, host) as client:
                    client.send(as_bytes(an_issue(number)))
                    assert (await client.answer()).startswith(b"HTTP/1.1 202")

    asyncio.run(run())


def test_where_all_places_are_taken_one_more_is_asked_to_come_again(tmp_path):
    async def run() -> None:
        held, let_go = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            held.set()
            await let_go.wait()

        async with a_door(tmp_path, at_once=1) as door, a_client(door) as first:
            door.wait = wait
            first.send(as_bytes(an_issue(1)))
            await held.wait()
            async with a_client(door) as second:
                second.send(as_bytes(an_issue(2)))
                refused = await second.answer()
                assert refused.startswith(b"HTTP/1.1 503")
                assert b"retry-after: 30" in refused
            let_go.set()
            assert (await first.answer()).startswith(b"HTTP/1.1 202")
        assert door.is_reconcilable["refused"] == {"github busy": 1}

    asyncio.run(run())


def test_clients_that_connect_in_one_moment_are_all_heard(tmp_path):
    """More than may wait: none of them has had the time to ask."""

    async def run() -> None:
        options = {"per_address": 10, "spared_s": NEVER_S}
        async with a_door(tmp_path, **options) as door, AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(a_client(door)) for _ in range(50)]
            for client in clients:
                client.send(b"GET /health HTTP/1.1\r\nHost: hooks\r\n\r\n")
            for client in clients:
                assert (await client.reader.readline()).startswith(b"HTTP/1.1 ")

    asyncio.run(run())


def test_a_connection_is_kept_for_the_next_request_but_not_for_ever(tmp_path):
    asked = b"GET /health HTTP/1.1\r\nHost: hooks\r\n\r\n"

    async def run() -> None:
        async with a_door(tmp_path, next_within_s=0.2) as door, a_client(door) as client:
            client.send(asked)
            assert (await client.reader.readline()).startswith(b"HTTP/1.1 200")
            client.send(asked + HALF_A_HEAD)
            assert (await client.answer()).count(b"HTTP/1.1 200") == 1
        assert door.is_reconcilable["refused"] == {}

    asyncio.run(run())


@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW.keys())
def test_a_connection_that_sends_too_little_is_closed(tmp_path, sent):
    async def run() -> None:
        limits = {"headers_within_s": 0.05, "body_within_s": 0.05}
        async with a_door(tmp_path, **limits) as door, a_client(door) as client:
            client.send(sent)
            assert not (await client.answer()).startswith(b"HTTP/1.1 2")

    asyncio.run(run())


def test_a_header_a_byte_at_a_time_does_not_hold_a_connection(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path, headers_within_s=0.1) as door, a_client(door) as client:
            client.send(HALF_A_HEAD)
            closed = asyncio.create_task(client.answer())
            while not closed.done():  # a byte whenever the server has not closed meanwhile
                client.send(b"x")
                await asyncio.wait([closed], timeout=0.01)
            assert await closed == b""
        assert door.is_reconcilable["refused"] == {"connection slow": 1}

    asyncio.run(run())


def test_a_client_that_sends_on_and_reads_nothing_does_not_hold_a_connection(tmp_path):
    """Requests one after the other: the first is answered, and nothing more is read or kept."""

    async def run() -> None:
        async with a_door(tmp_path) as door, a_client(door) as client:
            for number in range(2_000):
                client.send(as_bytes(an_issue(number)))
            answers = await client.answer()
            assert answers.count(b"HTTP/1.1 ") <= 1
        assert len(door.log) == 1

    asyncio.run(run())


def test_a_connection_is_closed_after_a_delivery_and_after_what_is_no_request(tmp_path):
    async def run() -> None:
        async with a_door(tmp_path) as door:
            for asked in (as_bytes(an_issue()), b"\x16\3"):
                async with a_client(door) as client:
                    client.send(asked)
                    if asked == b"\x16\3":
                        client.writer.write_eof()
                    await client.answer()

    asyncio.run(run())


def test_the_working_places_are_for_deliveries_that_are_whole(tmp_path):
    async def run() -> None:
        options = {"body_within_s": NEVER_S, "at_once": 1}
        async with a_door(tmp_path, **options) as door, AsyncExitStack() as stack:
            for _ in range(10):
                client = await stack.enter_async_context(a_client(door))
                client.send(HALF_A_BODY)
            assert (await door.send(an_issue()))[0] == 202

    asyncio.run(run())


def test_bodies_under_way_have_a_limit_in_sum_and_the_largest_gives_way(tmp_path):
    head = f"{HEAD}Content-Length: {MAX_BODY_BYTES}\r\n\r\n".encode()
    size = 100_000

    async def run() -> None:
        options = {"bodies_bytes": 10 * size, "body_within_s": NEVER_S}
        async with a_door(tmp_path, **options) as door, AsyncExitStack() as stack:
            clients = []
            for number in range(11):
                client = await stack.enter_async_context(a_client(door, f"127.0.1.{number + 1}"))
                client.send(head + b"x" * (size + number))
                clients.append(client)
            ended = [asyncio.create_task(client.answer()) for client in clients]
            done, waiting = await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
            assert (await door.send(an_issue()))[0] == 202
            assert len(waiting) >= 9
            for task in waiting:
                task.cancel()
        assert door.is_reconcilable["refused"]["github busy"] >= 1

    asyncio.run(run())


def test_bytes_that_are_no_request_leave_no_word_in_a_log(tmp_path, caplog):
    async def run() -> None:
        async with a_door(tmp_path) as door, a_client(door) as client:
            client.send(b"POST /private-words HTTP/9.9.9\r\nprivate words: \x01\r\n\r\n")
            assert (await client.answer()).startswith(b"HTTP/1.")

    asyncio.run(run())
    assert "private" not in caplog.text


def test_a_delivery_in_small_pieces_is_taken(tmp_path):
    sent = as_bytes(replace(an_issue()))

    async def run() -> None:
        async with a_door(tmp_path) as door, a_client(door) as client:
            for piece in re.findall(rb"(?s).{1,7}", sent):
                client.send(piece)
                await client.writer.drain()
            assert (await client.answer()).startswith(b"HTTP/1.1 202")

    asyncio.run(run())


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("/run/a.socket", "/run/a.socket"),
    ],
)
def test_an_address_of_ipv6_counts_by_its_network(host, network):
    assert network_of(host) == network
