"""The program inside a container: one request in, events and a reply out, as lines of JSON.

``python -m infra.service.development.containers.worker [FOLDER]``: it reads and writes the pipes
``in`` and ``out`` of FOLDER, else standard input and output. It knows the proxy and its token, both
by its first line, and keeps them where commands of its model cannot read them.
"""

from __future__ import annotations

import asyncio
import ctypes
import itertools
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agents.development.drivers.api import ApiDriver, ApiSettings
from agents.development.drivers.events import EventWriter
from agents.development.drivers.failures import DriverFailed
from agents.development.drivers.posting import Http, HttpAnswer, HttpFailed
from agents.development.drivers.pricing import Pricing
from agents.development.drivers.retrying import RetrySettings
from agents.development.drivers.sessions import MemorySessions
from agents.development.ports import Reply, Toolbox
from agents.models.prices import PriceTable, read_prices
from agents.models.records import get_count, get_object, get_text, read_object
from infra.service.development.containers.lines import (
    MOST_LINE_BYTES,
    READY,
    WorkerRequest,
    read_request,
    word_event,
    word_failure,
    word_line,
    word_reply,
)
from infra.service.development.containers.workspace_tools import (
    WatchedTools,
    make_worker_toolbox,
)
from infra.service.development.posting import HttpClient

PR_SET_DUMPABLE = 4
UNUSABLE = 64


class Lines:
    """The lines between this worker and its host."""

    def __init__(self, reader: asyncio.StreamReader, descriptor: int) -> None:
        self._reader, self._descriptor = reader, descriptor
        self._writing = asyncio.Lock()

    async def read(self) -> str | None:
        """The next line; None: the host is gone."""
        with suppress(ValueError):  # a line beyond the limit is none
            line = await self._reader.readline()
            return line.decode("utf-8", "replace") if line else None
        return ""

    async def write(self, record: Mapping[str, Any]) -> None:
        async with self._writing:
            await asyncio.to_thread(self._write, word_line(record).encode() + b"\n")

    def _write(self, content: bytes) -> None:
        view = memoryview(content)
        while view:
            view = view[os.write(self._descriptor, view) :]


class TunnelHttp:
    """HTTP by way of the host."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Mapping[str, Any]]] = {}

    async def post(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> HttpAnswer:
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        post = {"number": number, "url": url, "headers": dict(headers), "body": dict(body)}
        await self._lines.write({"post": post})
        try:
            record = await answer
        finally:
            del self._waiting[number]
        status = get_count(record, "status")
        if status is None:
            kind = get_text(record, "kind")
            message = get_text(record, "message") or "The host did not answer."
            raise HttpFailed("timeout" if kind == "timeout" else "connection", message)
        names = get_object(record, "headers").items()
        return HttpAnswer(status, {name: str(it) for name, it in names}, get_text(record, "body"))

    async def take_answers(self) -> None:
        """Hand each answer to who waits for it, until the host is gone."""
        while (line := await self._lines.read()) is not None:
            record = get_object(read_object(line), "answer")
            waiting = self._waiting.get(get_count(record, "number") or 0)
            if waiting and not waiting.done():
                waiting.set_result(record)


async def work(request: WorkerRequest, lines: Lines, toolbox: Toolbox) -> None:
    """Run the request, and write its events and its reply."""

    async def tell_refusal(tool: str, layer: str, reason: str) -> None:
        await lines.write({"refused": {"tool": tool, "layer": layer, "reason": reason}})

    toolbox = WatchedTools(toolbox, tell_refusal)
    tunnel = TunnelHttp(lines)
    answering = asyncio.create_task(tunnel.take_answers())
    sessions = MemorySessions()
    driver = _make_driver(
        request, tunnel if request.is_tunnelled else HttpClient(), toolbox, sessions
    )
    session_id = request.session_id
    if session_id is not None:
        await sessions.save(session_id, request.messages)
    given = (request.prompt, request.system_prompt, session_id)
    try:
        if not request.is_agentic:
            record = word_reply(await driver.prompt(*given))
        else:
            async with aclosing(driver.prompt_agentic(*given)) as parts:
                async for part in parts:
                    if isinstance(part, Reply):
                        record = word_reply(part)
                    else:
                        await lines.write(word_event(part))
    except DriverFailed as failed:
        record = word_failure(failed)
    finally:
        answering.cancel()
    session_id = next(iter(record.values()))["session_id"]
    messages = await sessions.load(session_id) if session_id else None
    await lines.write({**record, "messages": list(messages or ())})


def _make_driver(
    request: WorkerRequest, http: Http, toolbox: Toolbox, sessions: MemorySessions
) -> ApiDriver:
    settings = ApiSettings(
        model=request.model,
        key=request.token,
        base_url=request.proxy_url,
        max_output_tokens=request.max_output_tokens,
        max_rounds=request.max_rounds,
    )
    events = EventWriter(
        request.workflow_id,
        request.agent,
        lambda: datetime.now(UTC),
        first_number=request.first_number,
    )
    retry = RetrySettings(request.max_retries, request.base_delay_s, request.max_delay_s)
    pricing = Pricing(PriceTable(read_prices()), "openrouter", lambda: datetime.now(UTC).date())
    return ApiDriver(http, settings, events, pricing, toolbox, sessions=sessions, retry=retry)


async def open_lines(folder: Path | None) -> Lines:
    reading = os.open(folder / "in", os.O_RDONLY) if folder else 0
    writing = os.open(folder / "out", os.O_WRONLY) if folder else 1
    reader = asyncio.StreamReader(limit=MOST_LINE_BYTES)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", 0)
    )
    return Lines(reader, writing)


def run_worker(make_toolbox: Callable[[WorkerRequest], Toolbox]) -> int:
    """Serve one request; the exit code."""
    return asyncio.run(_serve(Path(sys.argv[1]) if len(sys.argv) > 1 else None, make_toolbox))


async def _serve(folder: Path | None, make_toolbox: Callable[[WorkerRequest], Toolbox]) -> int:
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # its memory is no file of its commands
    lines = await open_lines(folder)
    await lines.write(READY)
    request = read_request(await lines.read() or "")
    if request is None:
        return UNUSABLE
    await work(request, lines, make_toolbox(request))
    return 0


if __name__ == "__main__":
    sys.exit(run_worker(make_worker_toolbox))
