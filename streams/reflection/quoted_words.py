"""Whether a statement speaks of what its quote speaks of: shared words, and the same names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from streams.ledger.likeness.lexicon import FILLERS, FUNCTION_WORDS, GERMAN_FUNCTION_WORDS
from streams.ledger.likeness.terms import root, terms
from streams.ledger.opposition.contrast import measure_match
from streams.reflection.passage import Difference, Passage

FEW_SHARED = 0.25  # of a statement's words; fewer are concluded, not quoted
SAME_BUT_NAME = 0.75  # of the other words, where only the name is exchanged
MOST_NAMES = 40
MOST_OF_SUBJECT = 3  # words before a name that begins its sentence
_NAME = re.compile(r"(?<![\w{<$%./-])(?:[^\W\d_][\w.+#-]*\w|[^\W\d_])")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2}|\w_\w|[A-Za-z]\d")
_CLAUSE = re.compile(
    r"(?<=[.!?:;])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\bProf\.)\s+|\n|\|"
)
_UNIT = re.compile(r"(?<=\d)[ \u00a0]?([^\W\d_]{1,4})\b")
_PLACEHOLDER = re.compile(
    r"\$?\{+[^{}\n]{1,60}\}+|<[A-Za-z][\w \-]{0,40}>|%\w{1,30}%|\[[A-Z_ ]{2,40}\]"
)
_SAYS_NOTHING = FUNCTION_WORDS | FILLERS | GERMAN_FUNCTION_WORDS


def find_other_words(statement: str, passage: Passage) -> Iterator[Difference]:
    """No shared word is grave; few are not."""
    ours = _content(statement)
    if not ours:
        return
    content = frozenset(_content(f"{passage.quote}\n{passage.near}"))
    shared = sum(bool(measure_match(word, content)) for word in ours) / len(ours)
    if not shared:
        is_grave = not passage.is_foreign and not _shares_beginnings(ours, content)
        yield Difference("nothing_shared", f"0 of {len(ours)} words", is_grave)
    elif shared < FEW_SHARED:
        around = frozenset(_content(passage.around))
        rest = [word for word in ours if not measure_match(word, around | content)]
        if len(rest) > len(ours) / 2:
            yield Difference("little_shared", f"{shared:.0%} of the words", is_grave=False)


def find_other_names(statement: str, passage: Passage) -> Iterator[Difference]:
    """A name that the quote does not have; in place of another one of it is grave."""
    ours = _names(statement)
    if not ours or passage.is_foreign:
        return
    plain = _fold(_PLACEHOLDER.sub(" ", passage.quote))
    near, around = _fold(passage.near), _fold(passage.around)
    units = set(_UNIT.findall(statement))  # these are compared with their figures
    strange = [
        name
        for name in ours
        if name not in units and not _has(plain, name) and not _has(near, name)
    ]
    if not strange or _PLACEHOLDER.search(passage.quote):
        return
    told = _fold(statement)
    missing = [name for name in _names(passage.quote) if not _has(told, name)]
    content = frozenset(_content(passage.quote))
    others = [word for word in _content(statement) if word not in {root(it.lower()) for it in ours}]
    alike = sum(bool(measure_match(word, content)) for word in others) >= SAME_BUT_NAME * len(
        others
    )
    for name in strange:
        other = next((it for it in missing if _stand_alike(statement, name, passage.quote, it)), "")
        if other and alike:
            yield Difference("name_differs", f"{name} for {other}")
        elif other or not (_has(around, name) or _is_resolved(statement, name, plain)):
            yield Difference("name_differs", name, is_grave=False)


def _stand_alike(text: str, name: str, quote: str, other: str) -> bool:
    """Whether the words before the two names, or those behind them, are the same."""
    ours, theirs = _beside(text, name), _beside(quote, other)
    return any(one and one == another for one, another in zip(ours, theirs, strict=True))


def _beside(text: str, name: str) -> tuple[str, str]:
    """The roots of the words before and behind a name, those that say nothing left out."""
    before, _, behind = text.partition(name)
    first = [it for it in terms(behind[:120]) if it not in _SAYS_NOTHING and len(it) > 1]
    last = [it for it in terms(before[-120:]) if it not in _SAYS_NOTHING and len(it) > 1]
    return (last[-1] if last else ""), (first[0] if first else "")


def _is_resolved(text: str, name: str, folded_quote: str) -> bool:
    """Whether the name stands for a «we» or «it» of the quote: at the start of its sentence, or
    beside another part of itself that the quote has.
    """
    for sentence in _CLAUSE.split(text):
        if name not in sentence:
            continue
        words = sentence[: sentence.index(name)].split()
        behind = sentence[sentence.index(name) + len(name) :].split()[:1]
        if len(words) <= MOST_OF_SUBJECT:
            continue
        beside = [it.strip("\"'`(),.") for it in (*words[-1:], *behind)]
        if not any(it[:1].isupper() and _has(folded_quote, it) for it in beside):
            return False
    return True


def _content(text: str) -> list[str]:
    return [it for it in dict.fromkeys(terms(text)) if it not in _SAYS_NOTHING and len(it) > 1]


def _shares_beginnings(ours: list[str], known: frozenset[str]) -> bool:
    """Short forms and compounds: «auth» and «authentication»."""
    begun = {word[:4] for word in known if len(word) >= 4}
    return any(word[:4] in begun for word in ours if len(word) >= 4)


def _names(text: str) -> list[str]:
    """Words written as names; capitals at the start of a sentence or of every word say nothing."""
    found: dict[str, None] = {}
    for line in _CLAUSE.split(text):
        words = _NAME.findall(_PLACEHOLDER.sub(" ", line))
        small = sum([word[0].islower() for word in words])
        is_titled = len(words) > 2 and small * 3 <= len(words)
        for number, word in enumerate(words):
            if word.islower() and word.isalpha():
                continue
            is_name = _MIXED.search(word) and not word.isupper() or (word.isupper() and small > 1)
            is_inside = number and word[0].isupper() and not is_titled and len(word) > 1
            if (is_name or is_inside) and word.lower() not in _SAYS_NOTHING:
                found.setdefault(word)
    return list(found)[:MOST_NAMES]


def _fold(text: str) -> str:
    return text.lower()


def _has(folded: str, name: str) -> bool:
    """Whether a text has a name, a short form of it, or the words whose first letters it is."""
    small = name.lower()
    if small in folded or small.rstrip("s") in folded:
        return True
    parts = [it for it in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name) if len(it) > 1]
    if len(parts) > 1 and all(part.lower() in folded for part in parts):
        return True
    if len(small) > 5 and small[:5] in folded:
        return True
    words = re.findall(r"[^\W\d_]+", folded)
    if name.isupper() and 2 <= len(name) <= 6:
        firsts = "".join(word[0] for word in words[:5_000])
        return small in firsts
    return any(root(small) == root(word) for word in set(words[:5_000]))
