"""Serve one client over standard input and output, until it closes either, or SIGTERM.

Lines are read by a thread of ours: one of a pool, which waits for a line, would keep the process
alive after the end. A line that no request can be read from is answered with an error, which the
SDK leaves out, so that nobody waits for its answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import IO, Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

from infra.mcp.server import Context, build_server
from infra.service.reading.ledger_reader import LedgerReader

MOST_AHEAD = 16  # lines that are read before they are answered


async def serve(reader: LedgerReader) -> None:
    async def always(_: Context) -> LedgerReader:
        return reader

    server, lines = build_server(always), Lines()
    lines.start()
    task = asyncio.current_task()
    assert task is not None
    with suppress(ValueError):  # signals are those of the main thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (read, write):
            lines.answer = write.send
            await server.run(read, write, server.create_initialization_options())
    except* (BrokenPipeError, asyncio.CancelledError):
        pass  # the client has gone, or the service manager ends us: both are ordinary ends


class Lines:
    """The lines of standard input that hold a message."""

    def __init__(self) -> None:
        self.answer: Callable[[SessionMessage], Awaitable[None]] | None = None
        self._read: asyncio.Queue[bytes] = asyncio.Queue(MOST_AHEAD)

    def start(self) -> None:
        # A file of its own: at the end Python would wait for the lock of its standard input.
        source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._pass_on, args=(source, loop), daemon=True).start()

    def _pass_on(self, source: IO[bytes], loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop is closed: it is over
            line = b"-"
            while line:
                line = source.readline()
                asyncio.run_coroutine_threadsafe(self._read.put(line), loop).result()

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._read.get():
            text = line.decode("utf-8", "replace")
            if not text.strip():
                continue
            refused = refuse_line(text)
            if refused is None:
                yield text
            elif self.answer is not None:
                await self.answer(SessionMessage(refused))


def refuse_line(line: str) -> JSONRPCError | None:
    """The answer to a line that is no JSON, or holds half of a surrogate pair; None for others."""
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "The line is no JSON: send one message a line.")
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        given = message.get("id") if isinstance(message, dict) else None
        is_sendable = isinstance(given, int) or (isinstance(given, str) and given.isprintable())
        return _error(
            given if is_sendable else None,
            INVALID_REQUEST,
            "A text holds half of a surrogate pair.",
        )
    return None


def _error(request_id: Any, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))
