"""What a writer waits for too long is asked for again, with the same ids.

Time only says when to send once more; what is sent follows from the writer's state, and whoever
answers twice is heard once. Such a request was lost with its topic's retention or with a broker's
disk: every other one is answered, if by ``poison``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable

from infra.platform import log

ASKED_AGAIN_AFTER_S = 15 * 60
LOOK_EVERY_S = 60

LOG = log.get("overdue")


class Overdue:
    """The keys that one partition waits for, and since when."""

    def __init__(
        self,
        awaited: Callable[[], Iterable[str]],
        ask_again: Callable[[Collection[str]], Awaitable[None]],
    ) -> None:
        self._awaited = awaited
        self._ask_again = ask_again
        self._since: dict[str, float] = {}
        self._next_look_s = 0.0

    async def look(self, now_s: float) -> None:
        """Ask again for what has been awaited at every look of the last quarter of an hour."""
        if now_s < self._next_look_s:
            return
        self._next_look_s = now_s + LOOK_EVERY_S
        self._since = {key: self._since.get(key, now_s) for key in self._awaited()}
        late = {key for key, since in self._since.items() if now_s - since >= ASKED_AGAIN_AFTER_S}
        if late:
            LOG.warning("overdue.asked_again", requests=len(late))
            await self._ask_again(late)
            self._since |= dict.fromkeys(late, now_s)
