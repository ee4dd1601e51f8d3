"""Reads JSON as models write it: with comments, single quotes, trailing commas, or cut off.

A strict reader comes first (`receiving`); this one takes what that one refuses. It never raises on
a text and looks at each character a bounded number of times. What a cut has left incomplete is
dropped, since half a number is another number: ``"1`` of 12, ``0.`` of 0.9.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 40
_SKIPPED = re.compile(r"(?:\s|//[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)+")
_PLAIN = {quote: re.compile(rf"[^{quote}\\]*") for quote in ('"', "'")}
_PAIR = re.compile(r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_ESCAPED = re.compile(r"u[0-9a-fA-F]{4}")
_WORD = re.compile(r"[^\s,:{}\[\]\"']+")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None, "none": None, "nan": None, "undefined": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Loose:
    """A value, and where reading it ended; ``value`` None: there is no JSON there.

    ``is_cut``: the text ended within a name or a value, which is left out; ``is_open``: it ended
    before a closing bracket.
    """

    value: Any
    end: int
    is_cut: bool = False
    is_open: bool = False


def read_loose(text: str, start: int) -> Loose:
    """The object or list that begins at ``start``."""
    reader = _Reader(text, start)
    return Loose(reader.read(), reader.at, reader.is_cut, reader.is_open)


class _Wrong(Exception):
    """The text is no JSON, in no way of writing it."""


class _Reader:
    """``is_open``: a container was not closed; ``is_cut``: something in it was left incomplete."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.at = text, start
        self.is_cut = self.is_open = False

    def read(self) -> Any:
        try:
            value = self._value(0)
        except _Wrong:
            return None
        return value if isinstance(value, (dict, list)) else None

    def _skip(self) -> str:
        """The next character that counts, empty at the end."""
        if match := _SKIPPED.match(self.text, self.at):
            self.at = match.end()
        return self.text[self.at : self.at + 1]

    def _value(self, depth: int) -> Any:
        head = self._skip()
        if depth > MAX_DEPTH:
            raise _Wrong
        if head == "{":
            return self._object(depth)
        if head == "[":
            return self._list(depth)
        if head in ('"', "'"):
            return self._string(head)
        return self._word()

    def _object(self, depth: int) -> dict[str, Any]:
        read: dict[str, Any] = {}
        self.at += 1
        while True:
            head = self._skip()
            if head == "}":
                self.at += 1
                return read
            if head == ",":
                self.at += 1
                continue
            if not head:
                self.is_open = True
                return read
            name = self._string(head) if head in ('"', "'") else self._word()
            if name is not _MISSING and self._skip() == ":":
                self.at += 1
                value = self._value(depth + 1)
                if value is not _MISSING:
                    join(read, str(name), value)
            elif self.at < len(self.text):
                raise _Wrong
            else:
                self.is_cut = True

    def _list(self, depth: int) -> list[Any]:
        read: list[Any] = []
        self.at += 1
        while True:
            head = self._skip()
            if head == "]":
                self.at += 1
                return read
            if head == ",":
                self.at += 1
                continue
            if not head:
                self.is_open = True
                return read
            if head in "}:":
                raise _Wrong
            value = self._value(depth + 1)
            if value is not _MISSING:
                read.append(value)

    def _string(self, quote: str) -> Any:
        pieces: list[str] = []
        at, text = self.at + 1, self.text
        while match := _PLAIN[quote].match(text, at):
            pieces.append(match[0])
            at = match.end()
            if text[at : at + 1] == quote:
                self.at = at + 1
                return "".join(pieces)
            if at + 1 >= len(text):
                break
            at = self._escaped(at + 1, pieces)
        self.at = len(text)
        self.is_cut = True
        return _MISSING

    def _escaped(self, at: int, pieces: list[str]) -> int:
        """Add what the escape at ``at`` stands for; where it ends."""
        if match := _PAIR.match(self.text, at) or _ESCAPED.match(self.text, at):
            pieces.append(json.loads(f'"\\{match[0]}"'))
            return match.end()
        letter = self.text[at]
        pieces.append(_ESCAPES.get(letter, letter))
        return at + 1

    def _word(self) -> Any:
        """A number, one of the words that stand for themselves, or a name without quotes."""
        match = _WORD.match(self.text, self.at)
        if match is None:
            if self.at >= len(self.text):
                self.is_cut = True
                return _MISSING
            raise _Wrong
        self.at = match.end()
        word = match[0]
        if self.at == len(self.text):  # more of it may have followed
            self.is_cut = True
            return _MISSING
        if word.casefold().strip("+-") in ("infinity", "inf"):
            return None
        if word.casefold() in _WORDS:
            return _WORDS[word.casefold()]
        if _NUMBER.fullmatch(word):
            return _number(word)
        return word


def _number(word: str) -> int | float:
    is_whole = word.lstrip("+-").isdecimal() and len(word) < 20
    return int(word) if is_whole else float(word)


def join(read: dict[str, Any], name: str, value: Any) -> None:
    """Add a property. Of a name that comes twice lists are joined, else the last one counts."""
    earlier = read.get(name)
    read[name] = earlier + value if isinstance(earlier, list) and isinstance(value, list) else value
