"""How a task is done, in contrast to what it is: a title again is no approach.

Where nothing says how, that is an open question, and stands where the approach would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.events.artifact_parts import Section
from schemas.events.ledger import AtomRecord
from streams.reduce.texts.means import OPEN
from streams.reduce.texts.topics import key_of
from streams.reduce.texts.wording import content_words, plain

# What every task could be said to do: it is no approach.
_ANY_WORK = frozenset(
    ("add", "build", "complete", "create", "deliver", "develop", "do", "finish", "handle", "work")
    + ("implement", "introduce", "make", "perform", "provide", "realise", "realize", "set", "ship")
    + ("solve", "solution", "support", "task", "ticket", "todo", "write")
)


def repeats_title(said: str, title: str) -> bool:
    """Whether a step has the words of the title and no other, in any order and form."""
    return words_of(said) == words_of(title) or not words_of(said)


def adds_to_title(said: str, title: str) -> bool:
    """Whether a sentence of a source says more than a title does."""
    return bool(words_of(said) - words_of(title))


def words_of(text: str) -> frozenset[str]:
    """What a text is about: its words but those that every task could begin with."""
    keys = frozenset(key_of(one) for one in content_words(plain(text)))
    return keys - _ANY_WORK or keys


def is_open(sections: Iterable[Section]) -> bool:
    """Whether the approach of a task is an open question, and nothing else."""
    said = [it.text for one in sections if one.section_id == "solutions" for it in one.statements]
    return bool(said) and all(one.startswith(OPEN) for one in said)


def choose_telling(atoms: Sequence[AtomRecord], title: str) -> list[AtomRecord]:
    """Those of the atoms that say more than the title."""
    return [one for one in atoms if adds_to_title(one.statement, title)]
