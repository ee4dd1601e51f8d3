"""Whether a statement denies what its quote asserts, binds to what it leaves open, or the reverse.

A sentence of the statement is laid beside the sentences of the quote that hold most of its words.
A negator counts where the other side speaks of what it denies and denies it not, so that a
statement may leave out a part. An even number of such negators and of opposites says the same:
«must not be kept», «is deleted».
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from streams.ledger.figures.numerals import find_number_words
from streams.ledger.likeness.terms import root
from streams.ledger.opposition.contrast import exclude, is_opposed, measure_match
from streams.lexicons import load_groups, load_words
from streams.reflection.passage import Difference, Passage
from streams.reflection.quoted_order import ORDER, compare_order, find_exchanged
from streams.reflection.sense import DOUBTING, LEVELS, NEGATORS, ONLY, REACH, Sense, sense_of

LEAST_SHARED = 0.5  # of a sentence's words, for the two to speak of the same
NEARLY_BEST = 0.1
OF_ONLY = 0.6
LEAST_LETTERS = 4
LEAST_ALIKE = 4  # words of a sentence of which one is another
BEFORE_COPIED = 5  # words before a copied sentence that could deny it: «it is not true that»
MOST_WORDS = 400  # of a statement
MOST_OPPOSED = 100  # words of a sentence that are looked at pair by pair
MOST_SENTENCES = 60  # of a quote


_OPPOSITES = frozenset(
    pair
    for each in load_groups("reflection", "quoted_opposites")
    for one, other in [map(root, each)]
    if one != other
    for pair in ((one, other), (other, one))
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]*_`]*\s+|[;\n]|\s[>–—]\s|\s\||\|\s")
_WRAPPED = re.compile(r"(?<!\n)\n(?![ \t]*(?:\n|[-*+•|>#]|\d{1,3}[.)]))[ \t]*")
_LETTERS = re.compile(r"[^\W_]+")
_TARGET = re.compile(r"(?<=\])(?:\([^()\s]{0,300}\)|\[[^\[\]\n]{0,80}\])")
_SENTENCE_MARK = "|"
_ASIDE = re.compile(r"\([^()]{0,300}\)")  # a title leaves out what stands in brackets
_LABELLED = re.compile(
    r":\s+(?=[^:]*\b(?:is|are|was|were|may|must|can|cannot|should|will|has|have|does|do|it['’]s"
    r"|\w+n['’]t)\b)"
)
LEAST_OF_LABEL = 3  # words
_ANNOUNCING = LEVELS.keys() | frozenset(("following", "this", "these", "that", "true"))
_CUT = re.compile(r"(?:\([^()]*|\S*)…\Z")
_DEGREES = frozenset(("more", "less", "fewer", "most", "least"))  # of what?
_GRAMMAR = load_words("reflection", "grammar")
_DENYING = NEGATORS | ONLY
_DONTS = re.compile(r"n['’]ts?\b", re.IGNORECASE)
_PREFIX = re.compile(r"^(?:un|in|im|ir|il|non-?|dis|mis|anti-?)(?=[a-z]{4})")
_STEM_OF_LESS = re.compile(r"^([a-z]{4,})less$")


def find_other_sense(statement: str, passage: Passage) -> Iterator[Difference]:
    """Sentences of ``statement`` that say otherwise than those of its quote."""
    if passage.is_code:
        return
    whole = _join_lines(passage.quote)
    shown = [it for text in dict.fromkeys((whole, _ASIDE.sub(" ", whole))) for it in _split(text)]
    named = [part for it in shown for part in (_LABELLED.split(it) if _is_label(it) else (it,))]
    copied = tuple(
        dict.fromkeys(_SENTENCE_MARK.join(map(_fold, parts)) for parts in (shown, named))
    )
    others = [it for it in _split(statement) if not _is_copied(it, copied)]
    if not others:  # as nearly always with rules: the rest is the dear part
        return
    quoted = [sense_of(one) for one in _split(whole)]
    near_words = frozenset(re.findall(r"[^\W\d_]+", passage.near.lower()))
    if _DONTS.search(passage.near):
        near_words |= {"not"}
    for sentence in others:
        ours = sense_of(sentence)
        beside = _find_beside(ours, quoted)
        found = [list(_compare(ours, theirs, near_words)) for theirs in beside]
        if found and all(found):
            yield min(found, key=lambda each: (each[0].is_grave, len(each)))[0]


def _join_lines(text: str) -> str:
    """Lines that only the width of a page has parted; list items and paragraphs stay apart."""
    return _WRAPPED.sub(" ", text)


def _is_label(sentence: str) -> bool:
    """Whether its colon parts two sayings: «No totals are kept: people have to add up»."""
    label = _LABELLED.split(sentence, 1)[0]
    words = _LETTERS.findall(label.lower())
    return label != sentence and len(words) >= LEAST_OF_LABEL and _ANNOUNCING.isdisjoint(words)


def _fold(text: str) -> str:
    """The words alone, between single blanks; of links what is shown."""
    small = text.lower()
    return f" {' '.join(_LETTERS.findall(_TARGET.sub(' ', small) if ']' in small else small))} "


def _is_copied(sentence: str, quoted: Sequence[str]) -> bool:
    """Whether it stands in a quote word for word, a heading before it perhaps."""
    if sentence.endswith("…"):
        sentence = _CUT.sub("", sentence)
    parts = (sentence, *sentence.split(": ", 1)[1:])
    spellings = dict.fromkeys(it for each in parts for it in (each, _ASIDE.sub(" ", each)))
    folded = [it for it in dict.fromkeys(map(_fold, spellings)) if it.strip()]
    return any(_stands_in(folded, it) for it in quoted)


def _stands_in(folded: Sequence[str], quoted: str) -> bool:
    """Whether the first spelling that stands in a quote is denied by no word before it."""
    for part in folded:
        if pieces := quoted.split(part)[:-1]:
            before = [it.rsplit(_SENTENCE_MARK)[-1].split()[-BEFORE_COPIED:] for it in pieces]
            return all(_DENYING.isdisjoint(words) for words in before)
    return False


def _split(text: str) -> list[str]:
    """Sentences; of many words only the first ones."""
    texts = [part.strip() for part in _SENTENCE.split(text)]
    return [" ".join(part.split()[:MOST_WORDS]) for part in texts if part][:MOST_SENTENCES]


def _find_beside(ours: Sense, quoted: Sequence[Sense]) -> list[Sense]:
    """The sentences of the quote that speak of what ours does."""
    if len(ours.roots) < 2:
        return []
    near = [it for it in quoted if not ours.known.isdisjoint(it.known)]
    shares = [
        sum(bool(_match(word, theirs.known)) for word in ours.roots) / len(ours.roots)
        for theirs in near
    ]
    best = max(shares, default=0.0)
    if best < LEAST_SHARED:
        return []
    return [it for it, share in zip(near, shares, strict=True) if share >= best - NEARLY_BEST]


def _compare(ours: Sense, theirs: Sense, near: frozenset[str]) -> Iterator[Difference]:
    if ours.asks or theirs.asks:
        return
    denied = _count_denials(ours, theirs), _count_denials(theirs, ours)
    order = compare_order(ours, theirs)
    opposed = [it for it in _find_opposed(ours, theirs) if order is None or it[0] not in ORDER]
    prefixed = _count_prefixed(ours, theirs)
    if order is False:
        yield Difference("opposite_meaning", "what comes first")
    elif order and sum(denied) == 1:  # «not before» is «only after»
        pass
    elif found := find_exchanged(ours, theirs):
        yield Difference("roles_exchanged", f"{found[0]} for {found[1]}")
    elif denied[0] == denied[1] and not opposed and not prefixed and _deny_each_other(ours, theirs):
        yield Difference("negation_differs", "denies what it asserts, and the reverse")
    elif (sum(denied) + len(opposed) + prefixed) % 2:
        is_of_heading = denied[0] > denied[1] and not near.isdisjoint(NEGATORS | {"non", "out"})
        if opposed and denied[0] == denied[1]:
            yield Difference("opposite_meaning", f"{opposed[0][0]} for {opposed[0][1]}")
        elif not is_of_heading:
            text = "denies what it asserts" if denied[0] > denied[1] else "asserts what it denies"
            yield Difference("negation_differs", text)
    elif other := _find_exclusive(ours, theirs):
        yield Difference("other_thing", f"{other[0]} for {other[1]}")
    elif other := _find_replaced(ours, theirs):
        yield Difference("other_thing", f"{other[0]} for {other[1]}", is_grave=False)
    if theirs.is_doubted and not ours.is_doubted and all(it > 1 for it, _ in ours.levels):
        yield Difference("modality_differs", "certain for doubted", is_grave=False)
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
    heading = {LEVELS[word] for word in near if word in LEVELS}
    for level, places in ours.levels:
        mine = [ours.roots[at] for at in places]
        best: list[int] = []
        most = 0
        for other, theirs_places in theirs.levels:
            roots = frozenset(theirs.roots[at] for at in theirs_places)
            shared = sum(bool(_match(one, roots)) for one in mine)
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
    for at, one in enumerate(ours.roots[:MOST_OPPOSED]):
        if _match(one, theirs.known):
            continue
        for place, other in enumerate(theirs.roots[:MOST_OPPOSED]):
            if (
                _is_opposed(one, other)
                and not _match(other, ours.known)
                and _stand_alike(ours, at, theirs, place)
            ):
                yield ours.words[at], theirs.words[place]
                break


def _find_exclusive(ours: Sense, theirs: Sense) -> tuple[str, str] | None:
    """Two of a set of which one holds: «Kafka» for «RabbitMQ»; numbers are compared as such."""
    for at, one in enumerate(ours.roots[:MOST_OPPOSED]):
        if one in theirs.known or find_number_words(ours.words[at]):
            continue
        for place, other in enumerate(theirs.roots[:MOST_OPPOSED]):
            if (
                exclude(one, other)
                and other not in ours.known
                and _stand_alike(ours, at, theirs, place)
            ):
                return ours.words[at], theirs.words[place]
    return None


def _deny_each_other(ours: Sense, theirs: Sense) -> bool:
    """«by crate, not by hour» beside «by hour, not by crate»."""
    mine, other = _asserted_and_denied(ours), _asserted_and_denied(theirs)
    return all(
        denied and denied <= asserted
        for denied, asserted in ((mine[1], other[0]), (other[1], mine[0]))
    )


def _asserted_and_denied(sense: Sense) -> tuple[frozenset[str], frozenset[str]]:
    denied = {at for places in sense.denials for at in places}
    asserted = frozenset(it for at, it in enumerate(sense.roots) if at not in denied)
    return asserted, frozenset(sense.roots[at] for at in denied) - asserted


def _find_replaced(ours: Sense, theirs: Sense) -> tuple[str, str] | None:
    """The one word that stands in another's place where all else is the same.

    It may be a synonym or not: no list has all opposites, so nothing is quoted that says it.
    """
    mine = [it for it in range(len(ours.roots)) if not _match(ours.roots[it], theirs.known)]
    other = [it for it in range(len(theirs.roots)) if not _match(theirs.roots[it], ours.known)]
    if len(mine) != 1 or len(other) != 1 or len(ours.roots) < LEAST_ALIKE:
        return None
    word, instead = ours.words[mine[0]], theirs.words[other[0]]
    if _says_how(ours, mine[0]) or _says_how(theirs, other[0]) or word[:3] == instead[:3]:
        return None
    return (word, instead) if _stand_alike(ours, mine[0], theirs, other[0]) else None


def _says_how(sense: Sense, at: int) -> bool:
    """Whether a word is a figure, its unit or its limit, or leads in to what is said."""
    word, beside = sense.words[at], sense.words[max(0, at - 2) : at + 3]
    is_figure = any(it[0].isdigit() or find_number_words(it) for it in beside)
    return is_figure or len(word) < LEAST_LETTERS or word in _GRAMMAR or word in DOUBTING


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
    match = measure_match(word, known)
    if match in (0.0, 1.0):
        return match
    return 0.0 if any(_is_opposed(word, it) for it in known) else match


def _share(ours: Sense, theirs: Sense) -> float:
    return sum(bool(_match(word, theirs.known)) for word in ours.roots) / max(1, len(ours.roots))
