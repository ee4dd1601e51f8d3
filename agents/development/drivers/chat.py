"""The wire of chat completions (OpenAI API, «Create chat completion»), in both directions.

Servers differ: some give arguments as an object, leave out ids or repeat them, answer 200 with an
error inside, or end without a word. All of it is read here into one form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.development.drivers.events import clean_text
from agents.development.drivers.failures import DriverFailed, classify_status
from agents.development.drivers.posting import HttpAnswer
from agents.development.drivers.pricing import Pricing
from agents.development.ports import Spent, ToolDescription
from agents.models.records import (
    get_cost,
    get_count,
    get_list,
    get_object,
    get_text,
    join_texts,
    read_json,
)

LONGEST_ERROR = 500
MOST_CALLS = 64  # in one answer; nobody needs more at once


@dataclass(frozen=True, slots=True)
class ToolCall:
    """``arguments`` None: they are no JSON object; ``written`` is what the model wrote."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None
    written: str


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    text: str
    thoughts: str
    calls: tuple[ToolCall, ...]
    spent: Spent


def word_tools(tools: Sequence[ToolDescription]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.arguments),
            },
        }
        for tool in tools
    ]


def word_answer(answer: ChatAnswer) -> dict[str, Any]:
    """The answer as the next request repeats it."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments or {})},
            }
            for call in answer.calls
        ]
    return message


def read_answer(answer: HttpAnswer, *, model: str, given: str, pricing: Pricing) -> ChatAnswer:
    """What a server has answered. Raises DriverFailed with what the answer has cost."""
    record = get_object(read_json(answer.body))
    _check_status(answer, record)
    choices = get_list(record, "choices")
    choice = get_object(choices[0]) if choices else {}
    message = get_object(choice, "message")
    spent = _read_usage(record, message, model=model, given=given, pricing=pricing)
    calls = _read_calls(message)
    text = clean_text(join_texts(message.get("content")))
    thoughts = get_text(message, "reasoning") or get_text(message, "reasoning_content")
    _check_end(choice, message, has_calls=bool(calls), spent=spent)
    if not calls and not text.strip():
        raise DriverFailed("transient", "The model's answer is empty.", spent=spent)
    return ChatAnswer(text, thoughts, calls, spent)


def _check_status(answer: HttpAnswer, record: Mapping[str, Any]) -> None:
    error = record.get("error")
    if answer.status == 200 and not error:
        if not get_list(record, "choices"):
            raise DriverFailed("transient", f"No chat completion: {answer.body[:200]!r}.")
        return
    words = get_text(get_object(error), "message") or (error if isinstance(error, str) else "")
    code = get_count(get_object(error), "code")
    status = answer.status if answer.status != 200 else code or 500
    raise DriverFailed(
        classify_status(status),
        f"HTTP {status}: {(words or answer.body)[:LONGEST_ERROR]}",
    )


def _check_end(
    choice: Mapping[str, Any], message: Mapping[str, Any], *, has_calls: bool, spent: Spent
) -> None:
    """Raise for an answer that is not whole."""
    reason, refusal = choice.get("finish_reason"), get_text(message, "refusal")
    if refusal or reason == "content_filter":
        raise DriverFailed("permanent", f"The model declined: {refusal or reason}", spent=spent)
    if reason == "error" or choice.get("error"):
        words = get_text(get_object(choice, "error"), "message") or "no reason given"
        raise DriverFailed("transient", f"The answer broke off: {words}", spent=spent)
    if reason is None:
        raise DriverFailed("transient", "The answer has no mark of its end.", spent=spent)
    if reason == "length" and not has_calls:
        raise DriverFailed(
            "permanent",
            "The answer was cut at its longest. Ask for less at once, or allow more tokens.",
            spent=spent,
        )


def _read_calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The calls of an answer, each with an id of its own."""
    records = [get_object(it) for it in get_list(message, "tool_calls")[:MOST_CALLS]]
    if not records and message.get("function_call"):  # the form before there were several at once
        records = [{"function": message["function_call"]}]
    calls: list[ToolCall] = []
    ids: set[str] = set()
    for number, record in enumerate(records, 1):
        function = get_object(record, "function")
        call_id = clean_text(get_text(record, "id"))
        if not call_id or call_id in ids:
            call_id = f"call_{number}_{len(ids)}"
        ids.add(call_id)
        arguments, written = _read_arguments(function.get("arguments"))
        calls.append(ToolCall(call_id, clean_text(get_text(function, "name")), arguments, written))
    return tuple(calls)


def _read_arguments(value: Any) -> tuple[Mapping[str, Any] | None, str]:
    if isinstance(value, Mapping):
        return value, ""
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}, ""
    written = clean_text(value) if isinstance(value, str) else str(value)
    parsed = read_json(written)
    if isinstance(parsed, str):  # some encode it twice
        parsed = read_json(parsed)
    return (parsed if isinstance(parsed, dict) else None), written


def _read_usage(
    record: Mapping[str, Any],
    message: Mapping[str, Any],
    *,
    model: str,
    given: str,
    pricing: Pricing,
) -> Spent:
    """What the answer has cost: as reported, if it can be true, else estimated."""
    usage = get_object(record, "usage")
    read, written = get_count(usage, "prompt_tokens"), get_count(usage, "completion_tokens")
    if read is None or written is None:
        return pricing.estimate(model, given, json.dumps(message, default=str))
    cost = get_cost(usage, "cost")
    if cost is not None:
        return Spent(read, written, cost)
    cached = get_count(get_object(usage, "prompt_tokens_details"), "cached_tokens") or 0
    return pricing.spend(model, read, written, min(cached, read))
