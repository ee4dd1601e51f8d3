"""How a task is done, in contrast to what it is: a title again is no approach.

Where nothing says how, that is an open question, and stands where the approach would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.events.artifact_sections import Section
from schemas.events.ledger import AtomRecord
from streams.lexicons import load_words
from streams.reduce.texts.means import OPEN
from streams.reduce.texts.topics import key_of
from streams.reduce.texts.wording import content_words, plain

# What every task could be said to do: it is no approach.
_ANY_WORK = load_words("reduce", "any_work")


def repeats_title(text: str, title: str) -> bool:
    """Whether a step has the words of the title and no other, in any order and form."""
    return words_of(text) == words_of(title) or not words_of(text)


def adds_to_title(text: str, title: str) -> bool:
    """Whether a sentence of a source says more than a title does."""
    return bool(words_of(text) - words_of(title))


def words_of(text: str) -> frozenset[str]:
    """What a text is about: its words but those that every task could begin with."""
    keys = frozenset(key_of(content_word) for content_word in content_words(plain(text)))
    return keys - _ANY_WORK or keys


def is_open(sections: Iterable[Section]) -> bool:
    """Whether the approach of a task is an open question, and nothing else."""
    texts = [
        it.text
        for section in sections
        if section.section_id == "solutions"
        for it in section.statements
    ]
    return bool(texts) and all(text.startswith(OPEN) for text in texts)


def choose_telling(atoms: Sequence[AtomRecord], title: str) -> list[AtomRecord]:
    """Those of the atoms that say more than the title."""
    return [atom for atom in atoms if adds_to_title(atom.statement, title)]
