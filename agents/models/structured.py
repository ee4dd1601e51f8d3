"""Answers that must satisfy a JSON Schema: how they are asked for, and what is wrong with one.

A fence of markdown around JSON is wrong, too: whoever accepts it accepts prose around it next.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from agents.models.call import Message

MAX_PROBLEMS = 8
MAX_PROBLEM = 300


def build_response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """How the OpenAI protocol asks for an answer by ``schema``."""
    named = {"name": "answer", "schema": schema, "strict": _is_strict(schema)}
    return {"type": "json_schema", "json_schema": named}


def describe_schema(schema: dict[str, Any]) -> Message:
    """The same as an instruction, for models that cannot be held to a schema."""
    text = json.dumps(schema, ensure_ascii=False, sort_keys=True)
    return Message(
        role="user",
        content="Answer with one JSON value that satisfies this JSON Schema, and nothing else:"
        f" no text around it, no markdown.\n{text}",
    )


def parse_answer(text: str, schema: dict[str, Any]) -> tuple[Any, list[str]]:
    """The answer's data, and what is wrong with it; no problem: it satisfies ``schema``."""
    try:
        return _parse(text, schema)
    except RecursionError:  # in reading it, or in saying what is wrong with it
        return None, ["it is nested too deeply"]


def ask_for_repair(answer: str, problems: Sequence[str]) -> tuple[Message, Message]:
    """The messages that send a malformed answer back, once."""
    found = "\n".join(f"- {problem}" for problem in problems)
    return (
        Message(role="assistant", content=answer or "(empty)"),
        Message(
            role="user",
            content=f"This answer cannot be used:\n{found}\nAnswer again with the whole JSON"
            " value, and nothing else: no text around it, no markdown.",
        ),
    )


def _parse(text: str, schema: dict[str, Any]) -> tuple[Any, list[str]]:
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        return None, [_explain_no_json(text, error)]
    problems = sorted(
        f"at {error.json_path}: {error.message[:MAX_PROBLEM]}"
        for error in Draft202012Validator(schema).iter_errors(data)
    )
    return data, problems[:MAX_PROBLEMS]


def _explain_no_json(text: str, error: ValueError) -> str:
    if "```" in text:
        return "it is wrapped in markdown; the JSON alone is wanted"
    return f"it is no JSON: {error}" if text.strip() else "it is empty"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _is_strict(schema: dict[str, Any]) -> bool:
    """Whether a provider's strict mode takes it: every object closed, all properties required."""
    return all(
        part.get("additionalProperties") is False
        and sorted(part.get("required", ())) == sorted(part.get("properties", {}))
        for part in _list_objects(schema)
    )


def _list_objects(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if part.get("type") == "object":
            yield part
        for value in part.values():
            yield from _list_objects(value)
    elif isinstance(part, list):
        for value in part:
            yield from _list_objects(value)
