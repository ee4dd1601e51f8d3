"""Memories in the tables: the same end in any order of partitions, and nobody else's."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest

from infra.platform.errors import NotFound
from projections.read import memories
from projections.read.memories import list_live
from projections.read.viewer import Viewer
from schemas.envelope import SERVICE_WIDE, Envelope, Event, outside_fact
from schemas.events.memory import (
    MemoryAdded,
    MemoryEdited,
    MemoryForgotten,
    MemoryStored,
    WorkflowRemoved,
    WorkflowSaved,
)
from tests.projections.builders import START
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log

ANA, BO = "user:ana", "user:bo"
ONE, TWO = "mry_1", "mry_2"


def a_fact(event: Event, minutes: int = 0) -> Envelope:
    at = START + timedelta(minutes=minutes)
    return outside_fact(event, project_id=SERVICE_WIDE, occurred_at=at, actor=PERSON)


def stored(
    text: str, memory_id: str = ONE, minutes: int = 0, turn: str = "trn_1", **more: str
) -> Envelope:
    event = MemoryStored(
        conversation_id="cnv_1",
        turn_id=turn,
        ordinal=minutes,
        memory_id=memory_id,
        text=text,
        source_thread="cnv_1",
        **({"namespace": ANA} | more),  # type: ignore[arg-type]
    )
    return a_fact(event, minutes)


def added(text: str, memory_id: str, minutes: int = 0, replaces: str = "") -> Envelope:
    event = MemoryAdded(memory_id=memory_id, namespace=ANA, text=text, replaces=replaces)
    return a_fact(event, minutes)


def edited(text: str, memory_id: str = ONE, key: str = "k", namespace: str = ANA) -> Envelope:
    event = MemoryEdited(memory_id=memory_id, namespace=namespace, text=text, request_key=key)
    return a_fact(event, 5)


def forgotten(memory_id: str = ONE, namespace: str = ANA) -> Envelope:
    return a_fact(MemoryForgotten(memory_id=memory_id, namespace=namespace), 9)


def saved(name: str, prompt: str, key: str = "k", owner: str = ANA) -> Envelope:
    event = WorkflowSaved(owner=owner, name=name, prompt=prompt, tools=["find"], request_key=key)
    return a_fact(event)


def folded(model: ReadModel, *facts: Envelope, times: int = 1) -> ReadModel:
    log = Log()
    for fact in facts:
        for _ in range(times):
            log.write(fact)
    return model.fold(log.records)


def texts(model: ReadModel, namespace: str = ANA) -> list[str]:
    return [memory.text for memory in list_live(model.connection, [namespace], 10)]


def test_live_memories_come_newest_first_and_to_their_namespace_alone(model: ReadModel):
    folded(
        model,
        stored("I prefer tabs"),
        stored("The demo is on Friday", TWO, 1),
        stored("I like tea", "mry_3", 2, namespace=BO),
        times=2,
    )
    newest, oldest = list_live(model.connection, [ANA], 10)
    assert (newest.text, oldest.text) == ("The demo is on Friday", "I prefer tabs")
    assert (oldest.source_thread, oldest.source_turn) == ("cnv_1", "trn_1")
    assert texts(model, BO) == ["I like tea"]
    assert len(list_live(model.connection, [ANA, BO], 2)) == 2
    assert list_live(model.connection, [], 10) == []
    with pytest.raises(NotFound) as anothers:
        memories.read_memory(model.connection, "mry_3", ANA)
    with pytest.raises(NotFound) as nobodys:
        memories.read_memory(model.connection, "mry_4", ANA)
    assert str(anothers.value).replace("mry_3", "") == str(nobodys.value).replace("mry_4", "")


def test_a_memory_that_replaces_another_stands_alone(model: ReadModel):
    folded(model, added("I prefer spaces", TWO, 1, replaces=ONE), stored("I prefer tabs"))
    assert texts(model) == ["I prefer spaces"]
    assert memories.list_chain(model.connection, [TWO]) == [ONE, TWO]


def test_nobody_replaces_or_edits_the_memory_of_another(model: ReadModel):
    folded(
        model,
        stored("I prefer tabs"),
        stored("I prefer spaces", TWO, 1, namespace=BO, replaces=ONE),
        edited("I like spaces", namespace=BO),
        forgotten(namespace=BO),
    )
    assert texts(model) == ["I prefer tabs"]


def test_a_forgotten_memory_keeps_no_text_and_never_comes_back(model: ReadModel):
    folded(
        model,
        stored("I prefer tabs"),
        edited("I prefer hard tabs"),
        forgotten(),
        edited("I prefer soft tabs", key="later"),
        stored("I prefer tabs", turn="trn_2"),
    )
    assert texts(model) == []
    assert model.rows("SELECT text, edited_text FROM memories") == [(None, None)]
    assert memories.list_used_ids(model.connection, [ONE, TWO]) == {ONE}


def test_what_is_left_does_not_depend_on_the_order_of_the_partitions(model: ReadModel):
    turns = [stored("I prefer tabs"), stored("I prefer hard tabs", turn="trn_2", minutes=2)]
    own = [edited("I like tabs"), forgotten()]
    other = [added("I like spaces", TWO, 3, replaces=ONE), edited("I like soft tabs", TWO)]
    facts = [*turns, *own, *other]
    owners = [*own, *other]
    ends = set()
    for order in permutations(range(len(facts))):
        kept = [facts[at] for at in order]
        if [fact for fact in kept if fact in owners] == owners:  # one key, one order
            folded(model.emptied(), *kept)
            ends.add(str(state_of(model)))
    assert len(ends) == 1


def state_of(model: ReadModel) -> list[tuple[object, ...]]:
    return model.rows(
        "SELECT memory_id, kind, text, metadata, replaces, source_turn, created_at, edited_text,"
        " edited_at, forgotten_at FROM memories ORDER BY memory_id"
    )


def test_a_memory_stored_in_a_turn_is_one_of_its_events(model: ReadModel):
    folded(model, stored("I prefer tabs"))
    (kind,) = model.rows("SELECT event_type FROM agent_events WHERE turn_id = 'trn_1'")
    assert kind == ("memory.stored",)


def test_pages_of_memories_and_of_skills(model: ReadModel):
    facts = [stored(f"The number {at} is mine", f"mry_{at}", at) for at in range(5)]
    skill = stored("Search again.", "mry_s", 9, namespace="agent:gmail", kind="skill")
    folded(model, *facts, skill)
    ana = Viewer("ana")
    page = memories.list_memories(model.connection, ANA, ana, limit=3)
    rest = memories.list_memories(model.connection, ANA, ana, limit=3, cursor=page.next_cursor)
    assert [memory.memory_id[-1] for memory in (*page.items, *rest.items)] == list("43210")
    (skills,) = memories.list_skills(model.connection, ana).items
    assert (skills.namespace, skills.kind) == ("agent:gmail", "skill")


def test_workflows_of_a_user_as_they_were_saved_last(model: ReadModel):
    gone = WorkflowRemoved(owner=ANA, name="old", request_key="k2")
    folded(
        model,
        saved("triage", "Sort my mail."),
        saved("triage", "Sort all mail.", key="k2"),
        saved("old", "Do it."),
        a_fact(gone),
        saved("triage", "Of Bo.", owner=BO),
    )
    (workflow,) = memories.list_workflows(model.connection, ANA).items
    assert (workflow.name, workflow.prompt, workflow.tools) == (
        "triage",
        "Sort all mail.",
        ["find"],
    )
    with pytest.raises(NotFound):
        memories.read_workflow(model.connection, ANA, "old")
