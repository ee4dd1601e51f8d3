"""How the nodes of a run make effects: numbered within a node's iteration, so that each one finds
its record again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from agents.runs.effects import EffectKey, Effects, Json
from schemas.ids import sha256_hex


@dataclass(slots=True)
class RunEffects:
    """The effects of one node in one iteration of a run."""

    effects: Effects
    run_id: str
    project_id: str
    node: str
    iteration: int
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)

    def at(self, node: str, iteration: int) -> RunEffects:
        """The same run at another place."""
        return RunEffects(self.effects, self.run_id, self.project_id, node, iteration, self.counts)

    async def run(self, kind: str, given: Json, make: Callable[[], Awaitable[Json]]) -> Json:
        """The next effect at this place, recorded or made."""
        return await self.effects.run(self._next_key(given), kind, given, make)

    async def call(
        self,
        tool: str,
        args: Json,
        make: Callable[[str], Awaitable[Json]],
        *,
        once: bool = False,
    ) -> Json:
        """What a tool answers; ``make`` is given the key under which a change is asked for."""
        return await self.make_call(self.next_key(tool, args), tool, args, make, once=once)

    async def call_approved(
        self,
        tool: str,
        args: Json,
        make: Callable[[str, Json], Awaitable[Json]],
        approved: Callable[[EffectKey], Json],
        *,
        once: bool = False,
    ) -> Json:
        """The same with the arguments that a person lets it have."""
        key = self.next_key(tool, args)
        final = approved(key)
        return await self.make_call(key, tool, final, lambda it: make(it, final), once=once)

    def next_key(self, tool: str, args: Json) -> EffectKey:
        """The key of the next call: those of a step are numbered before any of them is made."""
        return self._next_key({"tool": tool, "args": dict(args)})

    async def make_call(
        self,
        key: EffectKey,
        tool: str,
        args: Json,
        make: Callable[[str], Awaitable[Json]],
        *,
        once: bool = False,
    ) -> Json:
        """What the call with this key answers. ``once``: see `Tool`."""
        given = {"tool": tool, "args": dict(args)} | ({"once": True} if once else {})
        return await self.effects.run(key, "tool", given, lambda: make(key.effect_id))

    async def read_clock(self, now: Callable[[], datetime]) -> datetime:
        async def make() -> Json:
            return {"now": now().isoformat()}

        return datetime.fromisoformat((await self.run("clock", {}, make))["now"])

    def _next_key(self, given: Json) -> EffectKey:
        number = self.counts[self.node, self.iteration]
        self.counts[self.node, self.iteration] += 1
        return EffectKey(self.run_id, self.node, self.iteration, number, hash_input(given))


def hash_input(given: Json) -> str:
    return sha256_hex(json.dumps(given, sort_keys=True, ensure_ascii=False, default=str))
