"""Asks the model worker. This process needs neither the library of providers nor their keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from agents.models.protocol import (
    MAX_FRAME_BYTES,
    CallFrame,
    ProviderAnswer,
    ProviderCall,
    ProviderFailed,
    ProviderFailure,
    ProviderPart,
    ReplyFrame,
    WorkerUnavailable,
    encode_frame,
)

# Beyond the time limit of a call: a worker that recycles itself loads its library anew, which takes
# 4 to 7 s, and most of a minute on a machine with no time to spare.
GRACE_S = 120.0
LISTS_WITHIN_S = 15.0  # a person waits


@dataclass(frozen=True, slots=True)
class WorkerPlace:
    """Where the worker listens (``host:port``), and what it wants to hear."""

    address: str
    token: str


class WorkerClient:
    """Makes calls of providers through the worker.

    ``find`` says where the worker is now; it is asked when nobody listens at the known address.
    """

    def __init__(
        self, address: str, token: str, find: Callable[[], WorkerPlace | None] = lambda: None
    ) -> None:
        self._place = WorkerPlace(address, token)
        self._find = find

    @property
    def address(self) -> str:
        return self._place.address

    async def ask(self, call: ProviderCall) -> ProviderAnswer:
        """The whole answer. Raises ProviderFailed and WorkerUnavailable."""
        async with aclosing(self._call("ask", call)) as parts:
            async for part in parts:
                if isinstance(part, ProviderAnswer):
                    return part
        raise WorkerUnavailable("The model worker ended without an answer.")

    async def stream(self, call: ProviderCall) -> AsyncGenerator[ProviderPart, None]:
        """Pieces, then the whole answer. Raises ProviderFailed and WorkerUnavailable.

        Close the generator to cancel the call.
        """
        async with aclosing(self._call("stream", call)) as parts:
            async for part in parts:
                yield part

    async def list_models(self, provider: str) -> tuple[str, ...]:
        """The models that ``provider`` has now; none where it cannot be reached.

        Raises WorkerUnavailable.
        """
        async with self._connect() as (place, reader, writer):
            frame = CallFrame(token=place.token, do="models", provider=provider)
            writer.write(encode_frame(frame))
            return (await _read(reader, LISTS_WITHIN_S)).models or ()

    async def _call(self, do: str, call: ProviderCall) -> AsyncGenerator[ProviderPart, None]:
        async with self._connect() as (place, reader, writer):
            frame = CallFrame.model_validate({"token": place.token, "do": do, "call": call})
            writer.write(_encode_call(frame))
            while True:
                reply = await _read(reader, call.timeout_s + GRACE_S)
                if reply.failure is not None:
                    raise ProviderFailed(reply.failure)
                if reply.answer is not None:
                    yield reply.answer
                    return
                yield reply.piece or ""

    @asynccontextmanager
    async def _connect(
        self,
    ) -> AsyncIterator[tuple[WorkerPlace, asyncio.StreamReader, asyncio.StreamWriter]]:
        try:
            reader, writer = await _open(self._place)
        except OSError as error:
            place = self._find()
            if place is None or place == self._place:
                raise WorkerUnavailable(f"No model worker at {self._place.address}.") from error
            self._place = place
            reader, writer = await _open_again(place)
        try:
            yield self._place, reader, writer
        except (OSError, EOFError) as error:
            raise WorkerUnavailable("The model worker went away during a call.") from error
        finally:
            writer.close()


async def _open(place: WorkerPlace) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = place.address.rpartition(":")
    return await asyncio.open_connection(host, int(port), limit=MAX_FRAME_BYTES)


async def _open_again(place: WorkerPlace) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        return await _open(place)
    except OSError as error:
        raise WorkerUnavailable(f"No model worker at {place.address}.") from error


async def _read(reader: asyncio.StreamReader, timeout_s: float) -> ReplyFrame:
    try:
        async with asyncio.timeout(timeout_s):
            line = await reader.readline()
    except TimeoutError as error:
        raise WorkerUnavailable(f"The model worker said nothing for {timeout_s:.0f} s.") from error
    except ValueError as error:  # longer than a frame may be
        raise ProviderFailed(ProviderFailure(error_class="bad_body", detail=str(error))) from error
    if not line.endswith(b"\n"):
        raise WorkerUnavailable("The model worker went away, or does not know our token.")
    return ReplyFrame.model_validate_json(line)


def _encode_call(frame: CallFrame) -> bytes:
    try:
        return encode_frame(frame)
    except ValueError as error:
        raise ProviderFailed(ProviderFailure(error_class="refused", detail=str(error))) from error
