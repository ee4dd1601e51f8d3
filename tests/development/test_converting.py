"""Whatever a program or a server writes, reading it raises nothing but a failure of the driver."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.development.drivers import claude, codex
from agents.development.drivers.chat import read_answer
from agents.development.drivers.events import Draft, EventWriter
from agents.development.drivers.failures import DriverFailed
from agents.development.drivers.posting import HttpAnswer
from agents.development.drivers.pricing import Pricing
from agents.models.prices import PriceTable
from agents.models.records import read_object
from tests.development.drivers import NOW

PRICING = Pricing(PriceTable({}), "nobody", NOW.date)
WORDS = st.sampled_from(
    ["assistant", "user", "result", "item.completed", "item.started", "text", "thinking"]
    + ["tool_use", "tool_result", "command_execution", "file_change", "agent_message", "failed"]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | WORDS
KEYS = st.sampled_from(
    ["type", "message", "content", "item", "text", "name", "input", "id", "usage", "choices"]
    + ["changes", "arguments", "result", "error", "exit_code", "status", "tool_calls", "function"]
    + ["finish_reason", "prompt_tokens", "completion_tokens", "thinking", "is_error", "refusal"]
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6)
)


@given(st.dictionaries(KEYS, VALUES, max_size=8))
def test_any_line_is_converted_to_events_that_a_log_can_hold(record: dict[str, Any]) -> None:
    writer = EventWriter("wfl_1", "developer", lambda: NOW)
    line = read_object(json.dumps(record))
    for draft in (*claude.convert_to_stream_event(line), *codex.convert_to_stream_event(line)):
        assert json.loads(writer.write(draft).model_dump_json())


@given(st.text())
def test_any_text_is_read_as_a_line(text: str) -> None:
    assert claude.convert_to_stream_event(read_object(text)) == []


@given(st.dictionaries(KEYS, VALUES, max_size=8))
def test_any_answer_of_a_server_is_read_or_fails_by_its_class(record: dict[str, Any]) -> None:
    body = {"choices": [{"message": record, "finish_reason": "stop"}], "usage": record, **record}
    try:
        answer = read_answer(
            HttpAnswer(200, {}, json.dumps(body)), model="m", given="", pricing=PRICING
        )
    except DriverFailed:
        return
    assert answer.text.strip() or answer.calls


@pytest.mark.parametrize("depth", [100, 10_000])
def test_a_deep_input_of_a_tool_is_cut(depth: int) -> None:
    value: Any = "x"
    for _ in range(depth):
        value = {"a": [value]}
    event = EventWriter("wfl_1", "d", lambda: NOW).write(Draft("CLAUDE_TOOL_CALL", "", "t", value))
    assert "nested too deeply" in event.model_dump_json()


def test_a_claude_line_becomes_an_event_for_each_block() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I run it."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
    ]
    drafts = claude.convert_to_stream_event({"type": "assistant", "message": {"content": blocks}})
    assert [draft.type for draft in drafts] == [
        *("CLAUDE_THINKING", "AGENT_OUTPUT", "CLAUDE_TOOL_CALL"),
    ]
    assert (drafts[2].tool_name, drafts[2].tool_input) == ("Bash", {"command": "ls"})


def test_an_error_of_a_tool_says_so_with_every_driver() -> None:
    result = {"type": "tool_result", "content": [{"type": "text", "text": "no"}], "is_error": True}
    (ours,) = claude.convert_to_stream_event({"type": "user", "message": {"content": [result]}})
    item = {"type": "command_execution", "id": "1", "aggregated_output": "no", "exit_code": 1}
    (theirs,) = codex.convert_to_stream_event({"type": "item.completed", "item": item}, {"1"})
    assert (ours.content, theirs.content) == ("Error: no", "Error (exit code 1): no")


def test_a_codex_item_without_a_start_is_a_call_with_its_result() -> None:
    item = {
        "type": "file_change",
        "id": "item_4",
        "changes": [{"path": "a.py", "kind": "add"}],
        "status": "completed",
    }
    drafts = codex.convert_to_stream_event({"type": "item.completed", "item": item})
    assert [draft.type for draft in drafts] == ["CLAUDE_TOOL_CALL", "CLAUDE_TOOL_RESULT"]
    assert drafts[0].tool_input == {"changes": ["add a.py"]}
