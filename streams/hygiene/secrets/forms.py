"""Secrets that show themselves by their form: published shapes of keys and tokens.

A form is one expression tied to literals, its anchors, that every match holds: a row of
``secrets.toml``. ``SHORT_FORMS`` lie within one word of at least ``SHORTEST_WORD`` characters, so
that they are looked for in the long words of a text only; ``OPEN_FORMS`` may hold blanks or be
shorter. A service that gives its keys no prefix of their own can be told by a name beside them
only, which is ``assigned.py``'s part.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from schemas.lexicons import Entry
from streams.hygiene.lexicons import read_lexicons

SHORTEST_WORD = 16
WORD_BEFORE = -1  # ``backwards``: as far as the word reaches that the anchor stands in
END = r"(?![A-Za-z0-9])"


class Form(NamedTuple):
    """A secret that shows itself; ``group`` is the part to take away.

    ``backwards``: the expression starts up to so many characters before the anchor.
    ``beside``: what the text must hold too.
    """

    rule_id: str
    type: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    group: int = 0
    backwards: int = 0
    beside: str = ""


def compile_form(entry: Entry) -> Form:
    """The form of a row."""
    row = entry.fields
    pattern, group = "|".join(entry.patterns), row.get("group", 0)
    begun = pattern if group else rf"(?<![A-Za-z0-9])(?:{pattern})"
    return Form(
        row["rule"],
        row["type"],
        tuple(row["anchors"]),
        re.compile(begun + END if row.get("ends") else begun),
        group,
        row.get("backwards", 0),
        row.get("beside", ""),
    )


def compile_command(entry: Entry) -> Form:
    """The form of a row that ties a password to a command."""
    commands = tuple(entry.fields["commands"])
    (behind,), begun = entry.patterns, "|".join(map(re.escape, commands))
    pattern = re.compile(rf"(?<![\w.-])(?:(?i:{begun})){behind}")
    return Form("R-ASSIGN", "SECRET_VALUE", commands, pattern, 1)


_SHORT, _OPEN, _COMMANDS = (
    read_lexicons("secrets")[it].entries for it in ("short", "open", "commands")
)
SHORT_FORMS = tuple(map(compile_form, _SHORT))
OPEN_FORMS = (*map(compile_form, _OPEN), *map(compile_command, _COMMANDS))
LOWERED_ANCHORS = frozenset(
    anchor for it in _OPEN if it.fields.get("lowered") for anchor in it.fields["anchors"]
) | {command for it in _COMMANDS for command in it.fields["commands"]}
