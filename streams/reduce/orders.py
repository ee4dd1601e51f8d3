"""Which action items order work on the project: «Add retries», not a step of a guide."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources

from schemas.events.atom import ORIGIN
from schemas.events.ledger import AtomRecord

# Documents whose orders are for readers: steps to follow, ways to work, texts of others.
FOR_READERS = frozenset(
    {"guide", "product", "reference", "article", "development", "foreign", "part", "overview"}
)
_NOT_AN_ORDER = re.compile(r"(?:\?|\b(?:this is how|see (?:also|below)))\s*$", re.IGNORECASE)
_LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """A family of first words."""

    id: str
    pattern: re.Pattern[str]
    example: str
    counterexample: str


@functools.cache
def read_entries() -> tuple[Entry, ...]:
    text = resources.files(__package__).joinpath("tasks.toml").read_text(encoding="utf-8")
    return tuple(
        Entry(
            row["id"],
            re.compile(rf"(?:{row['pattern']})\b(?! (?:is|are|was|will|has)\b)", re.IGNORECASE),
            row["example"],
            row["counterexample"],
        )
        for row in tomllib.loads(text)["order"]
    )


def begins_with_order(text: str) -> bool:
    """Whether ``text`` begins as an order to do something does."""
    return any(entry.pattern.match(text) for entry in read_entries())


def is_work(atom: AtomRecord) -> bool:
    """Whether an action item is a piece of work on the project that somebody can be given."""
    said = atom.statement
    return (
        atom.attributes.get(ORIGIN, "") not in FOR_READERS
        and len(said.split()) >= _LEAST_WORDS
        and begins_with_order(said)
        and not _NOT_AN_ORDER.search(said)
    )
