"""Which action items order work on the project: «Add retries», not a step of a guide."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Literal

from schemas.events.atom import ORIGIN
from schemas.events.ledger import AtomRecord
from streams.lexicons import Wording

# Documents whose orders are for readers: steps to follow, ways to work, texts of others.
FOR_READERS = frozenset(
    {"guide", "product", "reference", "article", "development", "foreign", "part", "overview"}
)
_NOT_AN_ORDER = re.compile(r"(?:\?|\b(?:this is how|see (?:also|below)))\s*$", re.IGNORECASE)
_GOES_ON = re.compile(r"\w|[ -](?:is|are|was|will|has)\b")  # «Use is limited», «additional»
_OPEN = Wording("reduce", "left_open")
_LEAST_WORDS = 2
Table = Literal["order", "criterion"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A family of first words."""

    id: str
    pattern: re.Pattern[str]
    example: str
    counterexample: str


@functools.cache
def read_entries(table: Table = "order") -> tuple[Entry, ...]:
    """The entries of a table: how orders begin, or what makes a sentence one to check."""
    text = resources.files(__package__).joinpath("tasks.toml").read_text(encoding="utf-8")
    return tuple(
        Entry(
            row["id"],
            re.compile(row["pattern"], re.IGNORECASE),
            row["example"],
            row["counterexample"],
        )
        for row in tomllib.loads(text)[table]
    )


def begins_with_order(text: str) -> bool:
    """Whether ``text`` begins as an order to do something does."""
    matches = (entry.pattern.match(text) for entry in read_entries("order"))
    return any(match and not _GOES_ON.match(text, match.end()) for match in matches)


def is_criterion(text: str) -> bool:
    """Whether ``text`` says what must hold or be possible, so that somebody can check it."""
    asked = any(entry.pattern.search(text) for entry in read_entries("criterion"))
    return asked and not _OPEN.search(text)


def is_work(atom: AtomRecord) -> bool:
    """Whether an action item is a piece of work on the project that somebody can be given."""
    statement = atom.statement
    return (
        atom.attributes.get(ORIGIN, "") not in FOR_READERS
        and len(statement.split()) >= _LEAST_WORDS
        and begins_with_order(statement)
        and not _NOT_AN_ORDER.search(statement)
    )
