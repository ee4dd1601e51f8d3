"""A receiver of webhooks: a real HTTP server on loopback that answers as a test wants."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DEADLINE_S = 60.0


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message_id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """``statuses`` answer one request each, the last one all that follow; 0 closes without one.

    A request waits for ``may_answer`` before it has its answer.
    """

    url: str
    statuses: list[int] = field(default_factory=lambda: [204])
    headers: dict[str, str] = field(default_factory=dict)
    may_answer: threading.Event = field(default_factory=threading.Event)
    received: list[Received] = field(default_factory=list)

    def wait_for(self, found: Callable[[list[Received]], Any]) -> Any:
        """What ``found`` returns once it is true of what was received."""
        deadline_s = time.monotonic() + DEADLINE_S
        while not (answer := found(list(self.received))):
            assert time.monotonic() < deadline_s, f"not received: {self.received}"
            time.sleep(0.05)
        return answer


@contextmanager
def receiver(
    *statuses: int, tls: ssl.SSLContext | None = None, **headers: str
) -> Iterator[Receiver]:
    """A receiver that answers with ``statuses``; with ``tls`` as ``https://localhost``."""
    told = Receiver("", list(statuses) or [204], headers)
    told.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            named = {name.lower(): value for name, value in self.headers.items()}
            told.received.append(Received(self.path, named, body))
            status = told.statuses.pop(0) if len(told.statuses) > 1 else told.statuses[0]
            told.may_answer.wait(DEADLINE_S)
            if status:
                self.send_response(status)
                for name, value in told.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("content-length", "0")
                self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing: what comes is in ``received``."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    place = "https://localhost" if tls else "http://127.0.0.1"
    told.url = f"{place}:{server.server_port}/hook"
    try:
        yield told
    finally:
        told.may_answer.set()
        server.shutdown()
        server.server_close()
        thread.join()
