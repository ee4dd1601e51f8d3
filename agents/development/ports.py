"""What development agents need of the machine: a model that may use tools, and the tools.

Both are handed in by the application layer. ``agents/development/drivers`` has the drivers,
``agents/development/tools`` the tools.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

StreamEventType = Literal[
    "CLAUDE_THINKING", "CLAUDE_TOOL_CALL", "CLAUDE_TOOL_RESULT", "AGENT_OUTPUT"
]
DriverName = Literal["api", "claude", "codex"]
ShellLayer = Literal["metacharacters", "blocklist", "patterns", "allowlist", "path", "sandbox"]


class StreamEvent(BaseModel):
    """One thing that an agent does, the same for every driver.

    ``id`` follows from the workflow, the agent and the event's number, so it is the same when a run
    is taken up again. ``content`` is what people read.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    type: StreamEventType
    content: str
    timestamp: datetime
    agent: str
    workflow_id: str
    tool_name: str | None = None
    tool_input: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as a model is told of it; ``arguments`` is a JSON Schema of an object."""

    name: str
    description: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool has answered. ``layer``: which rule refused the call; None: none did."""

    text: str
    is_error: bool = False
    layer: ShellLayer | None = None


class Toolbox(Protocol):
    """The tools of one workspace."""

    @property
    def tools(self) -> Sequence[ToolDescription]: ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Make the call. It never raises for what a model can mend: that is an outcome."""
        ...


@dataclass(frozen=True, slots=True)
class Spent:
    """What a prompt has cost so far: ``cost_usd`` None where a price is not known.

    ``is_estimated``: nobody reported a part of it, so that part is ours, rather too high.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    is_estimated: bool = False

    def __add__(self, other: Spent) -> Spent:
        is_priced = self.cost_usd is not None and other.cost_usd is not None
        return Spent(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if is_priced else None,
            is_estimated=self.is_estimated or other.is_estimated,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a prompt has led to. With ``session_id`` the next prompt goes on where it ended."""

    text: str
    session_id: str | None
    spent: Spent


class Driver(Protocol):
    """A coding model, however it is reached. Raises ``agents.development.errors.DriverError``."""

    @property
    def name(self) -> DriverName: ...

    async def prompt(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> Reply:
        """The answer to one prompt, without tools."""
        ...

    def prompt_agentic(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> AsyncGenerator[StreamEvent | Reply, None]:
        """What the model does until it is done; the `Reply` is always last.

        Close it (``contextlib.aclosing``) where it is not read to its end: that ends the model.
        """
        ...
