"""Reads what programs and servers write, whatever it is: no text raises here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

HIGHEST_COUNT = 10**12  # tokens; above it somebody has miscounted
HIGHEST_COST = 10**6  # US dollars


def read_object(text: str) -> Mapping[str, Any]:
    """The JSON object of ``text``; empty where it is none."""
    value = read_json(text)
    return value if isinstance(value, dict) else {}


def read_json(text: str) -> Any:
    """The JSON value of ``text``; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # too deep, or a number of too many digits
        return None


def get_object(record: Any, *path: str) -> Mapping[str, Any]:
    """The object under ``path``; empty where there is none."""
    for name in path:
        record = record.get(name) if isinstance(record, Mapping) else None
    return record if isinstance(record, Mapping) else {}


def get_list(record: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = record.get(name)
    return value if isinstance(value, list) else ()


def get_text(record: Mapping[str, Any], name: str) -> str:
    """The text under ``name``; empty where there is none."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def get_count(record: Mapping[str, Any], name: str) -> int | None:
    """The count under ``name``; None where there is none that can be true."""
    number = _get_number(record, name, HIGHEST_COUNT)
    return None if number is None else int(number)


def get_counts(record: Mapping[str, Any], *names: str) -> tuple[int, ...] | None:
    """The counts under ``names``, 0 where there is none; None where one of them cannot be true."""
    counts = list[int]()
    for name in names:
        count = 0 if record.get(name) is None else get_count(record, name)
        if count is None:
            return None
        counts.append(count)
    return tuple(counts)


def get_cost(record: Mapping[str, Any], name: str) -> float | None:
    """The US dollars under ``name``; None where there are none that can be true."""
    number = _get_number(record, name, HIGHEST_COST)
    return None if number is None else float(number)


def _get_number(record: Mapping[str, Any], name: str, highest: int) -> int | float | None:
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= highest else None


def join_texts(blocks: Any) -> str:
    """The text of a content that is a text, or a list of blocks with texts in it."""
    if isinstance(blocks, str):
        return blocks
    if not isinstance(blocks, list):
        return ""
    texts = [it if isinstance(it, str) else get_text(get_object(it), "text") for it in blocks]
    return "\n".join(text for text in texts if text)
