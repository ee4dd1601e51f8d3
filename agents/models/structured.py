"""Answers that must satisfy a JSON Schema: how they are asked for, and how one is sent back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from agents.models.call import Message


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


def ask_for_repair(answer: str, problems: Sequence[str]) -> tuple[Message, Message]:
    """The messages that send a malformed answer back, once."""
    problem_list = "\n".join(f"- {problem}" for problem in problems)
    return (
        Message(role="assistant", content=answer or "(empty)"),
        Message(
            role="user",
            content=f"This answer cannot be used:\n{problem_list}\nAnswer again with the whole JSON"
            " value, and nothing else: no text around it, no markdown.",
        ),
    )


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
