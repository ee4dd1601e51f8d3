"""How frames travel: heartbeats, writes of a bounded size, and clients that do not read."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.http.connections import Connections, protocol_with
from infra.http.sse import EventStream, parse_event_id
from infra.platform.errors import Refusal
from infra.service.reading.live_streams import (
    NOTHING,
    PAGE_FRAMES,
    WINDOW_BYTES,
    WINDOW_FRAMES,
    WRITE_BYTES,
    Batch,
    Window,
)
from projections.read.streams import Frame

PATIENCE_S = 30


def frame(seq: int, size: int = 1) -> Frame:
    data = '{"more":"' + "x" * size + '"}'
    return Frame(stream_id="run_1", seq=seq, name="progress", data=data, is_last=False)


async def once(*batches: Batch) -> AsyncGenerator[Batch, None]:
    for batch in batches:
        yield batch


def seqs(batch: Batch | None) -> list[int] | None:
    return None if batch is None else [each.seq for each in batch.frames]


async def is_allowed() -> bool:
    return True


async def body_of(stream: EventStream) -> bytes:
    sent: list[bytes] = []

    async def send(message: dict[str, bytes]) -> None:
        sent.append(message.get("body", b""))

    async def receive() -> dict[str, str]:
        await asyncio.Event().wait()
        return {}

    await stream({"type": "http", "path": "/"}, receive, send)  # type: ignore[arg-type]
    return b"".join(sent)


def test_a_heartbeat_is_a_comment_and_an_event_and_has_no_id():
    quiet = EventStream(once(NOTHING, NOTHING), "ab", is_allowed, heartbeat_s=0)
    assert asyncio.run(body_of(quiet)) == (
        b"retry: 3000\n\n" + b": hb\n\nevent: hb\ndata: {}\n\n" * 2
    )
    busy = EventStream(once(Batch([frame(1)]), NOTHING), "ab", is_allowed)
    told = b'id: ab-1\nevent: progress\ndata: {"more":"x"}\n\n'
    assert asyncio.run(body_of(busy)) == b"retry: 3000\n\n" + told


def test_a_stream_that_is_not_allowed_any_more_ends(monkeypatch: pytest.MonkeyPatch):
    async def is_refused() -> bool:
        return False

    monkeypatch.setattr("infra.http.sse.CHECKED_S", 0)
    assert (
        asyncio.run(body_of(EventStream(once(Batch([frame(1)])), "ab", is_refused)))
        == b"retry: 3000\n\n"
    )


def test_frames_are_written_whole_and_in_bounded_writes():
    frames = [frame(seq, 10_000) for seq in range(20)] + [frame(20, 3 * WRITE_BYTES), frame(21)]
    writes = Batch(frames).render("ab")
    assert b"".join(writes) == b"".join(b"id: ab" + each.wire for each in frames)
    assert all(each.startswith(b"id: ab-") and each.endswith(b"\n\n") for each in writes)
    assert [len(each) > WRITE_BYTES for each in writes].count(True) == 1
    assert len(writes) == 6


@pytest.mark.parametrize("text", ["yesterday", "1", "ab-", "-1", "AB-1", "ab-1-2", "ab-1" * 99])
def test_an_id_that_is_none_is_told_from_one_that_is_unknown(text: str):
    assert parse_event_id(" ab12-7 ") == ("ab12", 7)
    with pytest.raises(Refusal) as refused:
        parse_event_id(text)
    assert refused.value.code == "event_id_invalid"


def test_a_window_holds_the_newest_frames_and_says_when_it_does_not_reach_back():
    window = Window(4)
    assert seqs(window.behind(3)) is None and seqs(window.behind(4)) == []
    window.add([frame(seq) for seq in (4, 7, 9)])  # the fourth is no news
    window.add([frame(seq) for seq in (7, 9, 10)])  # nor are those that came before
    assert seqs(window.behind(4)) == [7, 9, 10]
    assert seqs(window.behind(8)) == [9, 10]
    window.add([frame(seq) for seq in range(11, 11 + WINDOW_FRAMES)])
    assert window.behind(9) is None
    assert seqs(window.behind(10)) == list(range(11, 11 + PAGE_FRAMES))


def test_a_window_is_bounded_by_the_size_of_its_frames_too():
    window = Window(0)
    window.add([frame(seq, WINDOW_BYTES // 3) for seq in range(1, 9)])
    assert seqs(window.behind(window.after)) == [7, 8]
    window.add([frame(9, 2 * WINDOW_BYTES)])
    assert seqs(window.behind(8)) == [9]


@contextmanager
def serving(app: ASGIApp) -> Iterator[tuple[str, int]]:
    """The address of a server with our protocol, in a thread."""
    listening = socket.create_server(("127.0.0.1", 0))
    protocol = protocol_with(Connections())
    config = uvicorn.Config(app, http=protocol, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield listening.getsockname()
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        listening.close()


def test_a_client_that_does_not_read_loses_its_socket_and_what_is_on_its_way(
    caplog: pytest.LogCaptureFixture,
):
    ended = threading.Event()

    async def without_end() -> AsyncGenerator[Batch, None]:
        seq = 0
        while True:
            yield Batch([frame(seq, 30_000)])
            seq += 1

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await EventStream(without_end(), "ab", is_allowed, stalled_s=0.2)(scope, receive, send)
        ended.set()

    with serving(app) as address, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.settimeout(PATIENCE_S)
        client.connect(address)
        client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert ended.wait(PATIENCE_S)
        with pytest.raises(ConnectionResetError):
            while client.recv(65_536):
                pass
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
