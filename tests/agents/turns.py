"""Turns of the assistant in a few words, and the record of effects that a conversation keeps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from agents.project.confirmations import Decision
from agents.project.effects import EffectKey, Json
from agents.project.state import ProjectState
from agents.project.turn import AssistantTurn


@dataclass
class Recorded:
    """Effects whose records are kept in memory; ``kinds`` are those that were made, in order."""

    records: dict[str, Json] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)
    frames: list[tuple[str, Json]] = field(default_factory=list)

    async def run(
        self, key: EffectKey, kind: str, given: Json, make: Callable[[], Awaitable[Json]]
    ) -> Json:
        if key.effect_id not in self.records:
            self.records[key.effect_id] = await make()
            self.kinds.append(f"{kind} {given.get('tool', '')}".strip())
        return self.records[key.effect_id]

    async def tell(self, event: str, data: Json) -> None:
        self.frames.append((event, data))

    @property
    def tools(self) -> list[str]:
        """The tools that were called."""
        return [kind.removeprefix("tool ") for kind in self.kinds if kind.startswith("tool ")]


def a_turn(
    request: str,
    project_id: str = "prj_1",
    decisions: dict[str, Decision] | None = None,
    **more: Any,
) -> AssistantTurn:
    fields: dict[str, Any] = {"turn_id": "trn_1", "actor": "ana", "role": "pm"} | more
    project = ProjectState(project_id=project_id, name="Demo")
    return AssistantTurn(request=request, project=project, decisions=decisions or {}, **fields)
