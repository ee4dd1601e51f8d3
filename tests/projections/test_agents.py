"""Conversations with the agents in the tables: who said, thought, called and decided what."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from infra.platform.errors import NotFound
from infra.service.asking.turn_log import event_of
from projections.read import agents
from schemas.envelope import Envelope, outside_fact
from schemas.events.agent import (
    AgentCitation,
    AgentEvent,
    AgentOutput,
    ConfirmationGiven,
    ConfirmationRequested,
    EffectPosition,
    EffectRecorded,
    RequestReceived,
    Responded,
    ResultProduced,
    Routed,
    ThoughtRecorded,
    ToolCalled,
    ToolReturned,
)
from tests.projections.builders import PROJECT, START
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log

CITED = AgentCitation(cited_id="atm_1", path="docs/a.md", line_start=3, snippet="It must.")
CALL = EffectPosition(effect_id="eff_1", node="assistant", iteration=2, number=1, input_hash="h")


def a_turn(turn_id: str, minutes: int = 0, question: str = "How is it?") -> list[Envelope]:
    """A turn with an event of nearly every kind."""
    told: list[tuple[type[AgentEvent], dict[str, Any]]] = [
        (RequestReceived, {"text": question, "role": "owner"}),
        (Routed, {"agent": "supervisor", "iteration": 1, "next_agent": "assistant"}),
        (ThoughtRecorded, {"agent": "supervisor", "thought": "By rule it is the planner."}),
        (ToolCalled, {"position": CALL, "tool": "list_tasks", "arguments": '{"status":"open"}'}),
        (ToolReturned, {"position": CALL, "tool": "list_tasks", "answer": '{"text":"none"}'}),
        (EffectRecorded, {"position": CALL, "kind": "clock", "answer": '{"now":"x"}'}),
        (ResultProduced, {"iteration": 2, "result": a_result()}),
        (Responded, {"text": "All is well.", "agent": "assistant", "citations": [CITED]}),
    ]
    told[1][1].update(message_to_agent=question, thought="It is a question.")
    return [a_fact(kind, turn_id, at, minutes, fields) for at, (kind, fields) in enumerate(told)]


def a_result() -> AgentOutput:
    return AgentOutput(
        agent="assistant",
        result_type="answer",
        output='{"rounds":1}',
        response="All is well.",
        citations=[CITED],
        started_at=START,
        finished_at=START,
    )


def a_fact(
    kind: type[AgentEvent], turn_id: str, ordinal: int, minutes: int, fields: dict[str, Any]
) -> Envelope:
    event = kind(conversation_id="cnv_1", turn_id=turn_id, ordinal=ordinal, **fields)
    at = START + timedelta(minutes=minutes, seconds=ordinal)
    return outside_fact(event, project_id=PROJECT, occurred_at=at, actor=PERSON)


def folded(model: ReadModel, *facts: Envelope, times: int = 1) -> ReadModel:
    log = Log()
    for fact in facts:
        for _ in range(times):
            log.write(fact)
    return model.fold(log.records)


@pytest.mark.parametrize("times", [1, 2])
def test_a_conversation_is_told_in_its_order_with_what_its_answers_cite(
    model: ReadModel, times: int
):
    later = a_turn("trn_a", 10, "And now?")
    folded(model, *a_turn("trn_b", 0, "How  is\nit?"), *later, times=times)

    (shown,) = agents.list_conversations(model.connection, PROJECT).items
    said = agents.list_messages(model.connection, shown.conversation_id)

    assert (shown.title, shown.started_by) == ("How is it?", PERSON.id)
    assert shown.updated_at > shown.started_at
    assert [(one.role, one.content) for one in said] == [
        ("user", "How  is\nit?"),
        ("assistant", "All is well."),
        ("user", "And now?"),
        ("assistant", "All is well."),
    ]
    assert said[1].citations == [CITED.model_dump()]
    newest = agents.list_newest_messages(model.connection, "cnv_1", "trn_a", 10)
    assert [one["content"] for one in newest] == ["How  is\nit?", "All is well."]
    assert len(agents.list_newest_messages(model.connection, "cnv_1", "trn_c", 3)) == 3


def test_turns_are_listed_by_their_questions_the_newest_first(model: ReadModel):
    folded(model, *a_turn("trn_a", 0, "How is it?"), *a_turn("trn_b", 5, "And now?")[:1])

    newest = agents.list_turns(model.connection, PROJECT, limit=1)
    assert newest.next_cursor
    oldest = agents.list_turns(model.connection, PROJECT, cursor=newest.next_cursor)

    listed = [*newest.items, *oldest.items]
    assert [(one.question, one.answered_by) for one in listed] == [
        ("And now?", None),
        ("How is it?", "assistant"),
    ]
    assert not agents.list_turns(model.connection, PROJECT, conversation="cnv_2").items
    assert not agents.list_turns(model.connection, "prj_other").items


def test_the_title_of_a_conversation_is_its_first_words_whole(model: ReadModel):
    begins = "Which of the requirements about acknowledged writes contradict another"
    folded(model, *a_turn("t1", question=f"{begins} requirement?"))
    (shown,) = agents.list_conversations(model.connection, PROJECT).items
    assert shown.title == f"{begins}…"


def test_every_event_of_a_turn_is_a_row_from_which_it_is_made_again(model: ReadModel):
    facts = a_turn("trn_1")
    folded(model, *facts, times=2)

    known = agents.list_turn_events(model.connection, "trn_1")

    assert [event_of(one) for one in known] == [fact.event for fact in facts]
    assert [one.event_id for one in known] == [fact.event_id for fact in facts]
    answer = agents.find_turn_answer(model.connection, "trn_1")
    assert answer
    assert (answer.content, answer.author, answer.engine) == ("All is well.", "assistant", "rules")


def test_results_thoughts_and_tool_calls_have_rows_of_their_own(model: ReadModel):
    folded(model, *a_turn("trn_1"))

    assert model.rows("SELECT agent, output, response FROM agent_results") == [
        ("assistant", {"rounds": 1}, "All is well.")
    ]
    assert model.rows("SELECT agent, thought FROM agent_thoughts") == [
        ("supervisor", "By rule it is the planner.")
    ]
    call = "SELECT tool, agent, arguments, answer, called_ordinal, returned_ordinal FROM tool_calls"
    assert model.rows(call) == [
        ("list_tasks", "assistant", {"status": "open"}, {"text": "none"}, 3, 4)
    ]


def test_a_confirmation_waits_until_it_is_decided(model: ReadModel):
    asked = {"confirmation_id": "cnf_1", "tool": "delete_task", "summary": "Delete task-1."}
    facts = [
        *a_turn("trn_1")[:3],
        a_fact(ConfirmationRequested, "trn_1", 3, 0, asked | {"arguments": '{"task":"1"}'}),
    ]
    given = {"confirmation_id": "cnf_1", "decision": "edit", "arguments": '{"task":"2"}'}
    facts.append(a_fact(ConfirmationGiven, "trn_1", 4, 0, given | {"given_by": "ana"}))
    log = Log()
    for fact in facts:
        log.write(fact)

    model.fold(log.records[:-1])
    (waiting,) = agents.list_open_confirmations(model.connection, "cnv_1")
    assert (waiting.tool, waiting.arguments, waiting.decision) == (
        "delete_task",
        {"task": "1"},
        None,
    )

    model.fold(log.records[-1:])

    assert not agents.list_open_confirmations(model.connection, "cnv_1")
    decided = agents.read_confirmation(model.connection, PROJECT, "cnf_1")
    assert (decided.decision, decided.changed_arguments) == ("edit", {"task": "2"})
    assert decided.given_by == "ana"


def test_another_project_knows_nothing_of_it(model: ReadModel):
    folded(model, *a_turn("trn_1"))

    assert not agents.list_conversations(model.connection, "prj_other").items
    with pytest.raises(NotFound):
        agents.read_conversation(model.connection, "prj_other", "cnv_1")
    with pytest.raises(NotFound):
        agents.read_confirmation(model.connection, "prj_other", "cnf_1")
