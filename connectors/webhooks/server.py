"""Takes deliveries one by one: each is read within its limits, then handed to the receiver.

A delivery counts as being worked on once its body is complete, so a slow sender blocks nobody.
There is no access log: paths name projects, and a refusal is worth only its count. The content of a
body never appears in a log, an error or an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from connectors.webhooks.bodies import Bodies, Body, BodyRefused, Limits
from connectors.webhooks.counters import Counters
from connectors.webhooks.payload import MAX_BODY_BYTES
from connectors.webhooks.receiver import Answer, Receiver, refusal_answer
from infra.platform.log import get
from schemas.events.connector import ConnectorService

log = get("webhooks")


@dataclass(frozen=True, slots=True)
class Incoming:
    """A delivery as it comes: ``parts`` are its body, ``address`` is where it comes from.

    Reading ``parts`` raises ConnectionError when the sender goes away.
    """

    service: ConnectorService
    project: str
    headers: Mapping[str, str] = field(repr=False)
    address: str
    parts: AsyncIterator[bytes] = field(repr=False)


class Server:
    """Answers deliveries with ``receiver``. ``broken`` is set when that has to be opened anew."""

    def __init__(
        self, receiver: Receiver, counters: Counters, limits: Limits | None = None
    ) -> None:
        self._receiver, self._counters = receiver, counters
        self._limits = limits or Limits()
        self._bodies = Bodies(self._limits)
        self._now = 0
        self.broken: BaseException | None = None
        self._stop = asyncio.Event()

    async def until_broken(self) -> None:
        """Waits until a delivery fails for an unexpected reason, and raises that."""
        await self._stop.wait()
        assert self.broken
        raise self.broken

    async def take(self, incoming: Incoming) -> Answer:
        """The answer to a delivery; its outcome is counted."""
        body = self._bodies.open(incoming.address)
        try:
            answer = await self._answer(incoming, body)
        finally:
            self._bodies.close(body)
        self._counters.count(incoming.service, answer.outcome)
        return answer

    async def _answer(self, incoming: Incoming, body: Body) -> Answer:
        if incoming.headers.get("Content-Encoding", "identity") != "identity":
            return refusal_answer("malformed")  # the signature covers the bytes as sent
        if _length(incoming.headers) > MAX_BODY_BYTES:
            return refusal_answer("oversized")
        try:
            content = await self._bodies.read(body, incoming.parts)
        except BodyRefused as refusal:
            return refusal_answer(refusal.reason)
        except ConnectionError:
            return refusal_answer("malformed")
        if self._now >= self._limits.at_once:
            return refusal_answer("busy")
        self._now += 1
        try:
            return await self._receiver.receive(
                incoming.service, incoming.project, incoming.headers, content
            )
        except Exception as error:
            log.error("webhooks.failed", error_class=type(error).__name__)
            self.broken = error
            self._stop.set()
            return refusal_answer("broker_away")
        finally:
            self._now -= 1


def _length(headers: Mapping[str, str]) -> int:
    text = headers.get("Content-Length", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else 0
