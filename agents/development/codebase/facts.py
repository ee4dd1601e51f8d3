"""What the structure of a source file is, in whatever language it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MOST_BYTES = 400_000  # a longer file is generated or data: only its first lines are looked at
MOST_HEADER = 240


@dataclass(frozen=True, slots=True)
class Declaration:
    """A class, function or field. ``header`` is its signature on one line; ``bases`` are names of
    what it extends or implements, ``decorators`` names of what is set above it.
    """

    kind: Literal["class", "function", "field"]
    name: str
    header: str
    doc: str = ""
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    members: tuple[Declaration, ...] = ()


@dataclass(frozen=True, slots=True)
class FileFacts:
    """``imports`` as they are written, ``modules`` their names; ``calls``: names of what is called.

    ``is_parsed`` is false where only lines were looked at. ``is_broken``: the parser came upon text
    that it cannot place, so something may be missing.
    """

    language: str
    lines: int
    doc: str = ""
    imports: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    calls: frozenset[str] = frozenset()
    is_parsed: bool = True
    is_broken: bool = False

    def count_names(self) -> int:
        """How many declarations there are, with their members."""
        waiting, number = [*self.declarations], 0
        while waiting:
            number += 1
            waiting += waiting.pop().members
        return number


def one_line(text: str, most: int = MOST_HEADER) -> str:
    """The text with single blanks, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def first_line(doc: str) -> str:
    """The first line with words of a comment or a docstring, without the comment's marks."""
    for line in doc.strip().splitlines():
        text = line.strip().lstrip("/*#!<-\"'").rstrip("*/->\"'").strip()
        if any(it.isalnum() for it in text):
            return one_line(text, 160)
    return ""
