"""A scripted provider: a server on loopback that answers by a script, in the OpenAI protocol or in
that of Anthropic.

    with scripted_provider([Failure(429, retry_after="2"), "All good."]) as provider:
        write_models(path, openai=provider)
        ...
    assert len(provider.requests) == 2

A script is a function of the request, or a list with one step for each request. A step is a text,
an object (its JSON is the text), an `Answer`, a `Failure`, a `Hang` or a `HalfStream`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from infra.runtime.local.process import wait_until
from tests.models.dialects import dialect_of

KEY = "sk-scripted-provider"  # any key is taken
CLOSES_WITHIN_S = 10.0


@dataclass(frozen=True)
class Request:
    """What was asked, and when (``arrived_s``: of `time.monotonic`)."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    arrived_s: float

    @property
    def is_stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def wants_usage(self) -> bool:
        """Whether a stream has to tell its usage; only in the OpenAI protocol one has to ask."""
        speaks_openai = self.path.endswith("/chat/completions")
        return not speaks_openai or bool(
            (self.body.get("stream_options") or {}).get("include_usage")
        )

    @property
    def model(self) -> str:
        return str(self.body.get("model"))

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", ()))

    @property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(str(message["content"]) for message in self.messages)


@dataclass(frozen=True)
class Answer:
    """``usage``: tokens in, out and cached, None where it is not reported. ``model``: who served,
    as asked for where it is None. A stream sends ``pieces`` pieces.
    """

    text: str
    usage: tuple[int, int, int] | None = (100, 20, 0)
    model: str | None = None
    finish: str = "stop"
    pieces: int = 4
    wait_s: float = 0.0


@dataclass(frozen=True)
class Failure:
    """An answer with an error. ``body`` None: an error object that names the status. ``location``:
    where a redirect leads.
    """

    status: int
    retry_after: str | None = None
    body: bytes | None = None
    location: str | None = None


@dataclass(frozen=True)
class Hang:
    """No answer until the caller goes away, or the provider is closed; a stream has ``text`` in
    pieces before.
    """

    text: str = ""


@dataclass(frozen=True)
class HalfStream:
    """``text`` in pieces, then no mark of the end: the connection is cut, or with ``is_cut`` False
    the body just ends as a whole one does.
    """

    text: str
    is_cut: bool = True


Step = str | dict[str, Any] | list[Any] | Answer | Failure | Hang | HalfStream
Script = Callable[[Request], Step] | Sequence[Step]


@dataclass
class ScriptedProvider:
    """``base_url`` ends with /v1. ``served``: the usage of each whole answer. ``models`` are those
    that it names as an Ollama server; ``looks`` are the paths that were read, and who was wanted
    of it as a proxy. ``abandoned`` are requests that hung until their caller closed the connection.
    """

    base_url: str
    models: list[str] = field(default_factory=list)
    looks: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    abandoned: list[Request] = field(default_factory=list)
    served: list[tuple[int, int, int]] = field(default_factory=list)

    def wait_until_abandoned(self) -> None:
        """Return once the caller of each request has closed its connection."""
        wait_until(lambda: self.abandoned == self.requests, timeout_s=CLOSES_WITHIN_S)


@contextmanager
def scripted_provider(script: Script) -> Iterator[ScriptedProvider]:
    """The provider, as long as the block lasts."""
    server = _Server(script)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.provider
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write_models(
    path: Path,
    tiers: Mapping[str, Sequence[str]] | None = None,
    **providers: ScriptedProvider | str | dict[str, Any],
) -> Path:
    """Configure ``providers`` in their order, each by a scripted one, an address or its fields."""
    lines = [f"[[providers]]\n{_as_toml(name, each)}" for name, each in providers.items()]
    lines += ["[tiers]"] if tiers else []
    lines += [f"{tier} = {json.dumps(list(names))}" for tier, names in (tiers or {}).items()]
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o600)
    return path


def _as_toml(name: str, given: ScriptedProvider | str | dict[str, Any]) -> str:
    if not isinstance(given, dict):
        given = {"base_url": given if isinstance(given, str) else given.base_url, "api_key": KEY}
    fields = {"name": name} | given
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.provider = ScriptedProvider(f"http://127.0.0.1:{self.server_address[1]}/v1")
        self.closing = threading.Event()
        self._script = script
        self._lock = threading.Lock()

    def take(self, request: Request) -> Step:
        """The step for ``request``: requests and steps are counted in the order of arrival."""
        with self._lock:
            number = len(self.provider.requests)
            self.provider.requests.append(request)
        if callable(self._script):
            return self._script(request)
        if number < len(self._script):
            return self._script[number]
        return Failure(400, body=b'{"error": {"message": "the script has no step left"}}')

    def serve_whole(self, usage: tuple[int, int, int] | None) -> None:
        with self._lock:
            self.provider.served.append(usage or (0, 0, 0))


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, TimeoutError):  # the caller went away
            self.close_connection = True

    def do_GET(self) -> None:
        """The models of an Ollama server."""
        self.server.provider.looks.append(self.path)
        models = [{"name": name} for name in self.server.provider.models]
        self._send(200, json.dumps({"models": models}).encode())

    def do_CONNECT(self) -> None:
        """Whoever takes it for a proxy wants to ask somebody else."""
        self.server.provider.looks.append(self.path)
        self._send(502, b"")

    def do_POST(self) -> None:
        arrived_s = time.monotonic()
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body, arrived_s)
        match self.server.take(request):
            case Failure() as failure:
                self._fail(failure)
            case Hang(text):
                self._hang(request, text)
            case HalfStream(text, is_cut):
                self._break_off(request, text, is_cut)
            case Answer() as answer:
                self._answer(request, answer)
            case str() as text:
                self._answer(request, Answer(text))
            case data:
                self._answer(request, Answer(json.dumps(data)))

    def _fail(self, failure: Failure) -> None:
        error = {"message": f"status {failure.status} by script", "type": "scripted"}
        body = json.dumps({"error": error}).encode() if failure.body is None else failure.body
        after = {} if failure.retry_after is None else {"Retry-After": failure.retry_after}
        to = {} if failure.location is None else {"Location": failure.location}
        self._send(failure.status, body, after | to)

    def _hang(self, request: Request, text: str) -> None:
        self.close_connection = True
        if request.is_stream:
            self._begin_stream()
            for event in dialect_of(request.path).pieces(request.model, split(text, 4), None):
                self._chunk(event)
        self.connection.settimeout(0.05)
        while not self.server.closing.is_set():
            try:
                is_open = bool(self.connection.recv(1))
            except TimeoutError:
                continue
            except ConnectionError:
                is_open = False
            if not is_open:
                self.server.provider.abandoned.append(request)
                return

    def _answer(self, request: Request, answer: Answer) -> None:
        if answer.wait_s:
            self.server.closing.wait(answer.wait_s)
        self.server.serve_whole(answer.usage)
        model, dialect = answer.model or request.model, dialect_of(request.path)
        if request.is_stream:
            self._begin_stream()
            texts = split(answer.text, answer.pieces)
            usage = answer.usage if request.wants_usage else None
            events = dialect.pieces(model, texts, usage) + dialect.end(model, answer.finish, usage)
            for event in (*events, b""):
                self._chunk(event)
        else:
            whole = dialect.whole(model, answer.text, answer.finish, answer.usage)
            self._send(200, json.dumps(whole).encode())

    def _break_off(self, request: Request, text: str, is_cut: bool) -> None:
        self._begin_stream()
        for event in dialect_of(request.path).pieces(request.model, split(text, 4), None):
            self._chunk(event)
        if not is_cut:
            self._chunk(b"")
        self.close_connection = True

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def split(text: str, pieces: int) -> list[str]:
    """``text`` in about ``pieces`` pieces, none of them empty."""
    size = max(1, -(-len(text) // pieces))
    return [text[start : start + size] for start in range(0, len(text), size)]
