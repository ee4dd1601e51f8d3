"""The words of a text as they are weighed and compared: stems, parts of names, letter runs.

A rough stemmer of our own: it only has to bring the forms of one word together, and what it
conflates wrongly weighs little beside the other words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from streams.ledger.likeness.lexicon import IRREGULAR, SAME
from streams.lexicons import load_groups

_TOKEN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*[A-Za-z0-9_]|[A-Za-z0-9]|%")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NOT_ALNUM = re.compile(r"[^a-z0-9]+")
_CONTRACTED = re.compile(r"(?i)n['\u2019]t\b")
GRAM = 5
_ENDINGS = [  # the first that a word has becomes what stands behind it
    (ending, "".join(stem)) for ending, *stem in load_groups("pairs", "endings")
]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A lower-case word without its ending, at least three letters."""
    word = IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending == "s" and word.endswith("ss"):
                return word
            root = word[: -len(ending)] + instead
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "aeioulsz"
            return root[:-1] if doubled else root
    return word


_ROOT_OF_SAME = {stem(word): stem(head) for word, head in SAME.items()}


def root(word: str) -> str:
    """The stem that stands for a word and its synonyms."""
    stemmed = stem(word)
    return _ROOT_OF_SAME.get(stemmed, stemmed)


def tokens(text: str) -> list[str]:
    """The words of a text as written, contracted negations as ``not``."""
    return _TOKEN.findall(_CONTRACTED.sub(" not", text))


def terms(text: str) -> list[str]:
    """What a text is found by: roots of its words, names whole and in parts."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        found += _terms_of(token)
    return found


@lru_cache(maxsize=65_536)
def _terms_of(token: str) -> tuple[str, ...]:
    parts = _PART.findall(token)
    if len(parts) < 2:
        return (root(token.lower()),)
    return (token.lower(), *(root(part.lower()) for part in parts))


def letter_runs(text: str) -> list[str]:
    """All runs of five letters and digits, blanks between words included."""
    plain = f" {_NOT_ALNUM.sub(' ', text.lower()).strip()} "
    return [plain[at : at + GRAM] for at in range(len(plain) - GRAM + 1)]
