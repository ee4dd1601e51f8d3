"""What the assistant remembers, and the workflows that users name: prompts with their tools.

All are on ``agent.v1``. A memory that a turn has led to is an event of that turn, key
``conversation_id``. What people do with their memories themselves has the key ``namespace``, their
workflows that of their own namespace. A memory is never evidence for the ledger.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event
from schemas.events.agent import AgentEvent

MemoryKind = Literal["fact", "skill"]
MemoryRelation = Literal["new", "updates", "extends", "duplicate"]


class MemoryStored(AgentEvent):
    """A turn has led to a memory. ``namespace``: ``user:<name>`` or ``agent:<name>``, whose it is.

    ``relation`` says how it stands to those before it, ``replaces`` which of them it takes the
    place of; empty: none. ``source_thread`` is the conversation it comes from.
    """

    type_name: ClassVar[str] = "memory.stored"

    memory_id: str
    namespace: str
    text: str
    kind: MemoryKind = "fact"
    relation: MemoryRelation = "new"
    replaces: str = ""
    source_thread: str = ""


class _OwnMemory(Event):
    """What the facts about one memory share that its owner makes outside of turns."""

    topic: ClassVar[str] = "agent.v1"
    stable_key: ClassVar[bool] = True

    memory_id: str
    namespace: str

    @property
    def aggregate_id(self) -> str:
        return self.namespace


class MemoryAdded(_OwnMemory):
    """Its owner has written down something to remember; ``relation`` as in ``memory.stored``.

    ``memory_id`` follows from namespace and text, so it alone is the natural key.
    """

    type_name: ClassVar[str] = "memory.added"

    text: str
    relation: MemoryRelation = "new"
    replaces: str = ""

    @property
    def local_key(self) -> str:
        return self.memory_id


class MemoryEdited(_OwnMemory):
    """Its owner has put other words in its place. ``request_key``: the request's key."""

    type_name: ClassVar[str] = "memory.edited"

    text: str
    request_key: str

    @property
    def local_key(self) -> str:
        return f"{self.memory_id}|{self.request_key}"


class MemoryForgotten(_OwnMemory):
    """It is not remembered any more, whatever was or will be said about it before or after."""

    type_name: ClassVar[str] = "memory.forgotten"

    @property
    def local_key(self) -> str:
        return self.memory_id


class _Workflow(Event):
    """What the facts about one named workflow share. ``owner`` is the namespace of its user."""

    topic: ClassVar[str] = "agent.v1"
    stable_key: ClassVar[bool] = True

    owner: str
    name: str
    request_key: str

    @property
    def aggregate_id(self) -> str:
        return self.owner

    @property
    def local_key(self) -> str:
        return f"{self.owner}|{self.name}|{self.request_key}"


class WorkflowSaved(_Workflow):
    """A user has a workflow of this name from now on; one of the same name is replaced."""

    type_name: ClassVar[str] = "assistant.workflow_saved"

    prompt: str
    tools: list[str] = []


class WorkflowRemoved(_Workflow):
    type_name: ClassVar[str] = "assistant.workflow_removed"


MEMORY_EVENTS: tuple[type[Event], ...] = (
    MemoryStored,
    MemoryAdded,
    MemoryEdited,
    MemoryForgotten,
    WorkflowSaved,
    WorkflowRemoved,
)
