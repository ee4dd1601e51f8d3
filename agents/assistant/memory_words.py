"""The words of a memory: what it is about, what it says of that, and whether it denies it.

Rules over words, no grammar: where they cannot tell, two memories count as two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Literal

from schemas.data_files import read_table

Kind = Literal["address", "number", "name", "opening", "word"]
LONGEST_READ = 4_000  # characters of a text that are looked at
ME, US, NOT = "<me>", "<us>", "<not>"
SHORTEST_STEM = 3
_TABLE: dict[str, Any] = read_table(__package__, "memory_words.toml")
_TOKEN = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://[^\s<>\"]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
    r"|[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+(?:[.:/'-]\w+)*|[:=]",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"^\W*(?:please\s+)?(?:remember|note|keep in mind|(?:do not|don't|never) forget|save|store"
    r"|memori[sz]e)\b(?:\s+(?:that|this|down))?[\s:,]*",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"\bno longer\b|\bnot? any ?more\b|\bnot? any longer\b", re.IGNORECASE)
_NEGATED = re.compile(r"(\w+)n't")
_SHORT_FORM = re.compile(r"'(s|m|re|ve|ll|d)?$")
_VOWELS = frozenset("aeiouy")


@dataclass(frozen=True, slots=True)
class Word:
    """``text`` is the word in lower case, ``stem`` what its forms share, ``kind`` how it may
    differ: an address, number or name stands for itself alone, an ``opening`` with its capital may
    be a name. ``group``: the alternatives it is one of.
    """

    text: str
    stem: str
    kind: Kind
    group: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A memory taken apart. ``words`` are those that say something, ``subject`` and ``value``
    parts of them; ``joints``: the prepositions of the value. ``is_exclusive``: the subject has one
    value of this kind at a time; ``is_plain``: it is said by «is». ``negations`` are counted.
    """

    words: tuple[Word, ...]
    subject: frozenset[str]
    value: tuple[Word, ...]
    joints: tuple[str, ...]
    negations: int
    is_exclusive: bool = False
    is_plain: bool = False

    @property
    def is_negated(self) -> bool:
        return self.negations % 2 == 1

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words)

    @property
    def order(self) -> tuple[str, ...]:
        """The words whose order may tell who does what, or what is when."""
        if self.negations:
            return tuple(word.stem for word in self.words)
        return tuple(word.stem for word in self.words if word.kind != "word" or word.group)


def read_fact(text: str) -> Fact:
    """The fact in a text; one without words for a text that says nothing."""
    marks = list(_marks(text))
    words = tuple(mark for mark in marks if _says_something(mark))
    negations = sum(mark.stem == NOT for mark in marks)
    first = next((mark for mark in marks if _says_something(mark)), None)
    joint = next((at for at, mark in enumerate(marks) if at and _is_joint(mark)), 0)
    if first is not None and joint and not _is_clause(first, marks, joint):
        return _split_at(joint, marks, words, negations)
    subject, value = words[:2], words[2:]
    verb = subject[1].stem if len(subject) > 1 else ""
    joints = _joints(marks[marks.index(subject[1]) :]) if verb else ()
    allowed = _exclusive().get(verb)
    is_exclusive = allowed is not None and set(joints) <= set(allowed)
    stems = frozenset(word.stem for word in subject)
    return Fact(words, stems, value, joints, negations, is_exclusive)


def list_words(text: str) -> tuple[Word, ...]:
    """The words of a text that say something, pronouns included, in their order."""
    return tuple(mark for mark in _marks(text) if _says_something(mark))


def is_denied(text: str) -> bool:
    return sum(mark.stem == NOT for mark in _marks(text)) % 2 == 1


def as_plain(stem: str) -> str:
    """The word for which a modest paraphrase may put this one."""
    return _paraphrases().get(stem, stem)


def is_single(group: str) -> bool:
    """Whether nothing has two of these alternatives at once, whatever is said of it."""
    return group in _list("single")


def is_framing(word: Word) -> bool:
    return word.stem in _framing() or word.stem in (ME, US)


def _split_at(joint: int, marks: list[Word], words: tuple[Word, ...], negations: int) -> Fact:
    """«S is V», also the other way round: «Bo is my manager» says what «my manager is Bo» does."""
    behind = joint
    while behind < len(marks) and _is_joint(marks[behind]):
        behind += 1
    left = tuple(mark for mark in marks[:joint] if _says_something(mark))
    right = tuple(mark for mark in marks[behind:] if _says_something(mark))
    if len(left) == 1 and left[0].stem != ME and any(word.stem == ME for word in right):
        kind: Kind = "name" if left[0].kind == "opening" else left[0].kind
        left, right = right, (replace(left[0], kind=kind),)
    has_only = all(mark.text in _list("has") for mark in marks[joint:behind])
    subject = frozenset(word.stem for word in left)
    is_exclusive = not has_only and not subject <= {ME, US}
    joints = _joints(marks[behind:])
    return Fact(words, subject, right, joints, negations, is_exclusive, is_plain=not has_only)


def _is_clause(first: Word, marks: list[Word], joint: int) -> bool:
    """Whether the subject is a pronoun with a verb of its own before the «is»."""
    if first.text not in _list("nominative"):
        return False
    return sum(_says_something(mark) for mark in marks[:joint]) > 1


def _marks(text: str) -> Iterator[Word]:
    """All words and joints of a text."""
    shown = text[:LONGEST_READ].replace("’", "'")
    shown = _NO_MORE.sub(" not ", _REMEMBER.sub("", shown, count=1))
    is_first = True
    for match in _TOKEN.finditer(shown):
        raw = match.group().rstrip(".,;!?)'") or match.group()
        lower = raw.casefold()
        if negated := _NEGATED.fullmatch(lower):
            if negated[1] in _list("is") | _list("has"):
                yield Word(negated[1], negated[1], "word")
            yield Word(lower, NOT, "word")
        elif short := _SHORT_FORM.search(lower):
            yield _word(raw, lower[: short.start()] or lower, is_first=is_first)
            if short[1] in ("m", "re"):
                yield Word("am", "am", "word")
        else:
            yield _word(raw, lower, is_first=is_first)
        is_first = False


@lru_cache(maxsize=2_048)
def _word(raw: str, base: str, *, is_first: bool) -> Word:
    if base in _list("me"):
        return Word("my" if raw.casefold().endswith("'s") else base, ME, "word")
    if base in _list("us"):
        return Word(base, US, "word")
    if base in _list("negations"):
        return Word(base, NOT, "word")
    same = _same().get(base, base)
    stem = stem_of(same)
    group = _groups().get(stem, "")
    return Word(base, stem, _kind(raw, base, group, is_first), group or _number(base))


def _kind(raw: str, base: str, group: str, is_first: bool) -> Kind:
    if "@" in raw or "://" in raw:
        return "address"
    if any(char.isdigit() for char in base):
        return "number"
    if group or raw == raw.lower():
        return "word"
    return "opening" if is_first and raw[1:] == raw[1:].lower() else "name"


def stem_of(word: str) -> str:
    """What the plain forms of a word share: plural and singular, «prefers» and «prefer»."""
    stem = word
    if len(stem) > SHORTEST_STEM and not any(char.isdigit() for char in stem):
        if stem.endswith("ies"):
            stem = stem[:-3] + "y"
        elif stem.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            stem = stem[:-2]
        elif stem.endswith("s") and not stem.endswith(("ss", "us", "is")):
            stem = stem[:-1]
        for ending in ("ing", "ed"):
            rest = stem.removesuffix(ending)
            if rest != stem and len(rest) >= SHORTEST_STEM and _VOWELS & set(rest):
                stem = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "sl" else rest
                break
        stem = stem[:-1] if len(stem) > SHORTEST_STEM and stem.endswith("e") else stem
    return stem


def _says_something(mark: Word) -> bool:
    return (
        mark.stem != NOT
        and mark.text not in _silent()
        and not _is_joint(mark)
        and mark.text not in (":", "=")
    )


def _is_joint(mark: Word) -> bool:
    return mark.text in _joint_words()


def _joints(marks: list[Word]) -> tuple[str, ...]:
    return tuple(sorted({mark.text for mark in marks if mark.text in _list("prepositions")}))


def _number(base: str) -> str:
    return "number" if any(char.isdigit() for char in base) and "@" not in base else ""


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(_TABLE[name].split())


@cache
def _silent() -> frozenset[str]:
    return _list("articles") | _list("auxiliaries") | _list("prepositions")


@cache
def _joint_words() -> frozenset[str]:
    return _list("is") | _list("has") | _list("changes") | {":", "="}


@cache
def _groups() -> dict[str, str]:
    lists = _TABLE["alternatives"]
    return {stem_of(word): name for name, words in lists.items() for word in words.split()}


@cache
def _exclusive() -> dict[str, tuple[str, ...]]:
    return {stem_of(verb): tuple(after.split()) for verb, after in _TABLE["exclusive"].items()}


@cache
def _same() -> dict[str, str]:
    return dict(_TABLE["same"])


@cache
def _paraphrases() -> dict[str, str]:
    pairs = _TABLE["paraphrases"].items()
    return {stem_of(word): stem_of(plain) for word, plain in pairs}


@cache
def _framing() -> frozenset[str]:
    return frozenset(map(stem_of, _list("framing")))
