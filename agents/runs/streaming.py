"""The answer of a model while it comes: the sentences of its ``answer``, before its JSON is whole.

Whole sentences, since what is secret in a text is found by its surroundings, and frames are freed
of secrets one by one.
"""

from __future__ import annotations

import json
import re

_CHOSEN = re.compile(r'"tool"\s*:\s*"[^"]')
_ANSWER = re.compile(r'"answer"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")
_HALF_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}$")
_END = re.compile(r"[.!?](?=\s)|\n")


class AnswerText:
    """Takes pieces of a reply and gives the sentences of its answer, each once."""

    def __init__(self) -> None:
        self._raw = ""
        self._shown = 0

    def take(self, piece: str) -> str:
        """The sentences that ``piece`` has made whole; empty for most pieces."""
        self._raw += piece
        text = _read(self._raw)
        ends = [match.end() for match in _END.finditer(text, self._shown)]
        if not ends:
            return ""
        new = text[self._shown : ends[-1]]
        self._shown = ends[-1]
        return new


def _read(raw: str) -> str:
    """What a reply answers so far; empty where it calls a tool."""
    match = _ANSWER.search(raw)
    if match is None or _CHOSEN.search(raw, 0, match.start()):
        return ""
    text = _HALF_PAIR.sub("", _CUT_ESCAPE.sub("", match[1]))
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:  # no escape of JSON: the whole reply will be refused
        return ""
