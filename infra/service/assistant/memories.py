"""Memories in their owner's hands: add, edit and forget them; whose they are follows from who asks.

A change raises Invalid for what cannot be remembered, NotFound in the same words for what is not
there and what is another's, Conflict, and Unavailable when broker, database or projector do not
answer. The same key again changes nothing and has the same answer. Skills of agents are the
installation's: owners of all projects change them. A forgotten text is in no table of memories; it
stays in the log, as all facts do, and in the events of the turn that it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from agents.assistant.memory import (
    LONGEST_MEMORY,
    list_memory_ids,
    relate,
    tidy,
    user_namespace,
)
from infra.platform.errors import Conflict, Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import check_key, make_request, publish, redactor_of
from infra.store.tokens import Caller
from projections.read import memories as read
from projections.read.memories import MOST_LIVE, MemoryRecord
from projections.read.positions import list_folded
from projections.read.session import Conn
from schemas.envelope import SERVICE_WIDE, Envelope
from schemas.events.memory import MemoryAdded, MemoryEdited, MemoryForgotten

IDS_AT_ONCE = 20


async def add_memory(settings: Settings, caller: Caller, text: str) -> MemoryRecord:
    """Remember what the caller says; what is remembered already is answered as it is.

    What it updates or extends is replaced. Raises Conflict for the 1,001st memory.
    """
    namespace, text = namespace_of(caller), clean(settings, text)
    live = await ask(settings, lambda tables: read.list_live(tables, [namespace], MOST_LIVE))
    relation = relate(text, live)
    if relation.kind == "duplicate":
        return next(memory for memory in live if memory.memory_id == relation.memory_id)
    if len(live) >= MOST_LIVE and not relation.memory_id:
        raise Conflict(
            f"There are {MOST_LIVE:,} memories already: forget some first.",
            code="too_many_memories",
        )
    memory_id = await ask(settings, lambda tables: free_id(tables, namespace, text))
    fact = MemoryAdded(
        memory_id=memory_id,
        namespace=namespace,
        text=text,
        relation=relation.kind,
        replaces=relation.memory_id,
    )
    await publish(settings, [make_request(fact, SERVICE_WIDE, caller.name)])

    def shows(tables: Conn) -> MemoryRecord | None:
        if not read.list_used_ids(tables, [memory_id]):
            return None
        return read.read_memory(tables, memory_id, namespace)

    return await wait_until_shown(settings, shows, "The memory", memory_id=memory_id)


async def edit_memory(
    settings: Settings, caller: Caller, memory_id: str, text: str, *, key: str
) -> MemoryRecord:
    """Put other words in the place of a memory. Raises Conflict where another one says them."""
    text = clean(settings, text)
    memory = await _read(settings, caller, memory_id)
    live = await ask(settings, lambda tables: read.list_live(tables, [memory.namespace], MOST_LIVE))
    relation = relate(text, [each for each in live if each.memory_id != memory_id])
    if relation.kind == "duplicate":
        raise Conflict(
            "Another memory says this already: forget one of the two.",
            code="memory_known",
            detail={"memory_id": relation.memory_id},
        )
    fact = MemoryEdited(memory_id=memory_id, namespace=memory.namespace, text=text, request_key=key)
    request = make_request(fact, SERVICE_WIDE, caller.name)
    await publish(settings, [request])

    def shows(tables: Conn) -> MemoryRecord | None:
        if not list_folded(tables, [request.event_id]):
            return None
        return read.read_memory(tables, memory_id, memory.namespace)

    return await wait_until_shown(settings, shows, memory_id=memory_id)


async def forget_memory(settings: Settings, caller: Caller, memory_id: str, *, key: str) -> None:
    """Forget a memory, and what it has replaced: neither comes back. Raises NotFound."""
    request = _forget(caller, namespace_of(caller), memory_id, key)
    if await ask(settings, lambda tables: list_folded(tables, [request.event_id])):
        return
    memory = await _read(settings, caller, memory_id)
    chain = await ask(settings, lambda tables: read.list_chain(tables, [memory_id]))
    await _publish_all(settings, [_forget(caller, memory.namespace, it, key) for it in chain])


async def forget_memories(settings: Settings, caller: Caller, *, key: str) -> int:
    """Forget all that is remembered of the caller; returns how many memories that were."""
    namespace = namespace_of(caller)

    def question(tables: Conn) -> list[Envelope]:
        left = set(read.list_remembered(tables, namespace))
        every = read.list_ids(tables, namespace)
        requests = [_forget(caller, namespace, each, key) for each in every]
        done = list_folded(tables, [one.event_id for one in requests])
        pairs = zip(every, requests, strict=True)
        return [one for each, one in pairs if each in left or one.event_id in done]

    requests = await ask(settings, question)
    await _publish_all(settings, requests)
    return len(requests)


def namespace_of(caller: Caller) -> str:
    """Where the memories of the caller are. Raises Invalid for a name that is or holds a secret."""
    from streams.hygiene.redaction.strings import redact_text

    if redact_text(caller.name) != caller.name:
        raise Invalid(
            "The name of your token looks like a secret, and memories are kept under it in clear:"
            " have a token made with another name.",
            code="name_holds_secret",
        )
    return user_namespace(caller.name)


def may_change_skills(caller: Caller) -> bool:
    """Whether the caller may change what agents have learnt."""
    return caller.role == "owner" and caller.projects is None


def clean(settings: Settings, text: str) -> str:
    """A text as it is remembered: on one line, without secrets. Raises Invalid."""
    text = tidy(redactor_of(settings).text(text))
    if not 0 < len(text) <= LONGEST_MEMORY:
        raise Invalid(
            f"A memory is a text of 1 to {LONGEST_MEMORY:,} characters.", code="memory_invalid"
        )
    return text


def free_id(tables: Conn, namespace: str, text: str) -> str:
    """The id of a new memory of this text, which holds no secret: no memory has had it before.

    Who remembers the same meanwhile has the same id, so that it is one memory.
    """
    ids = list_memory_ids(namespace, text)
    while True:
        tried = list(islice(ids, IDS_AT_ONCE))
        used = read.list_used_ids(tables, tried)
        live = {it.memory_id: it.text for it in read.list_live(tables, [namespace], MOST_LIVE)}
        for memory_id in tried:
            says_it = memory_id in live and _is_same(namespace, live[memory_id], text)
            if says_it or memory_id not in used:
                return memory_id


def _is_same(namespace: str, one: str, other: str) -> bool:
    return next(list_memory_ids(namespace, one)) == next(list_memory_ids(namespace, other))


async def _read(settings: Settings, caller: Caller, memory_id: str) -> MemoryRecord:
    """A memory that the caller may change. Raises NotFound."""
    namespace = namespace_of(caller)
    with_skills = may_change_skills(caller)
    return await ask(
        settings,
        lambda tables: read.read_memory(tables, memory_id, namespace, with_skills=with_skills),
    )


def _forget(caller: Caller, namespace: str, memory_id: str, key: str) -> Envelope:
    """The request of this key: the same one again is the same fact."""
    fact = MemoryForgotten(memory_id=memory_id, namespace=namespace)
    check_key(key)
    return make_request(fact, SERVICE_WIDE, caller.name, f"{memory_id}|{caller.name}|{key}")


async def _publish_all(settings: Settings, requests: Sequence[Envelope]) -> None:
    """Return when the tables have taken all of them in."""
    if not requests:
        return
    await publish(settings, requests)
    event_ids = [request.event_id for request in requests]

    def are_folded(tables: Conn) -> bool | None:
        return len(list_folded(tables, event_ids)) == len(event_ids) or None

    await wait_until_shown(settings, are_folded, "The forgetting")
