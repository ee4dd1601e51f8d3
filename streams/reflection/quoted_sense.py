"""Whether a statement denies what its quote asserts, binds to what it leaves open, or the reverse.

A sentence of the statement is laid beside the sentences of the quote that hold most of its words.
A negator counts where the other side speaks of what it denies and denies it not, so that a
statement may leave out a part. An even number of such negators and of opposites says the same:
«must not be kept», «is deleted».
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from streams.ledger.contrast import exclude, is_opposed, measure_match
from streams.ledger.lexicon import FILLERS, FUNCTION_WORDS, GERMAN_FUNCTION_WORDS, GERMAN_NEGATORS
from streams.ledger.lexicon import NEGATORS as ENGLISH_NEGATORS
from streams.ledger.numerals import find_number_words
from streams.ledger.terms import root, tokens
from streams.reflection.passage import Difference, Passage

LEAST_SHARED = 0.5  # of a sentence's words, for the two to speak of the same
NEARLY_BEST = 0.1
OF_ONLY = 0.6
REACH = 3  # words that a negator or a modal verb speaks of
BEFORE_COPIED = 5  # words before a copied sentence that could deny it: «it is not true that»
MOST_WORDS = 400  # of a statement
MOST_SENTENCES = 60  # of a quote


def _words(text: str) -> list[str]:
    return text.split()


_PAIRS: str = tomllib.loads(
    resources.files(__package__).joinpath("opposites.toml").read_text(encoding="utf-8")
)["pairs"]
_OPPOSITES = frozenset(
    pair
    for each in _PAIRS.split(";")
    for one, other in [map(root, each.split())]
    if one != other
    for pair in ((one, other), (other, one))
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]*_`]*\s+|[;\n]|\s[|>–—]\s")
_WRAPPED = re.compile(r"(?<!\n)\n(?![ \t]*(?:\n|[-*+•|>#]|\d{1,3}[.)]))[ \t]*")
_LETTERS = re.compile(r"[^\W_]+")
_TARGET = re.compile(r"(?<=\])(?:\([^()\s]{0,300}\)|\[[^\[\]\n]{0,80}\])")
_SENTENCE_MARK = "|"
_ASIDE = re.compile(r"\([^()]{0,300}\)")  # a title leaves out what stands in brackets
_PAUSE = re.compile(r"[,:()\"]")
_PAUSED = "pausehere"  # a word that nobody writes: what a negator speaks of ends there
_LIMIT = re.compile(
    r"\b(?:can|could|may|must|shall|should|will|does|do|is|are)?\s*(?:not|never|no)\s+"
    r"(?:ever\s+|to\s+)?(?:exceed|surpass|go (?:over|above|beyond|below)|fall (?:below|under)"
    r"|drop below|(?:be |take |last |run |stay )?(?:more|greater|larger|longer|higher|later"
    r"|older|fewer|less"
    r"|lower|smaller|earlier|sooner|shorter)(?: than)?|above|below|beyond|over|under)\b"
)
_NOT_MORE = re.compile(
    r"\bnot ((?:[a-z]+ ){1,3}?)(?:more|greater|larger|longer|higher|later|older|fewer|less|lower"
    r"|smaller|earlier|sooner|shorter) than\b"
)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\b(?:not|never) (?:forget|fail|hesitate|neglect|omit) to\b|\bwhether or not\b"
    r"|\bno matter\b|\bnot limited to\b|\bwithout (?:fail|exception|delay)\b"
    r"|\bnot (?:just|merely)\b"
    r"|\bno\.? (?=\d)"
)
_CANNOT = re.compile(r"\bcannot\b|\bca not\b|\bwo not\b")
_KEEP_FROM = re.compile(
    r"\b(?:keep|keeps|kept|stop|stops|stopped|hinders?|hindered)\b(?= (?:[\w'-]+ ){1,6}from\b)"
)
_WEAK = re.compile(
    r"\b(?:need|needs) not\b|\b(?:do|does) not (?:have|need) to\b"
    r"|\b(?:is|are) not (?:required|obliged|mandatory|necessary|needed)(?: to)?\b|\bneedn[’']t\b"
)
_MUST = re.compile(
    r"\b(?:has|have|needs?|had) to\b|\b(?:is|are|be) (?:required|obliged|mandated|bound) to\b"
    r"|\b(?:is|are) (?:mandatory|compulsory|required|obligatory)\b|\bmandatory\b"
)
_MAY = re.compile(
    r"\b(?:is|are|be) (?:allowed|permitted|free|able|authori[sz]ed) to\b"
    r"|\b(?:is|are) optional\b|\boptionally\b"
)
_SHOULD = re.compile(r"\b(?:is|are) (?:recommended|advised|encouraged|supposed)(?: to)?\b")
_IMPLICIT_TEXT = """
    forbid forbids forbidden forbade prohibit prohibits prohibited disallow disallows disallowed ban
    bans banned prevent prevents prevented preventing impossible unable nowhere unless verboten
    untersagt
"""
_BACKWARD_TEXT = """
    forbidden prohibited disallowed banned prevented impossible nowhere verboten untersagt
"""
_ASKING = frozenset(_words("whether question questions unclear unknown undecided ob"))
_NEGATORS = ENGLISH_NEGATORS | GERMAN_NEGATORS | frozenset(_IMPLICIT_TEXT.split())
_BACKWARD = frozenset(_BACKWARD_TEXT.split())
_ONLY = frozenset(_words("only solely exclusively nur ausschließlich"))
_CONDITIONS = _ONLY | frozenset(
    _words("""sole just unless except excluding besides limited restricted reserved alone if when
        where     until before after provided requires require required needs""")
)
_LEVELS = {
    **dict.fromkeys(_words("must shall muss müssen musst"), 3),
    **dict.fromkeys(_words("should ought soll sollte sollten sollen recommended"), 2),
    **dict.fromkeys(_words("may can could might kann können könnte darf dürfen"), 1),
}
_DEGREES = frozenset(_words("more less fewer most least"))  # of what?
_DENIED_IS_BINDING = frozenset(_words("may can could kann können darf dürfen"))
_HELPERS = frozenset(_words("be been being is are was were have has had do does did to also then"))
_EMPTY = (
    (FUNCTION_WORDS | GERMAN_FUNCTION_WORDS | FILLERS | _HELPERS)
    - _NEGATORS - _ONLY - _LEVELS.keys()
) - frozenset(_words(
    "same other more most many much few several out off up down over under"
))  # fmt: skip
_PREFIX = re.compile(r"^(?:un|in|im|ir|il|non-?|dis|mis|anti-?)(?=[a-z]{4})")
_STEM_OF_LESS = re.compile(r"^([a-z]{4,})less$")


@dataclass(frozen=True, slots=True)
class Sense:
    """One sentence: the roots of its words in order, and what stands before them.

    ``denials``, ``levels`` and ``limits`` name by their places the words that a negator, a modal
    verb (with its strength, 1 to 3) or an «only» speaks of.
    """

    roots: tuple[str, ...]
    words: tuple[str, ...]
    known: frozenset[str]
    denials: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[int, tuple[int, ...]], ...]
    limits: tuple[tuple[int, ...], ...]
    has_condition: bool
    asks: bool


def find_other_sense(statement: str, passage: Passage) -> Iterator[Difference]:
    """Sentences of ``statement`` that say otherwise than those of its quote."""
    if passage.is_code:
        return
    quoted = [sense_of(one) for one in _split(_join_lines(passage.quote))[:MOST_SENTENCES]]
    near_words = frozenset(re.findall(r"[^\W\d_]+", passage.near.lower()))
    whole = _join_lines(passage.quote)
    copied = _SENTENCE_MARK.join(
        _fold(it) for text in (whole, _ASIDE.sub(" ", whole)) for it in _split(text)
    )
    for sentence in _split(statement):
        if _is_copied(sentence, copied):
            continue
        ours = sense_of(sentence)
        beside = _find_beside(ours, quoted)
        found = [list(_compare(ours, theirs, near_words)) for theirs in beside]
        if found and all(found):
            yield min(found, key=lambda each: (each[0].is_grave, len(each)))[0]


def _join_lines(text: str) -> str:
    """Lines that only the width of a page has parted; list items and paragraphs stay apart."""
    return _WRAPPED.sub(" ", text)


def _fold(text: str) -> str:
    """The words alone, between single blanks; of links what is shown."""
    return f" {' '.join(_LETTERS.findall(_TARGET.sub(' ', text.lower())))} "


def _is_copied(sentence: str, quoted: str) -> bool:
    """Whether it stands in the quote word for word, a heading before it perhaps."""
    parts = (sentence, *sentence.rstrip("…").split(": ", 1)[1:])
    for part in [_fold(it) for each in parts for it in (each, _ASIDE.sub(" ", each))]:
        pieces = quoted.split(part)[:-1] if part.strip() else []
        if pieces:
            before = [it.rsplit(_SENTENCE_MARK)[-1].split()[-BEFORE_COPIED:] for it in pieces]
            return all((_NEGATORS | _ONLY).isdisjoint(words) for words in before)
    return False


def _split(text: str) -> list[str]:
    """Sentences; of many words only the first ones."""
    found = [part.strip() for part in _SENTENCE.split(text)]
    return [" ".join(part.split()[:MOST_WORDS]) for part in found if part][:MOST_SENTENCES]


@lru_cache(maxsize=512)
def sense_of(sentence: str) -> Sense:
    plain = _PAUSE.sub(f" {_PAUSED} ", sentence.lower().replace("’", "'"))
    text = _KEEP_FROM.sub("prevent", " ".join(tokens(plain)))
    text = _CANNOT.sub("can not", text)
    text = _NO_DENIAL.sub(" ", _NOT_MORE.sub(r" \1 ", _LIMIT.sub(" at limit ", text)))
    text = _MUST.sub(" must ", _WEAK.sub(" may ", text))
    words = _SHOULD.sub(" should ", _MAY.sub(" may ", text)).split()
    kept: list[str] = []
    marks: list[tuple[str, int]] = []
    pauses: list[int] = []
    for word in words:
        if word == _PAUSED:
            pauses.append(len(kept))
        elif word in _NEGATORS or word in _LEVELS or word in _ONLY:
            marks.append((word, len(kept)))
        elif word not in _EMPTY:
            kept.append(word)
    roots = tuple(root(word) for word in kept)
    denials = [_reach(word, at, len(kept), pauses) for word, at in marks if word in _NEGATORS]
    return Sense(
        roots=roots,
        words=tuple(kept),
        known=frozenset(roots),
        denials=tuple(denials),
        levels=tuple(_read_levels(marks, len(kept))),
        limits=tuple(_reach(word, at, len(kept), pauses) for word, at in marks if word in _ONLY),
        has_condition=not _CONDITIONS.isdisjoint(words) or len(denials) > 1,
        asks=not _ASKING.isdisjoint(words) or sentence.rstrip().endswith("?"),
    )


def _reach(word: str, at: int, length: int, pauses: Sequence[int]) -> tuple[int, ...]:
    """The places that a negator speaks of: behind it, or all before it in «is forbidden»."""
    end = next((pause for pause in pauses if pause > at), length)
    behind = tuple(range(at, min(length, end, at + REACH)))
    return tuple(range(at)) if word in _BACKWARD and (at or not behind) else behind


def _read_levels(
    marks: Sequence[tuple[str, int]], length: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Modal verbs with their strength; what may not be done must not be done."""
    for number, (word, at) in enumerate(marks):
        if word not in _LEVELS:
            continue
        before, behind = marks[:number][-1:], marks[number + 1 : number + 2]
        is_denied = any(it[0] in _NEGATORS and at - it[1] <= REACH for it in before) or any(
            it[0] in _NEGATORS and it[1] == at for it in behind
        )
        level = 3 if is_denied and word in _DENIED_IS_BINDING else _LEVELS[word]
        yield level, tuple(range(at, min(length, at + REACH)))


def _find_beside(ours: Sense, quoted: Sequence[Sense]) -> list[Sense]:
    """The sentences of the quote that speak of what ours does."""
    if len(ours.roots) < 2:
        return []
    shares = [
        sum(bool(_match(one, theirs.known)) for one in ours.roots) / len(ours.roots)
        for theirs in quoted
    ]
    best = max(shares, default=0.0)
    if best < LEAST_SHARED:
        return []
    return [it for it, share in zip(quoted, shares, strict=True) if share >= best - NEARLY_BEST]


def _compare(ours: Sense, theirs: Sense, near: frozenset[str]) -> Iterator[Difference]:
    if ours.asks or theirs.asks:
        return
    denied = _count_denials(ours, theirs), _count_denials(theirs, ours)
    opposed = list(_find_opposed(ours, theirs))
    prefixed = _count_prefixed(ours, theirs)
    if (sum(denied) + len(opposed) + prefixed) % 2:
        is_of_heading = denied[0] > denied[1] and not near.isdisjoint(_NEGATORS | {"non", "out"})
        if opposed and denied[0] == denied[1]:
            yield Difference("opposite_meaning", f"{opposed[0][0]} for {opposed[0][1]}")
        elif not is_of_heading:
            told = "denies what it asserts" if denied[0] > denied[1] else "asserts what it denies"
            yield Difference("negation_differs", told)
    elif other := _find_exclusive(ours, theirs):
        yield Difference("other_thing", f"{other[0]} for {other[1]}")
    yield from _compare_levels(ours, theirs, near)
    if bool(ours.limits) != bool(theirs.limits):
        limited, free = (ours, theirs) if ours.limits else (theirs, ours)
        spoken = any(_touches(limited, places, free) for places in limited.limits)
        if spoken and not free.has_condition and _share(free, limited) >= OF_ONLY:
            yield Difference("condition_differs", "only", is_grave=False)


def _count_denials(ours: Sense, theirs: Sense) -> int:
    """Negators of ours whose matter the other speaks of without denying it."""
    left = [frozenset(theirs.roots[at] for at in places) for places in theirs.denials]
    count = 0
    for places in ours.denials:
        if not _touches(ours, places, theirs):
            continue
        mine = [ours.roots[at] for at in places]
        pair = next((it for it in left if any(_match(one, it) for one in mine)), None)
        if pair is None:
            count += 1
        else:
            left.remove(pair)
    return count


def _touches(ours: Sense, places: Sequence[int], theirs: Sense) -> bool:
    """Whether the other speaks of the first of these words, or of half of them."""
    spoken = [_speaks_of(ours.roots[at], theirs) for at in places]
    return any(spoken[:1]) or (any(spoken) and 2 * sum(spoken) >= len(spoken))


def _speaks_of(one: str, theirs: Sense) -> bool:
    return bool(_match(one, theirs.known)) or any(_is_opposed(one, it) for it in theirs.roots)


def _compare_levels(ours: Sense, theirs: Sense, near: frozenset[str]) -> Iterator[Difference]:
    """Where both bind the same words, but not as much."""
    heading = {_LEVELS[word] for word in near if word in _LEVELS}
    for level, places in ours.levels:
        mine = [ours.roots[at] for at in places]
        best: list[int] = []
        most = 0
        for other, theirs_places in theirs.levels:
            known = frozenset(theirs.roots[at] for at in theirs_places)
            shared = sum(bool(_match(one, known)) for one in mine)
            if shared > most:
                best, most = [], shared
            if shared == most and shared:
                best.append(other)
        if best and level not in best and level not in heading:
            is_grave = all(abs(level - other) > 1 for other in best)
            names = ("", "may", "should", "must")
            yield Difference(
                "modality_differs", f"{names[level]} for {names[best[0]]}", is_grave=is_grave
            )


def _find_opposed(ours: Sense, theirs: Sense) -> Iterator[tuple[str, str]]:
    """Words that only one side has and that are opposites in the same place."""
    for at, one in enumerate(ours.roots):
        if _match(one, theirs.known):
            continue
        for place, other in enumerate(theirs.roots):
            if (
                _is_opposed(one, other)
                and not _match(other, ours.known)
                and _stand_alike(ours, at, theirs, place)
            ):
                yield ours.words[at], theirs.words[place]
                break


def _find_exclusive(ours: Sense, theirs: Sense) -> tuple[str, str] | None:
    """Two of a set of which one holds: «Kafka» for «RabbitMQ»; numbers are compared as such."""
    for at, one in enumerate(ours.roots):
        if one in theirs.known or find_number_words(ours.words[at]):
            continue
        for place, other in enumerate(theirs.roots):
            if (
                exclude(one, other)
                and other not in ours.known
                and _stand_alike(ours, at, theirs, place)
            ):
                return ours.words[at], theirs.words[place]
    return None


def _stand_alike(ours: Sense, at: int, theirs: Sense, place: int) -> bool:
    """Whether a neighbour of the one stands near the other, too."""
    near = frozenset(theirs.roots[max(0, place - REACH) : place + REACH + 1])
    beside = [*ours.roots[max(0, at - 2) : at], *ours.roots[at + 1 : at + 3]]
    return any(_match(one, near) for one in beside)


def _count_prefixed(ours: Sense, theirs: Sense) -> int:
    """«unsigned» where the other says «signed», «stateless» where it says «state»."""
    return sum(
        bare in other.known and one not in other.known
        for mine, other in ((ours, theirs), (theirs, ours))
        for word, one in zip(mine.words, mine.roots, strict=True)
        if (bare := _take_off(word)) and not _is_opposed(bare, one)
    )


@lru_cache(maxsize=4_096)
def _take_off(word: str) -> str:
    """The root of a word without what denies it; empty where nothing does."""
    if match := _STEM_OF_LESS.match(word):
        return root(match[1])
    return root(word[match.end() :]) if (match := _PREFIX.match(word)) else ""


def _is_opposed(one: str, other: str) -> bool:
    if one in _DEGREES or other in _DEGREES:
        return False
    return (one, other) in _OPPOSITES or is_opposed(one, other)


def _match(word: str, known: frozenset[str]) -> float:
    """As the ledger matches, but no word matches the one that denies it."""
    found = measure_match(word, known)
    return found if found == 1.0 or not any(_is_opposed(word, it) for it in known) else 0.0


def _share(ours: Sense, theirs: Sense) -> float:
    return sum(bool(_match(one, theirs.known)) for one in ours.roots) / max(1, len(ours.roots))
