"""An agent of the assistant at work: its tools, its hooks, and where its effects stand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.assistant.run import AssistantRun
from agents.assistant.state import AssistantState
from agents.assistant.store import RunStore
from agents.runs.numbering import RunEffects
from agents.tools.box import may_call
from agents.tools.retrieval import ToolRegistry
from agents.tools.tool import Tool, ToolArguments, ToolResult, ToolRole


@dataclass(frozen=True, slots=True)
class LocalTool:
    """A tool that is a part of the platform: what it does is recorded step by step.

    ``mutating``: the same call again in one piece of work is answered by its first result.
    """

    name: str
    description: str
    arguments: type[ToolArguments]
    perform: Callable[[AtWork, str, Any], Awaitable[ToolResult]]
    mutating: bool = False


AnyTool = Tool | LocalTool
Change = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hook:
    """A node before the model or after the agent; ``change`` gives what becomes of the state."""

    name: str
    change: Callable[[AtWork, AssistantState], Awaitable[Change]]


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as `create_agent` builds it. ``tools`` are always bound; those of ``retrievable``
    once a search has found them, or, with ``calls_any``, when they are called by name. One that
    ``has_rules`` answers by them where no model does.
    """

    name: str
    prompt: str
    tools: tuple[AnyTool, ...]
    retrievable: ToolRegistry
    pre_model_hooks: tuple[Hook, ...]
    end_hooks: tuple[Hook, ...] = ()
    calls_any: bool = False
    tells_tokens: bool = False
    has_rules: bool = False

    def find(self, name: str, bound: Sequence[str]) -> AnyTool | None:
        """The tool that may be called under this name."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        return self.retrievable.find(name) if self.calls_any or name in bound else None

    def list_bound(self, bound: Sequence[str], role: ToolRole) -> list[AnyTool]:
        """What the model is told of: what it may call."""
        tools = [*self.tools, *filter(None, map(self.retrievable.find, bound))]
        return [tool for tool in tools if not isinstance(tool, Tool) or may_call(role, tool)]


@dataclass(frozen=True, slots=True)
class AtWork:
    """An agent at one piece of work; ``work_id`` names its effects among those of the run."""

    run: AssistantRun
    agent: Agent
    work_id: str
    store: RunStore

    def effects_at(self, node: str, iteration: int) -> RunEffects:
        """The effects of a node, numbered anew in each iteration."""
        run = self.run
        return RunEffects(run.effects, self.work_id, run.project_id, node, iteration)

    def effects_of_calls(self, iteration: int) -> RunEffects:
        """The effects of the calls of a reply, numbered behind the reply itself."""
        effects = self.effects_at(self.agent.name, iteration)
        effects.counts[self.agent.name, iteration] = 1
        return effects

    def effects_of(self, call_id: str) -> RunEffects:
        """The effects of one call of a tool of ours."""
        run = self.run
        return RunEffects(run.effects, call_id, run.project_id, self.agent.name, 0)
