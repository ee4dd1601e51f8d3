"""What all agents share that work on one message to the assistant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from agents.assistant.providers import Provider
from agents.models.call import ChatModel
from agents.project.answer_stream import AnswerStream
from agents.project.state import Citation
from agents.runs.confirmations import Decision
from agents.runs.effects import Effects, Json
from agents.runs.saver import RunSaver
from agents.tools.retrieval import ToolRegistry
from agents.tools.tool import ToolContext, ToolRole
from schemas.events.agent import AgentEvent

E = TypeVar("E", bound=AgentEvent)


class RunRecords(Protocol):
    """The log of the run, as far as it has come."""

    @property
    def is_resumed(self) -> bool:
        """Whether the run has run before: pieces that it told then may not stay."""
        ...

    async def record(self, kind: type[AgentEvent], /, **fields: Any) -> datetime:
        """The event of this step is in the log; the time that it has there."""
        ...

    def list_told(self, kind: type[E]) -> Sequence[E]:
        """The events of a kind that the run has told by now, in their order."""
        ...

    def is_asked(self, confirmation_id: str) -> bool:
        """Whether a person has been asked about this call."""
        ...

    def list_declined(self) -> Mapping[str, str]:
        """What the model is told of each call that was declined in this run, by `name_call`."""
        ...


@dataclass(frozen=True, slots=True)
class Workflow:
    """What a user has written down under a name: how to work, and with which tools."""

    name: str
    prompt: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """What the agents of a project have answered."""

    text: str
    citations: tuple[Citation, ...] = ()
    is_error: bool = False


class AssistantPorts(Protocol):
    """What the assistant needs of the rest of Cairn. What is read is recorded by the caller."""

    async def list_memories(self, namespaces: Sequence[str]) -> Sequence[Json]:
        """The live memories of these namespaces, each with the fields of `Memory`."""
        ...

    async def prepare_memory(self, namespace: str, text: str) -> Json:
        """``text`` without secrets, on one line, and ``memory_id``, which no memory of it has had;
        empty texts where nothing is left of it.
        """
        ...

    async def read_thread(self, thread: str, before_turn: str) -> Sequence[Json]:
        """The notes with which an agent goes on in a conversation, of its last work there."""
        ...

    async def ask_project(self, question: str, work_id: str) -> Answered:
        """The answer of the agents of the chosen project; their effects belong to ``work_id``.

        Raises WaitsForConfirmation.
        """
        ...


@dataclass(frozen=True, slots=True)
class AssistantRun:
    """One message to the assistant and what answers it.

    ``request`` is the message, ``said`` what the user has said last in this conversation, with it.
    ``project_id`` is that of the chosen project, or of none (``SERVICE_WIDE``). ``decisions`` are
    those of people about calls of this run, in the order in which they were made. What a fork has
    gone through is no experience: nothing is learnt from it.
    """

    run_id: str
    conversation_id: str
    owner: str
    request: str
    said: tuple[str, ...]
    project_id: str
    role: ToolRole
    began: datetime
    time_zone: str
    model: ChatModel | None
    effects: Effects
    records: RunRecords
    ports: AssistantPorts
    tools: ToolRegistry
    providers: Mapping[str, Provider]
    save: Callable[[str], RunSaver | None]
    answer_stream: AnswerStream
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    workflow: Workflow | None = None
    has_project: bool = False
    is_fork: bool = False

    def context(self, effect_id: str) -> ToolContext:
        return ToolContext(self.project_id, self.owner, self.role, effect_id)
