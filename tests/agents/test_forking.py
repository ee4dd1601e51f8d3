"""What may be changed of a run when it is forked, and how two runs are told apart."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.runs.comparing import Step, find_differing, find_divergence
from agents.runs.confirmations import name_confirmation
from agents.runs.cost import Cost, read_cost
from infra.platform.errors import Invalid
from infra.service.asking.agent_parts import TurnContext
from infra.service.asking.agent_turns import begin_state
from infra.service.asking.turn_log import TURNS
from infra.service.runs.family import RunEvent
from infra.service.runs.forking import change_event, copy_until
from schemas.envelope import Event
from schemas.events.agent import (
    ConfirmationGiven,
    ConfirmationRequested,
    EffectPosition,
    EffectRecorded,
    RequestReceived,
    Routed,
    ToolCalled,
    ToolReturned,
)

AT = EffectPosition(effect_id="eff_1", node="assistant", iteration=2, number=1, input_hash="h")
ASKED = name_confirmation(AT.effect_id)
ANSWER: dict[str, Any] = {
    "reply": {"tool": "list_tasks", "args": {}},
    "seen": [{"id": 1}, {"id": 2}],
}
ANSWER |= {"found": [], "error": None}
TOLD: list[tuple[type[Event], dict[str, Any]]] = [
    (RequestReceived, {"text": "Delete it", "role": "pm"}),
    (EffectRecorded, {"position": AT, "kind": "model", "answer": json.dumps(ANSWER)}),
    (Routed, dict.fromkeys(("agent", "next_agent", "message_to_agent", "thought"), "assistant")),
    (
        ConfirmationRequested,
        {"confirmation_id": ASKED, "tool": "t", "arguments": "{}", "summary": ""},
    ),
    (ConfirmationGiven, {"confirmation_id": ASKED, "decision": "approve", "given_by": "bo"}),
    (ToolCalled, {"position": AT, "tool": "t", "arguments": "{}"}),
    (ToolReturned, {"position": AT, "tool": "t", "answer": '{"text": "Done."}'}),
]


def events() -> list[RunEvent]:
    place = {"conversation_id": "cnv_1", "turn_id": "trn_1"}
    TOLD[2][1]["iteration"] = 1
    at = datetime(2026, 11, 2, tzinfo=UTC)
    return [
        RunEvent(number, kind.model_validate(place | {"ordinal": number} | fields), at)
        for number, (kind, fields) in enumerate(TOLD)
    ]


@pytest.mark.parametrize(("at", "last"), [(2, 2), (3, 2), (4, 2), (5, 2), (6, 6)])
def test_an_approval_is_taken_over_with_the_result_of_its_call_alone(at: int, last: int):
    assert max(copy_until(TURNS, events(), at, {}, "ana")) == last


def test_a_value_of_an_answer_is_changed_where_it_stands():
    changes = {"reply.tool": "list_sprints", "seen.1.id": 7}
    changed = copy_until(TURNS, events(), 1, changes, "ana")[1]
    assert isinstance(changed, EffectRecorded)
    assert json.loads(changed.answer) == {
        "reply": {"tool": "list_sprints", "args": {}},
        "seen": [{"id": 1}, {"id": 7}],
        "found": [],
        "error": None,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"reply": {"answer": "There are none.", "citations": []}},
        {"reply.args": {"limit": 5}},
        {"seen": []},
        {"seen": [{"id": 3}, {"id": 4}, {"id": 5}]},
        {"found": []},
        {"error": "It failed."},
    ],
)
def test_a_value_may_be_changed_to_one_of_its_kind(changes: dict[str, Any]):
    changed = copy_until(TURNS, events(), 1, changes, "ana")[1]
    assert isinstance(changed, EffectRecorded)
    ((path, value),) = changes.items()
    answer = json.loads(changed.answer)
    for name in path.split("."):
        answer = answer[name]
    assert answer == value


def test_a_changed_decision_is_that_of_who_forks():
    changed = copy_until(TURNS, events(), 4, {"arguments": {"task": "task-2"}}, "ana")[4]
    assert isinstance(changed, ConfirmationGiven)
    assert (changed.decision, changed.given_by) == ("edit", "ana")
    assert json.loads(changed.arguments or "") == {"task": "task-2"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"arguments": None}, "no_edit"),
        ({"decision": "edit"}, "no_edit"),
        ({"decision": "edit", "arguments": ["task-2"]}, "no_edit"),
        ({"decision": "approve", "arguments": {"task": "task-2"}}, "no_edit"),
        ({"decision": "reject", "arguments": {"task": "task-2"}}, "no_edit"),
        ({"reason": "It is old."}, "change_invalid"),
        ({"decision": "reject", "reason": "x" * 1_001}, "change_invalid"),
    ],
)
def test_a_changed_decision_says_all_that_the_call_needs(changes: dict[str, Any], code: str):
    with pytest.raises(Invalid) as refused:
        change_event(TURNS, events()[4].event, changes, "ana")
    assert refused.value.code == code


def test_a_declined_call_may_get_another_reason_and_an_edited_one_its_own_arguments():
    given = events()[4].event
    declined = change_event(
        TURNS, given.model_copy(update={"decision": "reject"}), {"reason": "Keep it."}, "ana"
    )
    assert isinstance(declined, ConfirmationGiven)
    assert (declined.decision, declined.reason, declined.given_by) == ("reject", "Keep it.", "ana")
    edited = given.model_copy(update={"decision": "edit", "arguments": '{"task": "task-2"}'})
    approved = change_event(TURNS, edited, {"decision": "approve"}, "ana")
    assert isinstance(approved, ConfirmationGiven)
    assert (approved.decision, approved.arguments) == ("approve", None)


CONTEXT: dict[str, Any] = {
    "project": {"project_id": "prj_1", "name": "Hoist", "counts_by_kind": {}},
    "history": [],
    "asked_by": "bo",
    "has_model": False,
}


@pytest.mark.parametrize(
    "changes",
    [
        {"project.project_id": "prj_2"},
        {"project": CONTEXT["project"] | {"project_id": "prj_2"}},
        {"asked_by": "bo"},
        {"project.name": "Crane", "project.project_id": "prj_2"},
    ],
)
def test_a_fork_stays_in_its_project_and_is_asked_by_who_forks(changes: dict[str, Any]):
    read = EffectRecorded.model_validate(
        {"conversation_id": "cnv_1", "turn_id": "trn_1", "ordinal": 1, "position": AT}
        | {"kind": "read", "answer": json.dumps(CONTEXT)}
    )
    with pytest.raises(Invalid) as refused:
        change_event(TURNS, read, changes, "ana")
    assert refused.value.code == "change_invalid"
    renamed = change_event(TURNS, read, {"project.name": "Crane"}, "ana")
    assert isinstance(renamed, EffectRecorded)
    assert json.loads(renamed.answer)["project"]["name"] == "Crane"


def test_a_turn_is_of_the_project_that_it_was_asked_in_whatever_its_records_say():
    context = TurnContext(
        project={"project_id": "prj_2", "name": "x", "counts_by_kind": {}},
        history=[],
        has_model=False,
    )
    assert begin_state("Delete it", context, "prj_1")["project"].project_id == "prj_1"


@pytest.mark.parametrize(
    ("at", "changes", "code"),
    [
        (1, {"reply": 5}, "change_invalid"),
        (1, {"reply.tool": None}, "change_invalid"),
        (1, {"seen.0.id": True}, "change_invalid"),
        (1, {"seen": [{"id": "one"}]}, "change_invalid"),
        (1, {"seen": [{"name": 1}]}, "change_invalid"),
        (1, {"seen": [{"id": 1}, None]}, "change_invalid"),
        (1, {"reply": {"tool": None}}, "change_invalid"),
        (1, {"found": [{"id": 1}]}, "change_invalid"),
        (1, {"error": {"code": 1}}, "change_invalid"),
        (1, {"seen." + "9" * 5_000: {}}, "unknown_field"),
        (0, {"role": "owner"}, "unknown_field"),
        (1, {"reply.colour": "red"}, "unknown_field"),
        (1, {"seen.2": {}}, "unknown_field"),
        (2, {"thought": "It plans."}, "event_follows"),
        (4, {"given_by": "bo"}, "unknown_field"),
        (4, {"decision": "perhaps"}, "change_invalid"),
    ],
)
def test_nothing_else_can_be_changed(at: int, changes: dict[str, Any], code: str):
    with pytest.raises(Invalid) as refused:
        change_event(TURNS, events()[at].event, changes, "ana")
    assert refused.value.code == code


PLAIN = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN, PLAIN)
def test_two_values_differ_somewhere_unless_they_are_equal(a: Any, b: Any):
    assert bool(find_differing(a, b)) == (a != b)
    assert find_differing(a, a) == []


def test_runs_part_at_the_first_event_that_is_not_the_same_but_for_their_names_and_times():
    a = [Step(0, "x", {"turn_id": "a", "text": "hello"}), Step(1, "y", {"now": 1})]
    b = [Step(0, "x", {"turn_id": "b", "text": "hello"}), Step(1, "y", {"now": 2})]
    assert find_divergence(a, b) is None
    parted = find_divergence(a, b[:1])
    assert parted and (parted.ordinal, parted.b) == (1, None)
    asked = [[Step(1, "y", {"answer": {"asked_by": by}})] for by in ("ana", "bo")]
    assert find_divergence(*asked) is None
    other = find_divergence(a, [Step(0, "x", {"turn_id": "b", "text": "bye"})])
    assert other and (other.ordinal, other.fields) == (0, ("text",))


def test_both_forms_of_a_models_answer_say_what_it_has_cost():
    whole = {"usage": {"input_tokens": 100, "output_tokens": 20}, "cost_usd": 0.25}
    short = {"reply": {}, "tokens": 30, "cost_usd": 0.5}
    failed = {"model_error": {"code": "all_providers_failed"}}
    total = read_cost(whole) + read_cost(short) + read_cost(failed)
    assert total == Cost(model_calls=3, tokens=150, cost_usd=0.75)


def test_what_is_no_number_costs_nothing():
    assert read_cost({"usage": 5, "cost_usd": "much"}) == Cost(model_calls=1)
    assert read_cost(
        {"usage": {"input_tokens": "x", "output_tokens": 2}, "cost_usd": None}
    ) == Cost(1, 2)


def test_the_changed_result_of_a_call_is_taken_over_with_the_call_and_its_approval():
    copied = copy_until(TURNS, events(), 6, {"text": "Not done."}, "ana")
    assert [type(copied[number]) for number in range(3, 7)] == [
        ConfirmationRequested,
        ConfirmationGiven,
        ToolCalled,
        ToolReturned,
    ]
