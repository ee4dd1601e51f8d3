"""Which statements may be near duplicates of a new one, without looking at all of them.

Similarity ≥ 0.75 needs a token Jaccard ≥ 0.5 at least. Two statements with a Jaccard ≥ j share ⌈jn⌉
of the new one's n words, so of any m of them at least m - n + ⌈jn⌉. Therefore only its rarest words
are looked up, as long as their lists are short in sum, and only what is on enough of them is looked
at; nothing is missed while ⌊(1-j)n⌋ + 1 words fit. Entities and tags need no lists of their own:
their names stand among the words of what speaks of them.

The index is memory only and a function of the set of live atoms: it comes out the same in whatever
order they were added. Ordinals are internal and never decide.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from heapq import nsmallest

from schemas.events.atom import Polarity

MAX_POSTINGS_READ = 256  # 4096 finds 13 % more pairs at 100,000 atoms, for ten times the work
MAX_COMPARED = 48
MIN_JACCARD = 0.4


@dataclass(frozen=True, slots=True)
class Entry:
    atom_id: str
    kind: str
    polarity: Polarity | None
    words: array[int]


@dataclass(frozen=True, slots=True)
class Near:
    """An indexed statement that shares rare words with the one asked about."""

    atom_id: str
    kind: str
    polarity: Polarity | None
    jaccard: float


@dataclass(slots=True)
class NearIndex:
    """Live statements of one group of kinds, by word."""

    numbers: dict[str, int] = field(default_factory=dict)
    frequency: Counter[str] = field(default_factory=Counter)
    postings: dict[int, array[int]] = field(default_factory=dict)
    entries: dict[int, Entry] = field(default_factory=dict)
    ordinals: dict[str, int] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)  # small, so asking it costs no trip to memory
    next_ordinal: int = 0

    def add(self, atom_id: str, kind: str, polarity: Polarity | None, words: Set[str]) -> None:
        if atom_id in self.ordinals:
            return
        ordinal, self.next_ordinal = self.next_ordinal, self.next_ordinal + 1
        numbers = array("I", sorted(self._number(word) for word in words))
        self.frequency.update(words)
        for number in numbers:
            self.postings[number].append(ordinal)
        self.entries[ordinal] = Entry(atom_id, kind, polarity, numbers)
        self.ordinals[atom_id] = ordinal

    def remove(self, atom_id: str, words: Set[str]) -> None:
        """Forget an atom; lists that are mostly of forgotten ones are made short again."""
        ordinal = self.ordinals.pop(atom_id, None)
        if ordinal is None:
            return
        del self.entries[ordinal]
        self.gone.add(ordinal)
        self.frequency.subtract(words)
        for word in words:
            number = self.numbers[word]
            posting = self.postings[number]
            if len(posting) > 2 * self.frequency[word] + 8:
                self.postings[number] = array("I", (o for o in posting if o in self.entries))

    def near(self, words: Set[str]) -> list[Near]:
        """What is ``MIN_JACCARD`` alike or more, in no order of meaning."""
        shared: Counter[int] = Counter()
        read = looked_up = 0
        for word in sorted(words, key=lambda word: (self.frequency[word], word)):
            read += self.frequency[word]
            if read > MAX_POSTINGS_READ:
                break
            looked_up += 1
            if word in self.numbers:
                shared.update(self.postings[self.numbers[word]])
        least = max(1, looked_up - len(words) + _fewest_shared(len(words)))
        counts = {
            ordinal: count
            for ordinal, count in shared.items()
            if count >= least and ordinal not in self.gone
        }
        numbers = {self.numbers[word] for word in words if word in self.numbers}
        near = (
            self._near(self.entries[ordinal], numbers, len(words))
            for ordinal in self._most_shared(counts)
        )
        return [each for each in near if each]

    def _most_shared(self, counts: dict[int, int]) -> list[int]:
        """At most ``MAX_COMPARED`` ordinals; a count at which they get too many is left out whole,
        unless it is the highest: then atom ids decide."""
        if len(counts) <= MAX_COMPARED:
            return list(counts)
        tally = Counter(counts.values())
        floor, total = max(tally), 0
        for count in sorted(tally, reverse=True):
            total += tally[count]
            if total > MAX_COMPARED:
                break
            floor = count
        kept = [ordinal for ordinal, count in counts.items() if count >= floor]
        return nsmallest(MAX_COMPARED, kept, key=lambda ordinal: self.entries[ordinal].atom_id)

    def _near(self, entry: Entry, numbers: set[int], word_count: int) -> Near | None:
        shared = len(numbers.intersection(entry.words))
        jaccard = shared / (word_count + len(entry.words) - shared)
        if jaccard < MIN_JACCARD:
            return None
        return Near(entry.atom_id, entry.kind, entry.polarity, jaccard)

    def _number(self, word: str) -> int:
        number = self.numbers.setdefault(word, len(self.numbers))
        if number not in self.postings:
            self.postings[number] = array("I")
        return number


def _fewest_shared(word_count: int) -> int:
    """⌈0.4 n⌉, in whole numbers."""
    return -(-2 * word_count // 5)
