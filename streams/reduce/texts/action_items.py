"""Which action items order work on the project: «Add retries», not a step of a guide."""

from __future__ import annotations

import re

from schemas.events.atom import ORIGIN
from schemas.events.ledger import AtomRecord
from streams.lexicons import Wording

# Documents whose orders are for readers: steps to follow, ways to work, texts of others.
FOR_READERS = frozenset(
    {"guide", "product", "reference", "article", "development", "foreign", "part", "overview"}
)
_NOT_AN_ORDER = re.compile(r"(?:\?|\b(?:this is how|see (?:also|below)))\s*$", re.IGNORECASE)
_ORDER = Wording("reduce", "order")
_CRITERION = Wording("reduce", "criterion")
_OPEN = Wording("reduce", "left_open")
_LEAST_WORDS = 2


def begins_with_order(text: str) -> bool:
    """Whether ``text`` begins as an order to do something does."""
    return _ORDER.match(text) is not None


def is_criterion(text: str) -> bool:
    """Whether ``text`` says what must hold or be possible, so that somebody can check it."""
    return _CRITERION.says(text) and not _OPEN.says(text)


def is_work(atom: AtomRecord) -> bool:
    """Whether an action item is a piece of work on the project that somebody can be given."""
    statement = atom.statement
    return (
        atom.attributes.get(ORIGIN, "") not in FOR_READERS
        and len(statement.split()) >= _LEAST_WORDS
        and begins_with_order(statement)
        and not _NOT_AN_ORDER.search(statement)
    )
