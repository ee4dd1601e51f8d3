"""An answer that fits: lines for people and models, the same as data, and where to go on.

Clients show a model the lines, the data, or both, so both together are held to the budget. The
least budget is the default one: every item fits into it beside what an answer always has. What does
not fit is behind a cursor. A cursor names the question that it belongs to and the state of what it
pages through, so that it cannot be used for another one, nor for an answer that has changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

from pydantic import BaseModel, ConfigDict

from infra.mcp.text import CLOSE, NOTICE, OPEN, count_tokens
from infra.platform.errors import Invalid

DEFAULT_TOKENS, MOST_TOKENS = 2_000, 8_000
NOTHING = "There is nothing of this kind."
RESERVED = 280  # for marks, notice and cursor, in both forms; a cursor of a list has up to 100


class Shown(BaseModel):
    """Data of an answer. What is not there is left out: it would cost tokens to say so."""

    model_config = ConfigDict(frozen=True)


class Result(Shown):
    """The data of a whole answer. ``next_cursor`` leads to what did not fit."""

    notice: str = NOTICE
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of an answer, as lines and as data."""

    lines: str
    data: Shown

    def tokens(self) -> int:
        return count_tokens(self.lines) + count_tokens(self.data.model_dump_json(exclude_none=True))


class Rendered(Sequence[Entry]):
    """Entries that are rendered when they are looked at: counting tokens costs more than all else,
    and a page shows few of thousands.
    """

    def __init__(self, render_each: Sequence[Callable[[], Entry]]) -> None:
        self._render_each = render_each

    def __len__(self) -> int:
        return len(self._render_each)

    @overload
    def __getitem__(self, place: int) -> Entry: ...

    @overload
    def __getitem__(self, place: slice) -> Rendered: ...

    def __getitem__(self, place: int | slice) -> Entry | Rendered:
        if isinstance(place, slice):
            return Rendered(self._render_each[place])
        return self._render_each[place]()


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the answer to one question: the position of the next item.

    ``state`` is the version of what is paged through.
    """

    position: int
    state: int


def fit(entries: Sequence[Entry], head: Entry, max_tokens: int) -> list[Entry]:
    """The first entries that fit beside ``head``; at least one where there is one."""
    left = max_tokens - RESERVED - head.tokens()
    taken: list[Entry] = []
    for entry in entries:
        left -= entry.tokens()
        if left < 0 and taken:
            break
        taken.append(entry)
    return taken


def render(head: str, taken: Sequence[Entry], next_cursor: str | None) -> str:
    """The lines of an answer: what others wrote stands between marks."""
    if not (head or taken or next_cursor):
        return NOTHING
    lines = [NOTICE, OPEN, *([head] if head else []), *(each.lines for each in taken), CLOSE]
    if next_cursor is not None:
        lines.append(f"There is more: call again with cursor {next_cursor}")
    return "\n".join(lines)


def write_cursor(question: str, cursor: Cursor) -> str:
    return f"{_name(question)}.{cursor.position}.{cursor.state}"


def read_cursor(question: str, written: str | None) -> Cursor | None:
    """Raises Invalid for a cursor of another question."""
    if written is None:
        return None
    name, *rest = written.split(".")
    if name == _name(question) and len(rest) == 2 and all(map(_is_number, rest)):
        return Cursor(*map(int, rest))
    raise bad_cursor()


def state_of(entries: Sequence[Entry]) -> int:
    """A number that differs where the entries do."""
    told = "\n".join(each.lines for each in entries)
    return int(hashlib.sha256(told.encode(errors="replace")).hexdigest()[:12], 16)


def bad_cursor() -> Invalid:
    return Invalid(
        "This is no cursor of this question, or its answer has changed: ask without a cursor.",
        code="cursor_invalid",
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16


def _name(question: str) -> str:
    return hashlib.sha256(question.encode(errors="replace")).hexdigest()[:8]
