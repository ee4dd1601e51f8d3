"""What the assistant remembers of its user, and how a new memory stands to the earlier ones.

Rules alone, no model: they answer every text, always the same, and store nothing that a tool or a
document says. Memories are never evidence for the ledger.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Protocol, TypeVar

from agents.assistant.memory_words import (
    ME,
    US,
    Fact,
    Word,
    as_plain,
    is_denied,
    is_framing,
    is_single,
    list_words,
    read_fact,
)
from agents.assistant.skills import ToolUse as ToolUse
from agents.assistant.skills import found_nothing as found_nothing
from agents.assistant.skills import learn_skill as learn_skill
from agents.fence import is_unseen
from agents.runs.consent.own_words import CUT, take_own_words
from schemas.events.memory import MemoryKind as MemoryKind
from schemas.events.memory import MemoryRelation as MemoryRelation
from schemas.ids import derive_id

LONGEST_MEMORY = 1_000  # characters
MESSAGES_TOGETHER = 3  # one after the other, in which a memory may be spread
WORDS_PER_MISSING = 5  # of so many words of a memory, the user need not have used one
_RANKS = {"duplicate": 3, "extends": 2, "updates": 1}
_CLAUSE = re.compile(
    r"[.!?;,\n](?=\s|$)|\bbut\b|(?=\b(?:not|no|never|without|cannot|\w{2,8}n['’]t)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing remembered. ``namespace``: whose it is; ``kind``: ``fact`` or ``skill``."""

    memory_id: str
    namespace: str
    text: str
    kind: MemoryKind
    created_at: datetime
    source_thread: str = ""


class Remembered(Protocol):
    """What is compared of a memory: a `Memory`, or its row in the tables."""

    @property
    def memory_id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...


M = TypeVar("M", bound=Remembered)


@dataclass(frozen=True, slots=True)
class Relation:
    """How a text stands to what is remembered; ``memory_id`` of the memory meant, if any.

    A memory that ``updates`` or ``extends`` another one replaces it; a ``duplicate`` is not stored.
    """

    kind: MemoryRelation
    memory_id: str = ""


def user_namespace(name: str) -> str:
    """Where the memories of a user are."""
    return f"user:{name}"


def agent_namespace(agent: str) -> str:
    """Where the skills of an agent are, which all users share."""
    return f"agent:{agent}"


def list_memory_ids(namespace: str, text: str) -> Iterator[str]:
    """The ids that a memory of this text may have: the first one that was never used is its id.

    So the same words from two conversations at once are one memory, and one that was forgotten may
    be remembered anew. Capitals, spaces and the mark at the end make no other words; another order
    does: it may say something else. ``text`` holds no secret.
    """
    plain = tidy(text).casefold()
    words = plain.rstrip(" .!") or plain
    for number in count():
        yield derive_id("mry", namespace, words, number)


def tidy(text: str) -> str:
    """The text on one line, without marks that nobody sees."""
    shown = "".join(char if char.isspace() or not is_unseen(char) else "" for char in text)
    return " ".join(shown.split())


def relate(text: str, memories: Iterable[Remembered]) -> Relation:
    """How ``text`` stands to the memories of one namespace; of several, to the nearest one."""
    fact = read_fact(text)
    best: tuple[int, float] = (0, 0.0)
    relation = Relation("new")
    for memory in memories:
        earlier = read_fact(memory.text)
        kind = _compare(earlier, fact, memory.text, text)
        if kind and (likeness := (_RANKS[kind], _overlap(earlier, fact))) > best:
            best, relation = likeness, Relation(kind, memory.memory_id)
    return relation


def is_own(text: str, messages: Sequence[str]) -> bool:
    """Whether ``text`` rests on the user's own words in up to three messages in a row.

    Nearly all words that say something stand there, all names, numbers and addresses do, and what
    is denied here is denied there. What the messages quote or paste does not count.
    """
    words = [word for word in list_words(text) if word.stem not in (ME, US)]
    if not words or len(text) > LONGEST_MEMORY:
        return False
    own = [take_own_words(message).replace(CUT, ". ") for message in messages]
    listed = [list_words(message) for message in own]
    spans = (
        slice(at, at + size)
        for size in range(1, MESSAGES_TOGETHER + 1)
        for at in range(max(1, len(own) - size + 1))
    )
    return any(
        _holds_words(words, [word for message in listed[span] for word in message])
        and _is_meant(text, "\n".join(own[span]))
        for span in spans
    )


def rank(query: str, memories: Iterable[M], limit: int) -> tuple[M, ...]:
    """Up to ``limit`` memories: those that share the most telling words with ``query`` first, then
    the newest.
    """
    listed = [(memory, _stems(memory.text)) for memory in memories]
    frequency = Counter(stem for _, stems in listed for stem in stems)
    asked = _stems(query)

    def relevance(stems: frozenset[str]) -> float:
        weights = [math.log(1 + len(listed) / frequency[stem]) for stem in sorted(asked & stems)]
        return math.fsum(weights) / math.sqrt(len(stems)) if weights else 0.0

    def order(item: tuple[M, frozenset[str]]) -> tuple[float, float, str]:
        memory, stems = item
        return -relevance(stems), -memory.created_at.timestamp(), memory.memory_id

    return tuple(memory for memory, _ in sorted(listed, key=order)[: max(limit, 0)])


def _compare(old: Fact, new: Fact, old_text: str, new_text: str) -> MemoryRelation | None:
    """None where the two have nothing to do with each other."""
    if not old.words or not new.words:
        same = tidy(old_text).casefold() == tidy(new_text).casefold()
        return "duplicate" if same else None
    gone, come = old.stems - new.stems, new.stems - old.stems
    same_subject = old.subject == new.subject
    if old.is_negated != new.is_negated:
        return "updates" if not come and (not gone or same_subject) else None
    if not gone and not come:
        return "updates" if _is_swapped(old, new) else "duplicate"
    if not same_subject:
        return None
    if not gone:
        return "extends"
    if not come:
        return "duplicate" if _is_part(new.words, old.words) else None
    return "updates" if _is_other_value(old, new, gone, come) else None


def _is_swapped(old: Fact, new: Fact) -> bool:
    """Whether who does what to whom, or what is when, is the other way round: «Ana manages Bo»."""
    return old.order != new.order and sorted(old.order) == sorted(new.order)


def _is_part(words: Sequence[Word], whole: Sequence[Word]) -> bool:
    """Whether the words stand one after the other in ``whole``: else it may say something else of
    what they are about.
    """
    stems, all_stems = [word.stem for word in words], [word.stem for word in whole]
    ends = range(len(stems), len(all_stems) + 1)
    return any(all_stems[end - len(stems) : end] == stems for end in ends)


def _is_other_value(old: Fact, new: Fact, gone: frozenset[str], come: frozenset[str]) -> bool:
    """Whether both say the same kind of thing of one subject, so that one of them is no more."""
    before = [word for word in old.value if word.stem in gone]
    after = [word for word in new.value if word.stem in come]
    if not before or not after:
        return False
    groups, others = {word.group for word in before}, {word.group for word in after}
    shared = (groups & others) - {""}
    is_exclusive = old.is_exclusive and new.is_exclusive
    if shared:
        return is_exclusive or ("" not in groups | others and any(map(is_single, shared)))
    if not is_exclusive or old.joints != new.joints or (any(groups) and any(others)):
        return False
    if {word.stem for word in old.value} & {word.stem for word in new.value}:
        return True
    are_named, are_others_named = ({_is_named(word) for word in words} for words in (before, after))
    if are_named != are_others_named or len(are_named) > 1:
        return False
    is_one_each = len(old.value) == len(new.value) == 1
    return is_one_each or are_named == {True} or (old.is_plain and new.is_plain)


def _is_named(word: Word) -> bool:
    return word.kind not in ("opening", "word")


def _overlap(old: Fact, new: Fact) -> float:
    together = old.stems | new.stems
    return len(old.stems & new.stems) / len(together) if together else 1.0


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in list_words(text)) - {ME, US}


def _holds_words(words: Sequence[Word], own: Sequence[Word]) -> bool:
    """Whether nearly all ``words`` are among the user's ``own`` ones, and all that stand for
    themselves alone.
    """
    exact = {word.text for word in own}
    plain = {as_plain(word.stem) for word in own}
    counted = [word for word in words if not is_framing(word)] or words
    missing = 0
    for word in counted:
        if _is_named(word) and word.text not in exact:
            return False
        if as_plain(word.stem) not in plain:
            if word.kind != "word" or word.group:
                return False
            missing += 1
    return missing <= (len(counted) - 1) // WORDS_PER_MISSING


def _is_meant(text: str, span: str) -> bool:
    """Whether each part of ``text`` denies what the part of ``span`` nearest to it denies."""
    parts = [(_plain_stems(part), is_denied(part)) for part in _CLAUSE.split(span)]
    for clause in _CLAUSE.split(text):
        stems = _plain_stems(clause)
        shared = [len(stems & part) for part, _ in parts]
        nearest = max(shared, default=0)
        denials = {denied for at, (_, denied) in enumerate(parts) if shared[at] == nearest}
        if nearest and is_denied(clause) not in denials:
            return False
    return True


def _plain_stems(text: str) -> frozenset[str]:
    return frozenset(map(as_plain, _stems(text)))
