"""One turn of a specialist that uses tools, and how it makes its effects."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from agents.models.call import Message
from agents.project.state import Citation, ProjectState
from agents.runs.confirmations import Decision, approve
from agents.runs.effects import EffectKey, Effects, Json
from agents.runs.numbering import hash_input
from agents.tools.box import call_tool, may_call
from agents.tools.tool import Tool, ToolContext, ToolResult, ToolRole

LONGEST_TEXT = 12_000  # characters of a result that a model reads and the log keeps
MOST_CITED = 100  # places of a result; those whose ids it shows come first
LARGEST_DATA = 8_000  # characters of its JSON; larger data are not kept

EDITED = "The user has changed the arguments to"


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """What the user asks, on whose behalf, and what was said before, oldest first.

    ``decisions`` are those about confirmations of this turn, by confirmation id. ``is_resumed``:
    the turn ran before, and may have told pieces of an answer that it never had whole. ``said`` is
    what the user has said where another agent has worded the request: it alone orders changes.
    """

    turn_id: str
    request: str
    project: ProjectState
    actor: str
    role: ToolRole
    history: tuple[Message, ...] = ()
    node: str = "assistant"
    iteration: int = 1
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    is_resumed: bool = False
    said: str | None = None

    @property
    def ordered(self) -> str:
        """The words in which the user orders changes."""
        return self.request if self.said is None else self.said


@dataclass(slots=True)
class Steps:
    """The effects of a turn in their order: each has a key of its own."""

    turn: AssistantTurn
    effects: Effects
    made: int = 0

    def next_key(self, given: Json) -> EffectKey:
        self.made += 1
        return EffectKey(
            run_id=self.turn.turn_id,
            node=self.turn.node,
            iteration=self.turn.iteration,
            ordinal=self.made,
            input_hash=hash_input(given),
        )

    async def read_clock(self) -> datetime:
        async def look() -> Json:
            return {"now": datetime.now(UTC).isoformat()}

        clock = await self.effects.run(self.next_key({}), "clock", {}, look)
        return datetime.fromisoformat(clock["now"])

    async def ask(self, given: Json, make: Callable[[], Awaitable[Json]]) -> Json:
        """The recorded or new answer of a model."""
        return await self.effects.run(self.next_key(given), "model", given, make)

    async def call(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolResult:
        """The one result of a call."""
        return await self._call(self.next_key(_describe(tool, arguments)), tool, arguments)

    async def call_confirmed(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolResult:
        """The same, once a person has said so; who may not make the call is not asked about it.

        Raises WaitsForConfirmation, CallDeclined.
        """
        key = self.next_key(_describe(tool, arguments))
        if may_call(self.turn.role, tool):
            approved = approve(key, tool.name, arguments, self.turn.decisions)
            if approved is not arguments:
                result = await self._call(key, tool, approved)
                changed = json.dumps(approved, ensure_ascii=False)
                return replace(result, text=f"{EDITED} {changed}\n{result.text}")
        return await self._call(key, tool, arguments)

    async def _call(self, key: EffectKey, tool: Tool, arguments: Mapping[str, Any]) -> ToolResult:
        given = _describe(tool, arguments)
        context = ToolContext(
            project_id=self.turn.project.project_id,
            actor=self.turn.actor,
            role=self.turn.role,
            idempotency_key=key.effect_id,
        )

        async def make() -> Json:
            return as_json(await call_tool(tool, context, arguments))

        if tool.once:
            given["once"] = True
        return read_result(await self.effects.run(key, "tool", given, make))


def _describe(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"tool": tool.name, "args": dict(arguments)}


def read_result(recorded: Json) -> ToolResult:
    """The result of a call as the log has it."""
    cited = tuple(Citation.model_validate(citation) for citation in recorded["citations"])
    return ToolResult(recorded["text"], recorded["data"], cited, recorded["is_error"])


def as_json(result: ToolResult) -> dict[str, Any]:
    """The result of a call as the log keeps it."""
    data = json.dumps(result.data, ensure_ascii=False, default=str)
    text = result.text
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]}\n… (cut: {len(text) - LONGEST_TEXT:,} characters more)"
    return {
        "text": text,
        "data": json.loads(data) if len(data) <= LARGEST_DATA else {},
        "citations": [citation.model_dump() for citation in _choose_cited(result.citations, text)],
        "is_error": result.is_error,
    }


def _choose_cited(citations: Sequence[Citation], text: str) -> Sequence[Citation]:
    """As many as the log can keep."""
    if len(citations) <= MOST_CITED:
        return citations
    return sorted(citations, key=lambda citation: citation.cited_id not in text)[:MOST_CITED]
