"""The tools of an agent that writes code in a run's workspace, with what was refused noted down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.development.ports import Toolbox, ToolDescription, ToolOutcome
from agents.development.workflow_ports import RefusedCall
from schemas.shortening import shorten

LONGEST_ARGUMENT = 500  # characters of a refused call


class NotedTools:
    """A toolbox whose refusals can be taken, each once."""

    def __init__(self, tools: Toolbox) -> None:
        self._tools = tools
        self._refused: list[RefusedCall] = []

    @property
    def tools(self) -> Sequence[ToolDescription]:
        return self._tools.tools

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        outcome = await self._tools.call(name, arguments)
        if outcome.layer is not None:
            argument = ", ".join(f"{key}={value}" for key, value in arguments.items())
            self.note(outcome.layer, name, argument, outcome.text)
        return outcome

    def note(self, layer: str, tool: str, argument: str, reason: str) -> None:
        """A call that was refused elsewhere, as in a container."""
        argument = shorten(argument, LONGEST_ARGUMENT)
        self._refused.append(RefusedCall(layer=layer, tool=tool, argument=argument, reason=reason))

    def take_refused(self) -> Sequence[RefusedCall]:
        taken, self._refused = self._refused, []
        return taken
