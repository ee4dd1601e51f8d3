"""Answers of services as texts and as data: bounded, storable, and without our credentials.

What a service answers was written by strangers. It goes where a tool's result goes, and nowhere
else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from connectors.providers.definition import Shown
from connectors.providers.mails import read_mail
from schemas.shortening import shorten

MOST_ITEMS = 50
LONGEST_VALUE = 600  # characters of a field of an item
LONGEST_TEXT = 12_000  # characters of a whole answer
LONGEST_DETAIL = 500  # of what a service says of an error
DEEPEST = 60
MAIL_IDS = ("id", "threadId")
HIDDEN = "…"
LARGEST = 2**63
_HALF = re.compile("[\ud800-\udfff\0]")


class UnreadableAnswer(ValueError):
    """An answer is not what its tool expects; the message is for the model and the user."""


def clean(value: Any, secrets: Sequence[str], depth: int = 0) -> Any:
    """The value as JSON that can be stored, with ``secrets`` hidden. Raises UnreadableAnswer."""
    if depth > DEEPEST:
        raise UnreadableAnswer("the answer is nested too deep")
    match value:
        case str():
            return hide(value, secrets)
        case Mapping():
            return {
                hide(str(key), secrets): clean(item, secrets, depth + 1)
                for key, item in value.items()
            }
        case list():
            return [clean(item, secrets, depth + 1) for item in value]
        case float() if not math.isfinite(value):
            return None
        case bool() | None | float():
            return value
        case int():
            return value if abs(value) < LARGEST else str(value)[:LONGEST_VALUE]
        case _:
            return hide(str(value), secrets)


def hide(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return _HALF.sub("", text)


def show_answer(answer: Any, shown: Shown) -> tuple[str, dict[str, Any]]:
    """An answer, cleaned before, as a text and as data. Raises UnreadableAnswer."""
    if shown.mail:
        return _show_mail(answer, shown.mail)
    if shown.items is not None:
        return _show_items(answer, shown.items, shown.fields)
    if shown.fields:
        fields = pick_fields(answer, shown.fields, LONGEST_TEXT // 2)
        if sum(map(len, fields.values())) > LONGEST_TEXT:
            fields = pick_fields(answer, shown.fields, LONGEST_TEXT // len(shown.fields))
        lines = [f"{name}: {value}" for name, value in fields.items()]
        return _cut("\n".join(lines) or "Done; the answer is empty."), {"answer": fields}
    text = _dump(answer)
    if len(text) > LONGEST_TEXT:
        cut = _cut(text)
        return cut, {"answer": cut, "is_cut": True}
    return ("Done." if answer in ({}, None, "") else text), {"answer": answer}


def show_detail(answer: Any) -> str:
    """What a service says of an error, on one line."""
    return shorten(" ".join(_dump(answer).split()), LONGEST_DETAIL) if answer else ""


def pick(value: Any, path: str) -> list[Any]:
    """What stands at a path of keys with dots between; `*` is any key, lists are walked through."""
    values = [value]
    for key in () if path == "." else path.split("."):
        values = [item for each in _flatten(values) for item in _step(each, key)]
    return list(_flatten(values))


def pick_fields(item: Any, fields: Sequence[str], longest: int) -> dict[str, str]:
    """The fields that have a value, as texts."""
    texts = {
        path: " ".join(_as_text(value) for value in pick(item, path) if value not in (None, ""))
        for path in fields
    }
    return {path: shorten(text, longest) for path, text in texts.items() if text.strip()}


def _show_items(answer: Any, path: str, fields: Sequence[str]) -> tuple[str, dict[str, Any]]:
    items = pick(answer, path)
    if not items and not isinstance(answer, Mapping | list):
        raise UnreadableAnswer("the answer holds no list")
    rows: list[dict[str, str]] = []
    lines: list[str] = []
    room = LONGEST_TEXT
    for item in items[:MOST_ITEMS]:
        row = pick_fields(item, fields or ["."], LONGEST_VALUE)
        line = "; ".join(f"{name}: {' '.join(value.split())}" for name, value in row.items())
        room -= len(line)
        if room < 0:
            break
        rows.append(row)
        lines.append(f"- {line}" if fields else f"- {line.removeprefix('.: ')}")
    if not items:
        return "Nothing was found.", {"items": [], "total": 0}
    head = f"{len(items)} found" + (f", the first {len(rows)}:" if len(items) > len(rows) else ":")
    return "\n".join([head, *lines]), {"items": rows, "total": len(items)}


def _show_mail(answer: Any, path: str) -> tuple[str, dict[str, Any]]:
    encoded = pick(answer, path)
    if len(encoded) != 1 or not isinstance(encoded[0], str):
        raise UnreadableAnswer("the answer holds no mail")
    try:
        text = _cut(_HALF.sub("", read_mail(encoded[0])))
    except ValueError as error:
        raise UnreadableAnswer(str(error)) from error
    ids = answer.items() if isinstance(answer, Mapping) else ()
    kept = {key: value for key, value in ids if key in MAIL_IDS and isinstance(value, str)}
    lines = [f"{key}: {value}" for key, value in kept.items()]
    return "\n".join([*lines, text]), {**kept, "mail": text}


def _step(value: Any, key: str) -> Iterator[Any]:
    if isinstance(value, Mapping):
        if key == "*":
            yield from value.values()
        elif key in value:
            yield value[key]


def _flatten(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flatten(value)
        else:
            yield value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else _dump(value)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return shorten(text, LONGEST_TEXT)
