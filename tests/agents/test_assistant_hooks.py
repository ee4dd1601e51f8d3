"""What happens to messages before a model reads them: stubs, pairs, the window, the prompt."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately
from langgraph.graph.message import add_messages

from agents.assistant.hooks import MAX_TOKENS, filter_messages_node, pair_up, trim
from agents.assistant.messages import (
    MOST_NOTES,
    call_message,
    note_message,
    note_messages,
    read_notes,
)
from tests.agents.talks import in_loop


def apply(messages: list[AnyMessage], changes: Any) -> list[AnyMessage]:
    return list(add_messages(list(messages), list(changes)))  # type: ignore[arg-type]


def result(call_id: str, text: str = "done") -> ToolMessage:
    return ToolMessage(id=f"{call_id}.result", content=text, tool_call_id=call_id, name="look")


def call(message_id: str, *call_ids: str) -> AIMessage:
    return call_message(message_id, [(one, "look", {}) for one in call_ids])


def are_paired(messages: list[AnyMessage]) -> bool:
    """Whether each call has one result behind it, and each result its call."""
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, AIMessage):
            waiting += [str(one["id"]) for one in message.tool_calls]
        elif isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                return False
            waiting.remove(message.tool_call_id)
    return not waiting


def test_a_history_of_200_000_tokens_is_cut_between_pairs_and_keeps_what_is_asked():
    messages: list[AnyMessage] = [
        SystemMessage(id="system", content="Rules."),
        HumanMessage(id="asked", content="Sum it all up."),
    ]
    for number in range(400):
        messages += [call(f"c{number}", f"{number}.a"), result(f"{number}.a", "word " * 500)]
    assert count_tokens_approximately(messages) > 200_000

    kept = trim(messages, MAX_TOKENS)
    kept = apply(kept, pair_up(kept))

    assert count_tokens_approximately(kept) <= MAX_TOKENS
    assert count_tokens_approximately(kept) > MAX_TOKENS * 0.9
    assert [one.id for one in kept[:2]] == ["system", "asked"]
    assert kept[-1] is messages[-1]
    assert are_paired(kept)


def test_what_we_object_to_does_not_push_the_task_out():
    messages: list[AnyMessage] = [
        SystemMessage(id="system", content="Rules."),
        HumanMessage(id="said.0", content="Hello"),
        HumanMessage(id="trn_1.asked", content="Sum it all up."),
    ]
    for number in range(400):
        messages += [call(f"c{number}", f"{number}.a"), result(f"{number}.a", "word " * 500)]
    messages.append(note_message("trn_1.9", "Your reply was not one JSON object."))

    kept = trim(messages, MAX_TOKENS)
    assert [one.id for one in kept[:2]] == ["system", "trn_1.asked"]
    assert kept[-1].id == "trn_1.9.note"
    assert [one.id for one in trim(messages, 10)] == ["system", "trn_1.asked"]
    noted = note_messages(messages)
    assert [noted[0]["id"], noted[-1]["id"]] == ["trn_1.asked", "trn_1.9.note"]
    assert len(noted) == MOST_NOTES


CALLS = st.lists(
    st.one_of(
        st.builds(lambda ids: ("call", ids), st.lists(st.sampled_from("abcd"), max_size=3)),
        st.builds(lambda one: ("result", one), st.sampled_from("abcd")),
        st.just(("said", "")),
    ),
    max_size=12,
)


@given(CALLS)
def test_after_the_changes_every_call_has_one_result_and_every_result_its_call(made: Any):
    messages: list[AnyMessage] = []
    seen: set[str] = set()
    for place, (kind, what) in enumerate(made):
        if kind == "call":
            fresh = [one for one in dict.fromkeys(what) if one not in seen]
            seen |= set(fresh)
            messages.append(
                call(f"m{place}", *fresh) if fresh else AIMessage("Hm.", id=f"m{place}")
            )
        elif kind == "result":
            message = result(what)
            message.id = f"m{place}"
            messages.append(message)
        else:
            messages.append(HumanMessage(id=f"m{place}", content="And?"))
    assert are_paired(apply(messages, pair_up(messages)))


@in_loop
async def test_what_is_too_long_becomes_a_stub_and_what_is_empty_goes():
    messages: list[AnyMessage] = [
        HumanMessage(id="1", content="x" * 60_000),
        HumanMessage(id="2", content=" \0 "),
        HumanMessage(id="3", content="a\0b"),
        call("4", "4.a"),
        result("4.a", "y" * 60_000),
        result("gone", "an orphan"),
    ]
    state: Any = {"messages": messages}
    changed = await filter_messages_node(None, state)  # type: ignore[arg-type]
    kept = apply(messages, changed["messages"])

    assert [one.id for one in kept] == ["1", "3", "4", "4.a.result"]
    assert "60,000 characters" in str(kept[0].content)
    assert kept[1].content == "ab"
    assert "60,000 characters" in str(kept[3].content)


def test_a_thread_keeps_the_newest_messages_cut_and_reads_them_again():
    messages: list[AnyMessage] = [SystemMessage(id="system", content="Rules.")]
    for number in range(40):
        messages += [call(f"c{number}", f"{number}.a"), result(f"{number}.a", "word " * 5_000)]
    notes = note_messages(messages)

    assert len(str(notes)) < 60_000
    again = read_notes(notes)
    assert [one.id for one in again] == [one.id for one in messages[-len(again) :]]
    assert are_paired(again)
