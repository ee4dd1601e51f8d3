"""The model worker's socket: who may ask, how many calls it answers, and what ends one."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import ValidationError

from agents.models.attempt import Providers
from agents.models.protocol import (
    MAX_FRAME_BYTES,
    CallFrame,
    ProviderCall,
    ProviderFailed,
    ProviderFailure,
    ReplyFrame,
    encode_frame,
)

ASKS_WITHIN_S = 30.0  # from the connection to the whole question; a caller sends it at once
READS_WITHIN_S = 300.0  # a caller that is suspended for longer loses its call


async def serve_calls(
    listening: socket.socket,
    token: str,
    providers: Providers,
    most_calls: int,
    asks_within_s: float = ASKS_WITHIN_S,
) -> None:
    """Answer ``most_calls`` calls. Returns when the last of them has its answer.

    ``listening`` stays open: who comes meanwhile waits for the next worker on it. A connection
    that asks nothing within ``asks_within_s`` is closed, so that it keeps no worker from ending.
    """
    serving = _Serving(token, providers, most_calls, asks_within_s)
    server = await asyncio.start_server(serving.handle, sock=listening.dup(), limit=MAX_FRAME_BYTES)
    async with server:
        await serving.had_enough.wait()
    await serving.nothing_runs.wait()


class _Serving:
    def __init__(
        self, token: str, providers: Providers, most_calls: int, asks_within_s: float
    ) -> None:
        self.had_enough, self.nothing_runs = asyncio.Event(), asyncio.Event()
        self._token, self._providers, self._left = token, providers, most_calls
        self._asks_within_s, self._running = asks_within_s, 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._running += 1
        self.nothing_runs.clear()
        try:
            if frame := await self._read(reader):
                self._count()
                await self._answer_until_gone(frame, reader, writer)
        except OSError:
            pass  # the caller went away, or is too slow (TimeoutError)
        finally:
            writer.close()
            self._running -= 1
            if not self._running:
                self.nothing_runs.set()

    async def _read(self, reader: asyncio.StreamReader) -> CallFrame | None:
        """What is asked; None from who does not speak the protocol or has no token."""
        try:
            async with asyncio.timeout(self._asks_within_s):
                frame = CallFrame.model_validate_json(await reader.readline())
        except (ValidationError, ValueError):
            return None
        knows_token = hmac.compare_digest(frame.token.encode(), self._token.encode())
        return frame if knows_token else None

    def _count(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self.had_enough.set()

    async def _answer_until_gone(
        self, frame: CallFrame, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer, or stop at once when the caller closes the connection: the call is cancelled."""
        answer = asyncio.ensure_future(self._answer(frame, writer))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (answer, gone):
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await answer
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await gone

    async def _answer(self, frame: CallFrame, writer: asyncio.StreamWriter) -> None:
        try:
            async with aclosing(self._make_replies(frame)) as lines:
                async for reply in lines:
                    await _send(writer, reply)
        except ProviderFailed as error:
            await _send(writer, ReplyFrame(failure=error.failure))
        except ValueError as error:  # an answer too large for a frame
            failure = ProviderFailure(error_class="bad_body", detail=str(error))
            await _send(writer, ReplyFrame(failure=failure))

    async def _make_replies(self, frame: CallFrame) -> AsyncGenerator[ReplyFrame, None]:
        match frame:
            case CallFrame(do="models"):
                yield ReplyFrame(models=await self._providers.list_models(frame.provider))
            case CallFrame(do="ask", call=ProviderCall() as call):
                yield ReplyFrame(answer=await self._providers.ask(call))
            case CallFrame(do="stream", call=ProviderCall() as call):
                async with aclosing(self._providers.stream(call)) as parts:
                    async for part in parts:
                        yield (
                            ReplyFrame(piece=part)
                            if isinstance(part, str)
                            else ReplyFrame(answer=part)
                        )
            case _:
                failure = ProviderFailure(error_class="refused", detail="no call was given")
                yield ReplyFrame(failure=failure)


async def _send(writer: asyncio.StreamWriter, reply: ReplyFrame) -> None:
    writer.write(encode_frame(reply))
    async with asyncio.timeout(READS_WITHIN_S):
        await writer.drain()
