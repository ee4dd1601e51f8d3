"""Which statements may be near duplicates of a new one, without looking at all of them.

Similarity ≥ 0.75 needs a token Jaccard ≥ 0.5 at least. Two statements with a Jaccard ≥ j share ⌈jn⌉
of the new one's n words, so of any m of them at least m - n + ⌈jn⌉. Therefore only its rarest words
are looked up, as long as their lists are short in sum, and only what is on enough of them is looked
at; nothing is missed while ⌊(1-j)n⌋ + 1 words fit.

In a large ledger they do not fit, since hardly a word is rare. Then the rarest words nominate and
a few more confirm, however common: what is alike shares most of them, and hardly anything else two.
To confirm costs half as much as to nominate, since few of a list were nominated before.

Entities and tags need no lists of their own: their names stand among the words of what speaks of
them. The index is memory only and a function of the set of live atoms: it comes out the same in
whatever order they were added. Ordinals are internal and never decide.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from heapq import nsmallest

from schemas.events.atom import Polarity

SHORT = 768  # postings in sum: as far as that, all words nominate
NOMINATING, LOOKED_UP = 2, 4  # known words at least, however long their lists
MAX_POSTINGS_READ = 32_768  # 3 ms; of a million statements one in 4,000 has no two words that fit
MIN_SHARED = 2  # where too few words are looked up for the bound above to ask for any
MAX_COMPARED = 64
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
        shared, looked_up = self._count_shared(words)
        least = looked_up - len(words) + _fewest_shared(len(words))
        numbers = {self.numbers[word] for word in words if word in self.numbers}
        near = (
            self._near(self.entries[ordinal], numbers, len(words))
            for ordinal in self._most_shared(shared, least if least > 0 else MIN_SHARED)
        )
        return [each for each in near if each]

    def _count_shared(self, words: Set[str]) -> tuple[Counter[int], int]:
        """How many of the rarest words each ordinal shares, and how many words these are."""
        shared: Counter[int] = Counter()
        read = looked_up = known = 0
        for word in sorted(words, key=lambda word: (self.frequency[word], word)):
            read += self.frequency[word]
            if read > MAX_POSTINGS_READ or (read > SHORT and known >= LOOKED_UP):
                break
            looked_up += 1
            if self.frequency[word]:
                known += 1
                posting = self.postings[self.numbers[word]]
                nominates = read <= SHORT or known <= NOMINATING
                shared.update(posting if nominates else shared.keys() & posting)
        for ordinal in self.gone.intersection(shared):
            del shared[ordinal]
        return shared, looked_up

    def _most_shared(self, shared: Counter[int], least: int) -> list[int]:
        """At most ``MAX_COMPARED`` ordinals that share ``least`` words or more; a count at which
        they get too many is left out whole, unless it is the highest: then atom ids decide."""
        tally = Counter(shared.values())
        floor, total = max(least, max(tally, default=0)), 0
        for count in range(floor, least - 1, -1):
            total += tally[count]
            if total > MAX_COMPARED:
                break
            floor = count
        kept = [ordinal for ordinal, count in shared.items() if count >= floor]
        if len(kept) <= MAX_COMPARED:
            return kept
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
