"""What finding near duplicates costs as the ledger grows, against MinHash with LSH (datasketch).

Statements are made by rule, the same ones each time: words of a project are drawn with the usual
steep frequencies from a vocabulary that grows with the number of statements. One statement in
fifty has a twin that says the same a little otherwise. Both sides are given normalised words,
nominate, and let the ledger's similarity decide at its review threshold, so that F1 tells what the
nomination misses. Twins share all words that say something, so statements are also asked for with
two of these exchanged.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from infra.measure.benches.peers import Peer, missing, versions
from streams.ledger.likeness.near_index import NearIndex
from streams.ledger.likeness.similarity import MERGE_REVIEW_THRESHOLD, similarity, words

SIZES = (10_000, 100_000, 1_000_000)
LARGEST_OF_PEER = 100_000  # a million would take it most of an hour
QUERIES = 1_000
TARGET_RATIO, TARGET_GROWTH = 5.0, 2.0  # times the peer's rate; a lookup at the largest size
PEERS = ("datasketch",)
PERMUTATIONS = 128
PEER_JACCARD = 0.5  # what the review threshold asks of the words at least
TWIN_EVERY = 50
LITTLE = ("the", "a", "of", "in", "to", "and", "for", "with", "by", "on", "is", "must", "when")
LENGTHS = range(7, 19)
Nominate = Callable[[str], Iterable[int]]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds to take in all statements and, on the average, for one lookup; F1 of the lookups.

    ``reworded``: the share of statements found with two words exchanged, if still alike enough.
    """

    taking_in_s: float
    lookup_s: float
    f1: float
    reworded: float

    def summarise(self, size: int) -> dict[str, Any]:
        each = self.taking_in_s / size + self.lookup_s
        return {
            "atoms_per_s": round(1 / each),
            "us_per_lookup": round(self.lookup_s * 1e6, 1),
            "f1": round(self.f1, 3),
            "reworded": round(self.reworded, 3),
        }


def dedupe(sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Atoms a second (one lookup and one entry each) and microseconds a lookup at every size."""
    figures: dict[str, Any] = {}
    ours: dict[int, Cost] = {}
    theirs: dict[int, Cost] = {}
    absent = missing(PEERS)
    for size in sizes:
        texts = statements(size)
        ours[size] = measure_pairs(texts, _our_index)
        figures[f"{size:,}"] = ours[size].summarise(size)
        if not absent and size <= LARGEST_OF_PEER:
            theirs[size] = measure_pairs(texts, _their_index)
            figures[f"{size:,} datasketch"] = theirs[size].summarise(size)
    first, last = sizes[0], sizes[-1]
    figures["growth"] = round(ours[last].lookup_s / ours[first].lookup_s, 2)
    figures["growth_target"] = TARGET_GROWTH
    alike = measure_pairs(series(first), _our_index)
    figures[f"lookup in a series of {first:,}, ratio"] = round(
        alike.lookup_s / ours[first].lookup_s, 2
    )
    if absent:
        return figures | {"baseline": absent}
    for size in sizes:
        known = max(at for at in theirs if at <= size)
        ratio = _each(theirs[known], known) / _each(ours[size], size)
        said = "" if known == size else f" (datasketch as at {known:,})"
        figures[f"ratio at {size:,}{said}"] = round(ratio, 1)
    return figures | {"target": TARGET_RATIO, "baseline": versions(PEERS)}


def _each(cost: Cost, size: int) -> float:
    return cost.taking_in_s / size + cost.lookup_s


def statements(count: int) -> list[str]:
    """``count`` normalised statements; every fiftieth is followed by its twin."""
    drawn = random.Random(count)
    vocabulary = 2_000 + count // 10
    often = list(accumulate(1 / (rank + 3) for rank in range(vocabulary)))
    places = range(vocabulary)
    made: list[str] = []
    while len(made) < count:
        length = drawn.choice(LENGTHS)
        said = [f"word{at:x}" for at in drawn.choices(places, cum_weights=often, k=length)]
        for _ in range(length // 2):
            said.insert(drawn.randrange(len(said)), drawn.choice(LITTLE))
        made.append(" ".join(said))
        if len(made) % TWIN_EVERY == TWIN_EVERY - 1 and len(made) < count:
            made.append(_otherwise(drawn, said))
    return made


def series(count: int) -> list[str]:
    """``count`` normalised statements that differ in one name only."""
    return [f"the service must keep all of its records for node{at:x}" for at in range(count)]


def _otherwise(drawn: random.Random, said: list[str]) -> str:
    """The same words but for two little ones."""
    twin = [*said, drawn.choice(LITTLE)]
    littles = [at for at, word in enumerate(twin) if word in LITTLE]
    twin[drawn.choice(littles)] = drawn.choice(LITTLE)
    return " ".join(twin)


def measure_pairs(texts: list[str], index: Callable[[list[str]], Nominate]) -> Cost:
    """What ``index`` costs over the texts, and how many twins its lookups find."""
    size = len(texts)
    began = time.process_time()
    nominate = index(texts)
    taking_in = time.process_time() - began
    asked = range(0, size, max(1, size // QUERIES))
    apart = TWIN_EVERY * max(1, size // (QUERIES * TWIN_EVERY))
    asked_twins = range(TWIN_EVERY - 2, size - 1, apart)
    began, found = time.process_time(), []
    positions = [*asked, *asked_twins]
    for position in positions:
        text = texts[position]
        near = [
            other
            for other in nominate(text)
            if other != position and _are_alike(text, texts[other])
        ]
        found.append(near)
    lookup = (time.process_time() - began) / len(positions)
    right = wrong = missed = 0
    for position, near in zip(positions, found, strict=True):
        twin = _twin_of(position, size)
        right += twin in near
        missed += twin is not None and twin not in near
        wrong += sum(other != twin for other in near)
    reworded = [(_reword(texts, at), at) for at in asked]
    alike = [(text, at) for text, at in reworded if _are_alike(text, texts[at])]
    reached = sum(at in nominate(text) for text, at in alike)
    f1 = 2 * right / (2 * right + wrong + missed)
    return Cost(taking_in, lookup, f1, reached / max(1, len(alike)))


def _are_alike(one: str, other: str) -> bool:
    return similarity(one, other) >= MERGE_REVIEW_THRESHOLD


def _reword(texts: list[str], at: int) -> str:
    """The statement with two words of another one in the place of two that say something."""
    drawn = random.Random(at)
    said, others = texts[at].split(), _drop_little_words(drawn.choice(texts).split())
    for word in drawn.sample(_drop_little_words(said), 2):
        said[said.index(word)] = drawn.choice(others)
    return " ".join(said)


def _drop_little_words(words: list[str]) -> list[str]:
    return [word for word in words if word not in LITTLE]


def _twin_of(position: int, size: int) -> int | None:
    if position % TWIN_EVERY == TWIN_EVERY - 2 and position + 1 < size:
        return position + 1
    return position - 1 if position % TWIN_EVERY == TWIN_EVERY - 1 else None


def _our_index(texts: list[str]) -> Nominate:
    index = NearIndex()
    for at, text in enumerate(texts):
        index.add(str(at), "claim", None, words(text))
    return lambda text: [int(each.atom_id) for each in index.near(words(text))]


def _their_index(texts: list[str]) -> Nominate:
    datasketch = Peer("datasketch")

    def sketch(text: str) -> Any:
        made = datasketch.MinHash(num_perm=PERMUTATIONS)
        made.update_batch([word.encode() for word in words(text)])
        return made

    index = datasketch.MinHashLSH(threshold=PEER_JACCARD, num_perm=PERMUTATIONS)
    for at, text in enumerate(texts):
        index.insert(at, sketch(text))
    return lambda text: sorted(index.query(sketch(text)))
