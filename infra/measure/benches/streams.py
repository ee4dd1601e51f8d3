"""How many clients one server tells live, while some of them do not read.

A database and a server of their own; the clients are a third process, over plain sockets, and check
each frame's place. The producer commits frames at a fixed rate, as the projector does, first with
nobody listening and then with everybody.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from infra.measure.benches import say
from infra.measure.benches.reads import AT, PROJECT, RUN, copy, database
from infra.measure.benches.server import Serve, Served, serving
from infra.platform import postgres
from infra.platform.errors import Refusal
from infra.runtime.local.process import wait_until

CLIENTS, STALLED, JOINING = 500, 50, 1_000
RATE, SECONDS, EACH_S = 200, 20, 0.02  # frames a second, for how long, and how often some come
JOINING_RATE = 50
FRAME_BYTES = 400
GONE_WITHIN_S, PATIENCE_S = 60, 180
MIB = 1024 * 1024
SEQ = re.compile(rb"^id: [0-9a-f]+-(\d+)$", re.M)
FRAMES = """
    INSERT INTO stream_frames (event_id, project_id, stream_id, seq, name, data, is_last)
    SELECT gen_random_uuid(), %s, %s, seq, 'progress', %s, seq = %s
    FROM generate_series(%s::bigint, %s) AS seq
"""


@dataclass(slots=True)
class Heard:
    """What one client has got: its first and last frame, and how many were not the next one."""

    first: int = -1
    last: int = -1
    wrong: int = 0

    def note(self, lines: bytes) -> None:
        for seq in map(int, SEQ.findall(lines)):
            self.wrong += self.last >= 0 and seq != self.last + 1
            self.first = seq if self.first < 0 else self.first
            self.last = seq


@dataclass(frozen=True, slots=True)
class Server:
    address: tuple[str, int]
    token: str
    process: psutil.Process

    @classmethod
    def of(cls, served: Served) -> Server:
        url = urlsplit(served.url)
        address = (str(url.hostname), int(url.port or 0))
        return cls(address, served.token, psutil.Process(served.pid))

    def sockets(self) -> int:
        """How many clients have a socket here."""
        port = self.address[1]
        return sum(
            each.laddr.port == port and each.status != psutil.CONN_LISTEN
            for each in self.process.net_connections("tcp")
        )

    def rss_mib(self) -> float:
        return round(self.process.memory_info().rss / MIB, 1)


@dataclass(slots=True)
class Producer:
    """Commits frames of one stream at a steady rate."""

    conninfo: str
    stream_id: str
    rate: int
    placed: int = 0

    def produce(self, count: int, last: int = -1) -> float:
        """Frames a second that were reached for ``count`` frames; ``last`` ends the stream."""
        step = max(1, round(self.rate * EACH_S))
        began = time.monotonic()
        with postgres.connect(self.conninfo, autocommit=True) as connection:
            for number, start in enumerate(range(self.placed, self.placed + count, step), 1):
                end = min(start + step, self.placed + count) - 1
                data = '{"more":"' + "x" * FRAME_BYTES + '"}'
                connection.execute(FRAMES, (PROJECT, self.stream_id, data, last, start, end))
                time.sleep(max(0.0, began + number * step / self.rate - time.monotonic()))
        self.placed += count
        return round(count / (time.monotonic() - began), 1)


def streams(migrations: Path, serve: Serve) -> dict[str, Any]:
    """The producer's rate alone and with clients, what they got, and what became of the stalled."""
    with database(migrations) as conninfo:
        with postgres.connect(conninfo) as connection:
            texts = dict.fromkeys(("name", "description", "vision", "timezone"), "bench")
            copy(connection, "projects", [{"project_id": PROJECT, "created_at": AT, **texts}])
            copy(connection, "ingestion_runs", [{"run_id": RUN, "project_id": PROJECT}])
        with serving(conninfo, serve) as served:
            server = Server.of(served)
            return measure_all(server, Producer(conninfo, PROJECT, RATE)) | measure_joining(
                server, Producer(conninfo, RUN, JOINING_RATE)
            )


def measure_all(server: Server, producer: Producer) -> dict[str, Any]:
    """Everybody is there before the first frame."""
    count = RATE * SECONDS
    say("Producing with nobody listening…")
    alone, before = producer.produce(count), server.rss_mib()
    say(f"{CLIENTS} clients come, {STALLED} of which do not read…")
    stalled = [ask(server, PROJECT) for _ in range(STALLED)]
    with listening(server, PROJECT, CLIENTS - STALLED, 2 * count - 1) as result:
        opened = server.rss_mib()
        say("Producing with all of them…")
        with_clients, began = producer.produce(count), time.monotonic()
        busy = server.rss_mib()
        heard: list[Heard] = result()
    said_s = time.monotonic() - began
    wait_until(lambda: server.sockets() == 0, timeout_s=2 * GONE_WITHIN_S)
    gone_s = time.monotonic() - began
    for sock in stalled:
        sock.close()
    return {
        "clients": f"{CLIENTS}, {STALLED} stalled",
        "frames": count,
        "rate_alone_per_s": alone,
        "rate_with_clients_per_s": with_clients,
        "healthy_with_all": sum(
            each.wrong == 0 and (each.first, each.last) == (count, 2 * count - 1) for each in heard
        ),
        "wrong_frames": sum(each.wrong for each in heard),
        "behind_the_producer_s": round(said_s, 1),
        "stalled_gone_after_s": round(gone_s, 1) if not server.sockets() else "never",
        "rss_mib": {
            "without_clients": before,
            "idle": opened,
            "busy": busy,
            "after": server.rss_mib(),
        },
    }


def measure_joining(server: Server, producer: Producer) -> dict[str, Any]:
    """Clients come while frames do, and ask for all from the beginning."""
    say(f"{JOINING} clients join while frames are published…")
    count = JOINING_RATE * SECONDS
    with listening(server, RUN, JOINING, count - 1, while_s=SECONDS / 2) as result:
        rate = producer.produce(count, last=count - 1)
        heard: list[Heard] = result()
    return {
        "joining": JOINING,
        "joining_frames": count,
        "joining_rate_per_s": rate,
        "joining_with_all": sum(
            each.wrong == 0 and (each.first, each.last) == (0, count - 1) for each in heard
        ),
        "joining_wrong_frames": sum(each.wrong for each in heard),
        "joining_rss_mib": server.rss_mib(),
    }


@contextmanager
def listening(
    server: Server, stream_id: str, count: int, last: int, while_s: float = 0
) -> Iterator[Callable[[], Any]]:
    """Clients that follow to frame ``last``, open when the block begins unless they join
    ``while_s``; the result is what each has got."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    given = (server.address, server.token, stream_id, count, last, while_s, theirs)
    process = spawn.Process(target=follow, args=given)
    process.start()
    try:
        if not ours.poll(PATIENCE_S) or ours.recv() != "open":
            raise Refusal("The clients of the bench have not come in.")
        yield lambda: ours.recv() if ours.poll(PATIENCE_S) else []
    finally:
        process.terminate()
        process.join(PATIENCE_S)


def follow(
    address: tuple[str, int],
    token: str,
    stream_id: str,
    count: int,
    last: int,
    while_s: float,
    answer: Any,
) -> None:
    """A process of clients; says that they are open, then what each of them has got."""
    everyone = [Heard() for _ in range(count)]

    async def one(number: int, heard: Heard, opened: asyncio.Semaphore) -> None:
        await asyncio.sleep(while_s * number / count)
        reader, writer = await asyncio.open_connection(*address)
        writer.write(_request(address, token, stream_id))
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in head.partition(b"\r\n")[0], head
        opened.release()
        rest = b""
        while heard.last < last and (got := await reader.read(65_536)):
            whole, _, rest = (rest + got).rpartition(b"\n")
            heard.note(whole + b"\n")
        writer.close()

    async def all_of_them() -> None:
        opened = asyncio.Semaphore(0)
        tasks = [asyncio.create_task(one(n, each, opened)) for n, each in enumerate(everyone)]
        if while_s == 0:
            for _ in everyone:
                await opened.acquire()
        answer.send("open")
        await asyncio.wait(tasks, timeout=PATIENCE_S)

    asyncio.run(all_of_them())
    answer.send(everyone)


def ask(server: Server, stream_id: str) -> socket.socket:
    """A client with little room that asks and does not read."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    sock.connect(server.address)
    sock.sendall(_request(server.address, server.token, stream_id))
    return sock


def _request(address: tuple[str, int], token: str, stream_id: str) -> bytes:
    """Of HTTP/1.0, so that frames come as they are, without the marks of chunks between."""
    return (
        f"GET /v1/streams/{stream_id} HTTP/1.0\r\nHost: {address[0]}:{address[1]}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    ).encode()
