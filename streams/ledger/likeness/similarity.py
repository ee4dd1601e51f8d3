"""How alike two statements are, in whole numbers, so that every machine comes to the same figure.

Similarity is the mean of token-set Jaccard and character-trigram cosine over the normalised title
and body, rounded to 6 decimals. Whether alike texts say the same is another question
(``agreement.py``).

Decided against: embeddings. They may nominate pairs but never decide, and rare words
nominate what can reach the threshold already.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Set

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.ledger import AtomRecord
from schemas.fingerprint import norm_text
from streams.lexicons import load_words

AUTO_MERGE_THRESHOLD = 0.92
MERGE_REVIEW_THRESHOLD = 0.75
SHARED_SUBJECT_SIMILARITY = 0.60  # of titles
_NAME = re.compile(r"[a-z][A-Z]|[A-Z]{2}|\w_\w")
AUXILIARIES = load_words("pairs", "auxiliaries")


def statement_text(title: str, body: str) -> str:
    """What is compared: ``norm_text(title + " " + body)``."""
    return f"{norm_text(title)} {norm_text(body)}".strip()


def text_to_compare(atom: AtomRecord) -> str:
    """The same of an atom, without what only says where it stands."""
    return statement_text(atom.compared_title, atom.body)


@bounded_cache(4 * MIB, 12)
def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def jaccard(one: Set[str], other: Set[str]) -> float:
    shared = len(one & other)
    union = len(one) + len(other) - shared
    return round(shared / union, 6) if union else 1.0


def trigram_cosine(one: str, other: str) -> float:
    ours, our_square = _trigrams(one)
    theirs, their_square = _trigrams(other)
    if not our_square or not their_square:
        return float(one == other)
    if len(ours) > len(theirs):
        ours, theirs = theirs, ours
    dot = sum(count * theirs[gram] for gram, count in ours.items() if gram in theirs)
    return round(dot / math.sqrt(our_square * their_square), 6)


def similarity(one: str, other: str) -> float:
    """0 to 1 for two normalised texts."""
    if one == other:
        return 1.0
    return round((jaccard(words(one), words(other)) + trigram_cosine(one, other)) / 2, 6)


def find_differing_tokens(one: str, other: str) -> list[str]:
    """The tokens only one of the two texts has, sorted."""
    return sorted(words(one) ^ words(other))


def differ_in_names(one: str, other: str) -> bool:
    """Whether one of two raw texts names something, as code or acronym, that the other does not."""
    ours, theirs = _stems(one), _stems(other)
    return not (_names(one) <= theirs and _names(other) <= ours)


def affirmative(text: str) -> str:
    """A normalised text without negation and inflection: what is affirmed or denied."""
    kept = [word for word in text.split() if word not in AUXILIARIES]
    return " ".join(_stem(word) for word in kept)


def title_similarity(one: str, other: str) -> float:
    return similarity(norm_text(one), norm_text(other))


@bounded_cache(4 * MIB, 20)
def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in norm_text(text).split())


@bounded_cache(MIB, 4)
def _names(text: str) -> frozenset[str]:
    named = (norm_text(token) for token in text.split() if _NAME.search(token))
    return frozenset(_stem(name) for name in named if name)


def _stem(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


@bounded_cache(2 * MIB, 25)
def _trigrams(text: str) -> tuple[Counter[str], int]:
    grams = Counter(text[at : at + 3] for at in range(len(text) - 2))
    return grams, sum(count * count for count in grams.values())
