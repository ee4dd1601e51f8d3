"""A message to the assistant in a test: its log on a topic in memory, a scripted model, and outside
services that count what they are asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import HumanMessage
from pydantic import Field

from agents.assistant.comms import run_comms
from agents.assistant.memory import list_memory_ids
from agents.assistant.providers import Provider
from agents.assistant.run import Answered, AssistantRun, Workflow
from agents.assistant.state import STATE_TYPES, AssistantState, begin_state
from agents.models.call import ChatModel
from agents.project.answer_stream import AnswerStream
from agents.runs.effects import Json
from agents.runs.saver import KeptState, RunSaver
from agents.tools.retrieval import ToolRegistry
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult
from infra.service.asking.turn_log import TurnLog
from infra.service.assistant.records import LogRecords
from infra.service.runs.driving import Paused, drive
from schemas.events.agent import HandoffFinished
from schemas.events.memory import MemoryStored
from schemas.ids import sha256_hex
from tests.agents.talks import PLACE, Topic

NOW = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)


class Subject(ToolArguments):
    """``subject``: which one."""

    subject: str = Field(min_length=1)


@dataclass
class Outside:
    """Services that count their calls; none of them knows what an idempotency key is."""

    calls: list[tuple[str, str]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    after_call: Callable[[], None] = lambda: None

    def tool(self, name: str, *, space: str = "mail", **more: Any) -> Tool:
        async def call(context: ToolContext, wanted: Subject) -> ToolResult:
            self.calls.append((name, wanted.subject))
            text = self.texts.get(name, f"{name} {wanted.subject}: done.")
            self.after_call()
            return ToolResult(text, {})

        return Tool(name, f"Does {name}.", Subject, call, space=space, **more)

    def count(self, name: str) -> int:
        return sum(1 for called, _ in self.calls if called == name)


@dataclass
class States:
    """Savers' rows, by piece of work."""

    rows: dict[str, KeptState] = field(default_factory=dict)

    async def read(self, run_id: str) -> KeptState | None:
        return self.rows.get(run_id)

    async def keep(self, run_id: str, kept: KeptState) -> None:
        self.rows[run_id] = kept


@dataclass
class World:
    """What is there beside the log: tools, memories, threads of earlier messages."""

    outside: Outside = field(default_factory=Outside)
    tools: list[Tool] = field(default_factory=list)
    states: States = field(default_factory=States)
    topic: Topic = field(default_factory=Topic)
    earlier: list[Topic] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    workflow: Workflow | None = None
    questions: list[str] = field(default_factory=list)
    turn_id: str = PLACE.turn_id

    def providers(self) -> dict[str, Provider]:
        names = dict.fromkeys([*(tool.space for tool in self.tools), "project"])
        return {
            name: Provider(
                name,
                f"all of {name}",
                f"You are the {name} specialist.",
                tuple(tool for tool in self.tools if tool.space == name),
                self.missing.get(name, ""),
            )
            for name in (*names, *self.missing)
        }

    async def list_memories(self, namespaces: Sequence[str]) -> Sequence[Json]:
        told = [event for topic in self.earlier for event in topic.events]
        stored = [event for event in told if isinstance(event, MemoryStored)]
        replaced = {event.replaces for event in stored}
        names = ("memory_id", "namespace", "text", "kind", "source_thread")
        return [
            {name: getattr(event, name) for name in names} | {"created_at": NOW.isoformat()}
            for event in stored
            if event.namespace in namespaces and event.memory_id not in replaced
        ]

    async def prepare_memory(self, namespace: str, text: str) -> Json:
        return {"text": text, "memory_id": next(iter(list_memory_ids(namespace, text)))}

    async def read_thread(self, thread: str, before_turn: str) -> Sequence[Json]:
        told = [event for topic in self.earlier for event in topic.events]
        found = [one for one in told if isinstance(one, HandoffFinished) and one.thread == thread]
        notes: Sequence[Json] = json.loads(found[-1].notes) if found else []
        return notes

    async def ask_project(self, question: str, work_id: str) -> Answered:
        self.questions.append(question)
        return Answered(f"The project says: {question}")

    async def attempt(
        self,
        message: str,
        model: ChatModel | None,
        *,
        attempt: str = "1",
        said: Sequence[str] = (),
        role: str = "owner",
        replays: bool = False,
    ) -> AssistantState | Paused:
        """One job of the message: up to its answer, or up to calls that wait."""
        log = self.topic.open_replay() if replays else self.topic.open_log(attempt)

        async def program() -> AssistantState:
            run = self.open_run(log, message, model, said, role)
            return await run_comms(run, self.begin(message, model))

        return await program() if replays else await drive(log, program)

    def open_run(
        self,
        log: TurnLog,
        message: str,
        model: ChatModel | None,
        said: Sequence[str] = (),
        role: Any = "owner",
    ) -> AssistantRun:
        """What the agents work with on a message."""
        spaces: dict[str, list[Tool]] = {}
        for tool in self.tools:
            spaces.setdefault(tool.space, []).append(tool)

        def save(work_id: str) -> RunSaver:
            return RunSaver(work_id, log, self.states, _seal, "program", STATE_TYPES)

        return AssistantRun(
            run_id=self.turn_id,
            conversation_id=PLACE.conversation_id,
            owner="ana",
            request=message,
            said=(*said, message),
            project_id=PLACE.project_id,
            role=role,
            began=NOW,
            time_zone="Europe/Berlin",
            model=model,
            effects=log,
            records=LogRecords(log),
            ports=self,
            tools=ToolRegistry(spaces),
            providers=self.providers(),
            save=save,
            answer_stream=AnswerStream(log),
            decisions=log.list_decisions(),
            workflow=self.workflow,
            has_project=True,
        )

    def begin(self, message: str, model: ChatModel | None) -> AssistantState:
        return begin_state(
            message,
            [HumanMessage(id=f"{self.turn_id}.asked", content=message)],
            now=NOW.isoformat(),
            owner="ana",
            conversation_id=PLACE.conversation_id,
            memories=[],
            has_model=model is not None,
            bound=[],
        )

    async def decide(self, confirmation_id: str, decision: str, **more: Any) -> None:
        log = self.topic.open_log(f"decided {confirmation_id}")
        await log.take_decision(confirmation_id, decision=decision, given_by="ana", **more)


def _seal(data: bytes) -> str:
    return sha256_hex(data)


def calls(*made: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A reply that calls tools."""
    return {"calls": [{"tool": tool, "args": args} for tool, args in made]}


def answer(text: str) -> dict[str, Any]:
    return {"answer": text, "citations": []}
