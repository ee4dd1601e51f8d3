"""What outlives a run, as LangGraph's store: memories, under the namespaces of users and agents.

Reading is an effect of the node that reads, writing an event of the run, so that both are answered
from the log when the run is taken up again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from langgraph.store.base import BaseStore, Op, PutOp, Result, SearchItem, SearchOp
from pydantic import TypeAdapter

from agents.assistant.memory import Memory, rank, relate
from agents.assistant.run import AssistantPorts, RunRecords
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from schemas.events.memory import MemoryStored

MEMORY = TypeAdapter(Memory)
MOST_FOUND = 10
NEAR = 20  # memories that a new one is compared with


class RunStore(BaseStore):
    """The store of one run. ``effects`` is where the node stands that uses it."""

    def __init__(
        self, ports: AssistantPorts, records: RunRecords, effects: RunEffects, began: datetime
    ) -> None:
        self._ports, self._records, self._began = ports, records, began
        self.effects = effects

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return [await self._do(op) for op in ops]

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        raise NotImplementedError("the store of a run is asked in its loop")

    async def find(self, namespace: str, query: str, limit: int = MOST_FOUND) -> list[Memory]:
        """The memories of a namespace that the query is about, also those of this very run."""

        async def look() -> Json:
            return {"memories": await self._look(namespace, query, limit)}

        recorded = await self.effects.run(
            "read", {"what": "memories", "namespace": namespace}, look
        )
        return self._add_own(namespace, _read(recorded), query, limit)

    async def keep(
        self, namespace: str, text: str, *, kind: str, source_thread: str, effects: RunEffects
    ) -> str:
        """Store what is new in ``text``; which relation it has to what is known."""

        async def look() -> Json:
            # Listed before the id is drawn: what others remember or forget meanwhile is seen there.
            listed = await self._ports.list_memories([namespace])
            prepared = await self._ports.prepare_memory(namespace, text)
            near = _rank(prepared["text"], listed, NEAR)
            return {"memories": near, **prepared}

        recorded = await effects.run("read", {"what": "near", "namespace": namespace}, look)
        text = recorded["text"]
        relation = relate(text, self._add_own(namespace, _read(recorded), text, NEAR))
        if text and relation.kind != "duplicate":
            await self._records.record(
                MemoryStored,
                memory_id=recorded["memory_id"],
                namespace=namespace,
                text=text,
                kind=kind,
                relation=relation.kind,
                replaces=relation.memory_id,
                source_thread=source_thread,
            )
        return relation.kind

    async def _look(self, namespace: str, query: str, limit: int) -> list[Json]:
        return _rank(query, await self._ports.list_memories([namespace]), limit)

    def _add_own(
        self, namespace: str, matches: Sequence[Memory], query: str, limit: int
    ) -> list[Memory]:
        """With what this run has stored, which the tables may not hold yet; the best first."""
        events = self._records.list_told(MemoryStored)
        stored = [one for one in events if one.namespace == namespace]
        replaced = {one.replaces for one in stored}
        own = [
            Memory(
                memory_id=one.memory_id,
                namespace=one.namespace,
                text=one.text,
                kind=one.kind,
                created_at=self._began,
                source_thread=one.source_thread,
            )
            for one in stored
        ]
        by_id = {one.memory_id: one for one in (*matches, *own) if one.memory_id not in replaced}
        return list(rank(query, by_id.values(), limit))

    async def _do(self, op: Op) -> Result:
        match op:
            case SearchOp():
                matches = await self.find(":".join(op.namespace_prefix), op.query or "", op.limit)
                return [_as_item(one) for one in matches]
            case PutOp(value=dict() as value):
                kept = {name: str(value[name]) for name in ("kind", "source_thread")}
                namespace, text = ":".join(op.namespace), str(value["text"])
                await self.keep(namespace, text, effects=self.effects, **kept)
                return None
            case _:
                raise NotImplementedError("memories are searched and added")


def _rank(query: str, listed: Iterable[Json], limit: int) -> list[Json]:
    ranked = rank(query, map(MEMORY.validate_python, listed), limit)
    return [MEMORY.dump_python(one, mode="json") for one in ranked]


def _as_item(memory: Memory) -> SearchItem:
    return SearchItem(
        namespace=tuple(memory.namespace.split(":", 1)),
        key=memory.memory_id,
        value={"text": memory.text, "kind": memory.kind},
        created_at=memory.created_at,
        updated_at=memory.created_at,
    )


def _read(recorded: Json) -> list[Memory]:
    return [MEMORY.validate_python(one) for one in recorded["memories"]]
