"""Rows of an evaluation file: what a line must hold, and what is wrong with one that does not."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says to a task. ``format`` is ``json`` or ``spans``."""

    format: str = "json"
    pii: bool = False
    engine: str = "heuristic"


@dataclass(frozen=True, slots=True)
class BadRow:
    """Line ``number`` (from 1) cannot be answered; ``problem`` says why."""

    number: int
    problem: str


def rows_of(lines: Iterable[bytes], fields: Sequence[str]) -> Iterator[Row | BadRow]:
    """Each line that is not blank as a row with ``id`` and ``fields``, or as what is wrong.

    ``text_b64`` is decoded to ``text``; all other fields stay as they are.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _row(line, fields)
            except ValueError as error:
                yield BadRow(number, str(error))


def _row(line: bytes, fields: Sequence[str]) -> Row:
    try:
        row = json.loads(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON ({error})") from None
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    if not isinstance(row.get("id"), str | int):
        raise ValueError("it has no id")
    if "text" in fields and "text_b64" in row:
        row["text"] = _decode(row["text_b64"])
    for name in fields:
        value = row.get(name)
        if not isinstance(value, str):
            raise ValueError(f"its field {name} is missing or no text")
        row[name] = value.encode("utf-8", "replace").decode() if not _sound(value) else value
    return row


def _sound(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8; JSON can hold half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _decode(value: object) -> str:
    try:
        return base64.b64decode(str(value), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        raise ValueError("its text_b64 is no base64 of UTF-8 text") from None
