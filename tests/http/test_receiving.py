"""Bodies that come slowly, never, in heaps, or cost more to read than to send: on a real server."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.http.bodies import MOST_VALUES, check_body, read_json
from infra.http.connections import Connections
from infra.http.problems import Correlate, Malformed, respond
from infra.http.rates import LEAST_OPEN, LimitOpen
from infra.http.receiving import Limits, Linger, ReceiveBodies, Receptions
from infra.http.serve import options_of
from infra.platform.errors import Invalid
from infra.runtime.local.process import wait_until
from infra.store.tokens import Caller

MIB = 1024 * 1024
MOST = 2 * MIB
QUICK = Limits(
    within_s=0.5, per_s_bytes=64 * 1024, bodies_of_client=4, client_bytes=3 * MIB, all_bytes=5 * MIB
)
PATIENCE_S = 20


@dataclass
class Served:
    """A server that takes JSON of 2 MiB and says how many values its list has; `/wait` answers
    when ``go`` is set. Who calls is in the header `as`.
    """

    receptions: Receptions = field(default_factory=lambda: Receptions(QUICK))
    go: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0
    port: int = 0
    loop: asyncio.AbstractEventLoop | None = None

    def app(self) -> ASGIApp:
        async def take(request: Request) -> Response:
            try:
                await check_body(request, MOST)
                return JSONResponse(len(await request.json()))
            except (Invalid, Malformed) as error:
                return respond(request, error)

        async def wait(request: Request) -> Response:
            self.waiting += 1
            while not self.go.is_set():
                await asyncio.sleep(0.01)
            return JSONResponse("done")

        routes = [Route("/", take, methods=["GET", "POST"]), Route("/wait", wait)]
        stack: list[Any] = [
            Middleware(Linger),
            Middleware(Correlate),
            Middleware(_Known),
            Middleware(LimitOpen, per_s=1),
            Middleware(ReceiveBodies, receptions=self.receptions),
        ]
        return Starlette(routes=routes, middleware=stack)

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def send(self, *lines: str, body: bytes = b"") -> bytes:
        """The whole answer."""
        reader, writer = await self.open()
        writer.write(head(*lines) + body)
        try:
            return await asyncio.wait_for(reader.read(), PATIENCE_S)
        finally:
            writer.close()

    def post(self, body: bytes, *lines: str) -> tuple[int, Any]:
        length = f"Content-Length: {len(body)}"
        answer = asyncio.run(self.send("POST / HTTP/1.1", length, *lines, body=body))
        return status_of(answer), json.loads(answer.partition(b"\r\n\r\n")[2])


class _Known:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (name := dict(scope["headers"]).get(b"as")):
            caller = Caller(name.decode(), name.decode(), "viewer", None)
            scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)


JSON = "Content-Type: application/json"


def head(*lines: str) -> bytes:
    return "\r\n".join((*lines, JSON, "Host: localhost", "Connection: close", "", "")).encode()


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


def code_of(answer: bytes) -> str:
    return str(json.loads(answer.partition(b"\r\n\r\n")[2])["code"])


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    config = uvicorn.Config(served.app(), port=0, loop="none", **options_of(Connections()))
    server = uvicorn.Server(config)

    async def run() -> None:
        served.loop = asyncio.get_running_loop()
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert wait_until(lambda: server.started, timeout_s=PATIENCE_S)
    served.port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        served.go.set()
        server.should_exit = True
        thread.join(PATIENCE_S)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(Served()) as served:
        yield served


def test_a_body_is_taken_and_read_once(server: Served):
    assert server.post(b"[1,2,3]") == (200, 3)
    assert server.post(json.dumps(["é" * 200_000]).encode()) == (200, 1)
    assert not server.receptions.held_bytes


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 3", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 0"),
        ("Content-Length: 3", "Content-Length: 4"),
        ("Content-Length: 3, 4",),
        ("Content-Length: +3",),
        ("Content-Length: -1",),
        ("Content-Length: 0x3",),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding : chunked", "Content-Length: 3"),
        ("Content-Length: 99999999999999999999999",),
    ],
)
def test_a_body_whose_end_is_not_certain_is_refused_and_the_connection_closed(
    server: Served, lines: tuple[str, ...]
):
    """What follows could be taken for another request, by a proxy or by us."""
    smuggled = b"0\r\n\r\nGET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = asyncio.run(server.send("POST / HTTP/1.1", *lines, body=smuggled))
    assert status_of(answer) == 400
    assert answer.count(b"HTTP/1.1 ") == 1
    assert server.waiting == 0


@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        (("Content-Length: 100",), []),
        (("Content-Length: 100",), [b"["]),
        (("Content-Length: 1000000",), [b"[" + b" " * 100_000]),
        (("Transfer-Encoding: chunked",), []),
        (("Transfer-Encoding: chunked",), [b"5\r\n[1,2"]),
        (("Transfer-Encoding: chunked",), [b"1\r\n[\r\n"]),
    ],
)
def test_a_body_that_does_not_come_is_given_up(
    server: Served, lines: tuple[str, ...], parts: list[bytes]
):
    sent = b"".join(parts)
    answer = asyncio.run(server.send("POST / HTTP/1.1", *lines, body=sent))
    assert (status_of(answer), code_of(answer)) == (408, "body_too_slow")
    assert b"connection: close" in answer.lower()
    assert not server.receptions.held_bytes
    assert not server.receptions.unfinished


def test_a_body_that_trickles_is_given_up_though_something_always_comes(server: Served):
    async def trickle() -> bytes:
        reader, writer = await server.open()
        writer.write(head("POST / HTTP/1.1", "Transfer-Encoding: chunked"))
        answer = asyncio.ensure_future(reader.read())
        while not answer.done():
            writer.write(b"1\r\n \r\n")
            await asyncio.wait((answer,), timeout=0.05)
        writer.close()
        return answer.result()

    assert status_of(asyncio.run(asyncio.wait_for(trickle(), PATIENCE_S))) == 408


def test_a_body_that_is_too_long_is_refused_before_it_comes_or_as_soon_as_it_is(server: Served):
    declared = ("POST / HTTP/1.1", f"Content-Length: {10 * MIB}")
    answer = asyncio.run(server.send(*declared))
    assert (status_of(answer), code_of(answer)) == (413, "body_too_large")
    chunk = b"%x\r\n" % MIB + b" " * MIB + b"\r\n"
    endless = ("POST / HTTP/1.1", "Transfer-Encoding: chunked")
    answer = asyncio.run(server.send(*endless, body=chunk * 3))
    assert (status_of(answer), code_of(answer)) == (413, "body_too_large")


def test_a_packed_body_is_not_unpacked(server: Served):
    status, problem = server.post(b"\x1f\x8b" + b"\0" * 1_000, "Content-Encoding: gzip")
    assert (status, problem["code"]) == (400, "encoding_not_allowed")


def test_one_client_holds_few_bodies_open_and_others_go_on(server: Served):
    async def flood() -> list[bytes]:
        lines = ("POST / HTTP/1.1", "Content-Length: 9")
        asked = [server.send(*lines, "as: one", body=b"[") for _ in range(12)]
        first = [asyncio.ensure_future(each) for each in asked]
        other = await server.send("POST / HTTP/1.1", "Content-Length: 2", "as: two", body=b"[]")
        return [other, *await asyncio.gather(*first)]

    other, *answers = asyncio.run(flood())
    assert status_of(other) == 200
    codes = sorted(code_of(each) for each in answers)
    assert codes == ["body_too_slow"] * 4 + ["too_many_bodies"] * 8


def test_one_client_and_all_together_send_so_many_bytes_at_once(server: Served):
    held = server.receptions
    held.hold("one", 2 * MIB)
    held.hold("two", 2 * MIB)
    try:
        body = b"[" + b" " * (MIB + MIB // 2) + b"]"
        assert server.post(body, "as: one")[1]["code"] == "too_many_bytes"
        assert server.post(body, "as: three")[1]["code"] == "busy"
        assert server.post(b"[]", "as: three") == (200, 0)
    finally:
        held.release("one", 2 * MIB)
        held.release("two", 2 * MIB)


def test_one_client_has_few_requests_unanswered_and_others_go_on(server: Served):
    async def flood() -> list[int]:
        lines = ("GET /wait HTTP/1.1", "as: one")
        asked = [asyncio.ensure_future(server.send(*lines)) for _ in range(30)]
        while server.waiting < LEAST_OPEN or sum(each.done() for each in asked) < 14:
            await asyncio.sleep(0.01)
        refused = [status_of(each.result()) for each in asked if each.done()]
        other = await server.send("POST / HTTP/1.1", "Content-Length: 2", "as: two", body=b"[]")
        server.go.set()
        await asyncio.gather(*asked)
        return [status_of(other), *refused]

    other, *refused = asyncio.run(asyncio.wait_for(flood(), PATIENCE_S))
    assert (other, set(refused), len(refused)) == (200, {429}, 30 - LEAST_OPEN)


def test_who_goes_away_leaves_no_traceback(server: Served, caplog: pytest.LogCaptureFixture):
    async def leave(sent: bytes) -> None:
        _, writer = await server.open()
        writer.write(sent)
        await writer.drain()
        writer.transport.abort()

    begun = head("POST / HTTP/1.1", "Content-Length: 100")
    with caplog.at_level(logging.INFO):
        for sent in (begun, begun + b"[1", head("GET /wait HTTP/1.1"), head("GET / HTTP/1.1")):
            asyncio.run(leave(sent))
        assert server.post(b"[]") == (200, 0)
        assert wait_until(lambda: not server.receptions.unfinished, timeout_s=PATIENCE_S)
    assert not [each for each in caplog.records if each.exc_info or each.levelno >= logging.ERROR]


EXPENSIVE: dict[str, Callable[[int], bytes]] = {
    "lists": lambda n: b"[" + b"[]," * (n // 3) + b"[]]",
    "objects": lambda n: b"[" + b"{}," * (n // 3) + b"{}]",
    "names": lambda n: json.dumps({f"k{i}": 0 for i in range(n // 12)}).encode(),
    "numbers": lambda n: b"[" + b"1," * (n // 2) + b"1]",
    "texts": lambda n: b"[" + b'"",' * (n // 3) + b'""]',
    "depth": lambda n: b"[" * n,
    "objects in depth": lambda n: b'{"a":' * (n // 5),
    "closing": lambda n: b"]" * n,
    "quotes": lambda n: b'"' * n,
    "backslashes": lambda n: b"\\" * n,
    "a digit": lambda n: b"[" + b"1" * n + b"]",
    "an exponent": lambda n: b"[1e" + b"9" * n + b"]",
    "blanks": lambda n: b" " * n,
    "escapes": lambda n: b'["' + b"\\n" * (n // 2) + b'"',
    "utf-16": lambda n: "[".encode("utf-16") + "[],".encode("utf-16-le") * (n // 6),
    "bom": lambda n: b"\xef\xbb\xbf[" + b"[]," * (n // 3) + b"[]]",
}


@pytest.mark.parametrize("kind", EXPENSIVE)
def test_what_costs_more_than_it_is_long_is_refused_before_it_is_made(kind: str):
    body = EXPENSIVE[kind](8 * MIB)
    with pytest.raises((Invalid, Malformed)):
        read_json(body)


def test_long_texts_are_no_many_values_whatever_they_say():
    text = 'a, b: [c] {d} "e" \\ f\n' * 20_000
    documents = [{"path": f"{number}.md", "text": text} for number in range(10)]
    assert read_json(json.dumps(documents).encode()) == documents
    whole = list(range(MOST_VALUES - 1))
    assert read_json(json.dumps(whole).encode()) == whole


@pytest.mark.parametrize("shift", range(4))
def test_a_text_ends_where_it_ends_also_at_the_border_of_a_window(shift: int):
    for inner in ('\\"', "\\\\", '\\\\\\"', "x"):
        text = " " * (64 * 1024 - 4 + shift) + json.loads(f'"{inner}"') + "," * 50_000
        assert read_json(json.dumps([text]).encode()) == [text]
