"""Turns of the assistant in a few words, and the record of effects that a conversation keeps."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import jsonschema

from agents.models.call import ModelAnswer, ModelRequest, Usage
from agents.models.errors import AllProvidersFailed, AnswerMalformed
from agents.project.state import Citation, ProjectState
from agents.project.turn import AssistantTurn
from agents.runs.confirmations import Decision
from agents.runs.effects import EffectKey, Json
from agents.tools.box import Tools
from agents.tools.changes import CreateTask, DeleteTask, UpdateFeature, UpdateSprint, UpdateTask
from agents.tools.items import ListItems
from agents.tools.ledger import SearchLedger
from agents.tools.ports import ToolRefused
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult


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


@dataclass
class OverHttp:
    """A model behind a scripted provider, asked over the OpenAI protocol without a fall-back."""

    base_url: str

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        messages = [message.model_dump() for message in request.messages]
        async with httpx.AsyncClient(timeout=30.0, verify=False, trust_env=False) as client:
            answer = await client.post(
                f"{self.base_url}/chat/completions", json={"model": "m", "messages": messages}
            )
        if answer.status_code != 200:
            raise AllProvidersFailed(f"The provider answered {answer.status_code}.")
        text = answer.json()["choices"][0]["message"]["content"]
        try:
            data = json.loads(text)
            jsonschema.validate(data, request.answer_schema or {})
        except (ValueError, jsonschema.ValidationError) as error:
            raise AnswerMalformed("The answer does not satisfy the schema.") from error
        return ModelAnswer(
            call_id="cal_1",
            request_hash=request.request_hash,
            text=text,
            data=data,
            provider="scripted",
            model="m",
            usage=Usage(input_tokens=100, output_tokens=20),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        answer = await self.complete(request)
        for at in range(0, len(answer.text), 7):
            yield answer.text[at : at + 7]
        yield answer


@dataclass
class Shelf:
    """A small world for tools: what they return, and which calls changed something.

    ``cited`` are the ids that each result cites; None: those in its text.
    """

    texts: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    cited: list[str] | None = None

    def tools(self) -> Tools:
        return Tools(
            [
                self._tool("search_ledger", SearchLedger),
                self._tool("list_tasks", ListItems),
                self._tool("create_task", CreateTask, mutating=True, role="member"),
                self._tool("update_task", UpdateTask, mutating=True, role="member"),
                self._tool("delete_task", DeleteTask, mutating=True, confirm=True, role="member"),
                self._tool("update_sprint", UpdateSprint, mutating=True, role="pm"),
                self._tool("update_feature", UpdateFeature, mutating=True, role="pm"),
            ]
        )

    def _tool(self, name: str, arguments: type[ToolArguments], **more: Any) -> Tool:
        async def call(context: ToolContext, wanted: ToolArguments) -> ToolResult:
            self.calls.append((name, wanted.model_dump(exclude_unset=True)))
            self.keys.append(context.idempotency_key)
            text = self.texts.get(name, f"{name} is done.")
            if text.startswith("refused"):
                raise ToolRefused(text)
            ids = ids_in(text) if self.cited is None else self.cited
            cited = [
                Citation(cited_id=one, path="a.md", line_start=1, snippet="Orders are signed.")
                for one in ids
            ]
            return ToolResult(text, {}, tuple(cited))

        return Tool(name, f"Does {name}.", arguments, call, **more)


def ids_in(text: str) -> list[str]:
    return re.findall(r"\b(?:atm|art)_[0-9a-f]+\b", text)
