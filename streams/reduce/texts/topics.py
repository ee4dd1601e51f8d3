"""What atoms are about: the names and noun phrases that clusters are built around.

A topic is an entity the ledger links, a name among an atom's tags that looks like one (``CheckTx``,
``RPC``), or two words of a title that stand together in several (``light client``). It is a lower
case key; the way it is written is the one most atoms use. Kept as an index in memory beside the
shortlist, made anew from the ledger's tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.ledger import LIVE, AtomRecord
from schemas.worth import readable, worth
from streams.ledger.atoms.document_status import is_unquoted
from streams.lexicons import load_words
from streams.reflection.words import STOPWORDS

PHRASE, NAME, ENTITY, HEADING = "phrase", "name", "entity", "heading"
MIN_READABLE = 0.6  # below it a title is no sentence to show by itself
_WORD = re.compile(r"[^\W\d_][\w-]+")
_NEXT_WORD = re.compile(r" (?P<word>[^\W\d_][\w-]+)")
MAX_NAME_WORDS = 4
_GAP = re.compile(r"[^\w\s-]|\s{2,}")
_NAMELIKE = re.compile(r"[A-Z][A-Z0-9-]+s?|[A-Z][a-z]+\d*(?:[A-Z][a-z0-9]*)+|[A-Z]+[a-z]+[A-Z]\w*")
_NO_NOUN = load_words("reduce", "no_nouns")
_ONLY_FIRST = re.compile(r"(?:[^su]s|ly|ing|ed)$")  # «maps fields», «fully execute»
_ONLY_LAST = re.compile(r"(?:ly|ing|ed)$")


def topics_of(atom: AtomRecord, names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The topics of an atom: key → how it is written and what sort of topic it is.

    ``names`` are those under which the ledger found entities in it.
    """
    title = atom.title
    found = {key_of(phrase): (phrase, PHRASE) for phrase in phrases_of(title)}
    for tag in atom.tags:
        if _NAMELIKE.fullmatch(written := _as_written(tag, title)):
            found[key_of(written)] = (written, NAME)
    for name in names:
        if written := _as_written(name, title):
            found[key_of(written)] = (written, ENTITY)
    return found


@bounded_cache(4 * MIB, 4)  # a title comes back with every revision of its atom
def phrases_of(title: str) -> tuple[str, ...]:
    """Two words that stand together and may name a thing."""
    return tuple(
        f"{first} {second}"
        for stretch in _GAP.split(title)
        for first, second in pairwise(_WORD.findall(stretch))
        if f"{first} {second}" in stretch and _makes_phrase(first, second)
    )


def widen(phrase: str, title: str) -> str:
    """``phrase`` as it stands in ``title``, with the nouns right after it; empty where it does not.

    «desktop platform» in «broad desktop platform support on Windows» is «desktop platform support».
    """
    at = title.lower().find(phrase.lower())
    if at < 0:
        return ""
    end, words = at + len(phrase), len(phrase.split())
    while words < MAX_NAME_WORDS and (more := _NEXT_WORD.match(title, end)):
        word = more["word"].lower()
        if word in STOPWORDS | _NO_NOUN or _ONLY_LAST.search(word):
            break
        end, words = more.end(), words + 1
    return title[at:end]


def _as_written(name: str, title: str) -> str:
    at = title.lower().find(name.lower())
    return title[at : at + len(name)] if at >= 0 else ""


def _makes_phrase(first: str, second: str) -> bool:
    one, two = first.lower(), second.lower()
    if {one, two} & (STOPWORDS | _NO_NOUN) or min(len(one), len(two)) < 3:
        return False
    return not _ONLY_FIRST.search(one) and not _ONLY_LAST.search(two)


def key_of(written: str) -> str:
    """One key for singular and plural."""
    key = written.lower()
    if key.endswith("ies") and len(key) > 5:
        return key[:-3] + "y"
    return key[:-1] if key.endswith("s") and not key.endswith(("ss", "us", "is")) else key


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with the ids of its atoms, and the way it is written most."""

    key: str
    sort: str
    name: str
    atom_ids: frozenset[str]


@dataclass(slots=True)
class ProjectTopics:
    """The live atoms of a project by topic; ``scores`` say how much each should be seen."""

    writings: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    held: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)

    def put(self, atom: AtomRecord, names: Iterable[str]) -> None:
        """Take the atom as it stands now; leave it out if it is not live."""
        for key in self.held.pop(atom.atom_id, ()):
            entries = self.writings[key]
            entries.pop(atom.atom_id, None)
            if not entries:
                del self.writings[key]
        self.scores.pop(atom.atom_id, None)
        if atom.status not in LIVE or atom.ledger != "pkl" or is_unquoted(atom):
            return
        self.scores[atom.atom_id] = worth(atom) if readable(atom.title) >= MIN_READABLE else 0.0
        topics = topics_of(atom, names)
        self.held[atom.atom_id] = tuple(topics)
        for key, entry in topics.items():
            self.writings.setdefault(key, {})[atom.atom_id] = entry

    def find_shared(self, minimum: int, most: int) -> Iterator[Topic]:
        """The topics of at least ``minimum`` and at most ``most`` atoms, by key."""
        for key in sorted(self.writings):
            entries = self.writings[key]
            if minimum <= len(entries) <= most:
                yield _topic(key, entries)

    def themes_of(self, atom_ids: Iterable[str], most: int) -> dict[str, str]:
        """The names and phrases that a third of the atoms share, and not more than ``most``."""
        held = sorted(atom_ids)
        counted: Counter[str] = Counter()
        names: dict[str, str] = {}
        for atom_id in held:
            for key in self.held.get(atom_id, ()):
                entries = self.writings[key]
                if len(entries) <= most:
                    counted[key] += 1
                    names[key] = min(names.get(key, entries[atom_id][0]), entries[atom_id][0])
        return {key: names[key] for key in sorted(names) if 3 * counted[key] >= len(held)}

    def keys_of(self, atom_ids: Iterable[str]) -> frozenset[str]:
        """The topics any of the atoms speaks of."""
        return frozenset(key for atom_id in atom_ids for key in self.held.get(atom_id, ()))


def _topic(key: str, entries: dict[str, tuple[str, str]]) -> Topic:
    written = Counter(text for text, _ in entries.values())
    singular = {text: n for text, n in written.items() if text.lower() == key} or written
    name = min(singular, key=lambda text: (-singular[text], text))
    sorts = {sort for _, sort in entries.values()}
    sort = ENTITY if ENTITY in sorts else NAME if NAME in sorts else PHRASE
    return Topic(key, sort, name, frozenset(entries))
