"""Conversations with the assistant in lists: their owner's, of projects that they may see."""

from __future__ import annotations

from datetime import timedelta

from projections.read import agents, memories
from projections.read.viewer import Viewer
from schemas.envelope import SERVICE_WIDE, Envelope, outside_fact
from schemas.events.agent import AgentEvent, RequestReceived
from schemas.events.memory import MemoryStored
from tests.projections.builders import START
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log

ALL = Viewer("ana")
OF_ONE = Viewer("ana", frozenset(("prj_1",)))
OF_NONE = Viewer("ana", frozenset())


def a_fact(event: AgentEvent, minutes: int) -> Envelope:
    at = START + timedelta(minutes=minutes)
    return outside_fact(event, project_id=SERVICE_WIDE, occurred_at=at, actor=PERSON)


def asked(
    conversation: str, turn: str, minutes: int, project: str = "", owner: str = "ana"
) -> Envelope:
    event = RequestReceived(
        conversation_id=conversation,
        turn_id=turn,
        ordinal=0,
        text=f"This is {turn}.",
        agent="comms",
        owner=owner,
        project=project,
    )
    return a_fact(event, minutes)


def learnt(conversation: str, turn: str, namespace: str, number: int) -> Envelope:
    event = MemoryStored(
        conversation_id=conversation,
        turn_id=turn,
        ordinal=number,
        memory_id=f"mry_{number}",
        namespace=namespace,
        text=f"Fact {number} is so",
        source_thread=conversation,
    )
    return a_fact(event, number)


def talked(model: ReadModel) -> ReadModel:
    """Four conversations: about no project, one, another and both; and one of somebody else."""
    log = Log()
    for fact in (
        asked("cnv_none", "trn_1", 1),
        asked("cnv_1", "trn_2", 2, "prj_1"),
        asked("cnv_1", "trn_3", 3),
        asked("cnv_2", "trn_4", 4, "prj_2"),
        asked("cnv_both", "trn_5", 5, "prj_1"),
        asked("cnv_both", "trn_6", 6, "prj_2"),
        asked("cnv_both", "trn_7", 7),  # its answer may quote what was said before
        asked("cnv_bo", "trn_8", 8, owner="bo"),
        learnt("cnv_none", "trn_1", "user:ana", 1),
        learnt("cnv_2", "trn_4", "user:ana", 2),
        learnt("cnv_bo", "trn_8", "agent:mail", 3),
        learnt("cnv_2", "trn_4", "agent:mail", 4),
    ):
        log.write(fact)
    return model.fold(log.records)


def test_a_list_holds_the_conversations_alone_whose_projects_one_may_see(model: ReadModel):
    talked(model)

    def listed(viewer: Viewer) -> list[str]:
        page = agents.list_own_conversations(model.connection, viewer, limit=1)
        items = [*page.items]
        while page.next_cursor:
            page = agents.list_own_conversations(
                model.connection, viewer, limit=1, cursor=page.next_cursor
            )
            items += page.items
        return [one.conversation_id for one in items]

    assert listed(ALL) == ["cnv_both", "cnv_2", "cnv_1", "cnv_none"]
    assert listed(OF_ONE) == ["cnv_1", "cnv_none"]
    assert listed(OF_NONE) == ["cnv_none"]
    assert listed(Viewer("bo", frozenset())) == ["cnv_bo"]


def test_a_list_holds_the_messages_alone_whose_conversations_one_may_see(model: ReadModel):
    talked(model)

    def listed(viewer: Viewer, conversation: str | None = None) -> list[str]:
        page = agents.list_turns(
            model.connection, SERVICE_WIDE, viewer=viewer, conversation=conversation
        )
        return [one.turn_id[-1] for one in page.items]

    assert listed(ALL) == list("7654321")
    assert listed(OF_ONE) == list("321")
    assert listed(OF_NONE) == list("1")
    assert listed(OF_ONE, "cnv_both") == []
    assert listed(Viewer("bo")) == ["8"]


def test_a_memory_does_not_name_a_conversation_that_one_may_not_see(model: ReadModel):
    talked(model)

    def sources(viewer: Viewer) -> list[tuple[str, str]]:
        own = memories.list_memories(model.connection, "user:ana", viewer).items
        skills = memories.list_skills(model.connection, viewer).items
        return [(one.source_thread, one.source_turn) for one in (*own, *skills)]

    none, two = ("cnv_none", "trn_1"), ("cnv_2", "trn_4")
    assert sources(ALL) == [two, none, ("", ""), two]
    assert sources(OF_ONE) == [("", ""), none, ("", ""), ("", "")]
    assert sources(Viewer("bo")) == [("", ""), ("", ""), ("cnv_bo", "trn_8"), ("", "")]
