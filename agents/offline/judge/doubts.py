"""Turns of phrase by which a draft is a weak cue, whoever wrote it and wherever it stands.

Found among the judged drafts (``tests/reading/training/drafts.tsv``, .65 of all good):
of each at most one in three was good there, but for what dangles or is cut (102 judged, .44 good;
«is then» 37, .57, of which with the document open 10, .30), what links to its subject (112, .35),
needs and tasks that point back (218, .37) and «of that …» (46, .46). What a common product or
language does was good in .23 of 53. Of what says little and was likely good by the sum, readers
with the document open called good .40 of 63 non-goals, .38 of 34 goals in few words, .38 of 16
needs with «we», .50 of 24 with «needs to» outside of records, and all readers .41 of 29 risks by
wording. Other options and what a text announces among decisions are too few to say (5), and so are
sister projects and common nouns among entities (7). The trained sum of ``soundness.py`` sees single
words and places only.
Decided against leaving such drafts out, as there.
"""

from __future__ import annotations

import re
from enum import IntEnum

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.cues import EXPLICIT, is_story
from agents.offline.recognise.fragments import is_order
from agents.offline.recognise.noise import word_set
from agents.offline.resolve.drafts import THIN, Draft
from schemas.events.hygiene import ChunkCreated
from schemas.readers import has_comments, suffix_of

_TELLS_OF = Wording("doubts", "tells_of")
_STATING = frozenset({"claim", "decision", "requirement", "risk", "domain_signal"})
_TELLING = frozenset({"claim", "entity"})
_POINTING = frozenset({"this", "these", "those", "that"})
_POINTS_BACK = Wording("doubts", "points_back")
_NO_NOUN = load_words("doubts", "no_noun")
_OWN = load_words("doubts", "own")
_AFTER_CLAUSE = Wording("doubts", "after_clause")
_GENERAL = Wording("doubts", "general")
_NUMBERED = Wording("doubts", "numbered")
_SYMBOL = re.compile(
    r"(?:(?:the )?(?:[B-HJ-Z]|[A-Z]{3,4}[1-9]\w?|[A-Z]{7,}) (?!and\b)[a-z]|"
    r"[a-z]{1,2} [+-] \d)"
)  # a letter or a name in a formula, whose meaning stands elsewhere
_KNOWN_SYMBOL = Wording("doubts", "known_symbols")
_SAYS_NOTHING = Wording("doubts", "says_nothing")
_ASKED_BEFORE = Wording("doubts", "asked_before")
_POINTS_AT = Wording("doubts", "points_at")
_LITTLE_SAID = Wording("doubts", "little_said")
_SUPPOSES = Wording("doubts", "supposes")
_BURDEN = Wording("doubts", "burden")
_OTHER = Wording("doubts", "other")
_PLANS = Wording("doubts", "plans")
_AS_IT_IS = Wording("doubts", "as_it_is")
_NO_NEED = Wording("doubts", "no_need")
_BINDING = Wording("doubts", "binding")
_NEEDING = Wording("doubts", "needing")
_OF_CODE = Wording("doubts", "of_code")
_HOW_UNSAID = Wording("doubts", "how_unsaid")
_OWN_NEED = re.compile(r"\bwe\b", re.IGNORECASE)
_LEAST_WORDS = 9  # of a goal: «Support for S3» says too little
_THE_PART = Wording("doubts", "the_part")
_THE_SAID = Wording("doubts", "the_said")
_DANGLING = Wording("doubts", "dangling")
_LINKED = Wording("doubts", "linked")
_OF_OTHERS = Wording("doubts", "of_others")
_NAMELESS = re.compile(r"(?<![!\]])\[\]\([^)\s]")  # MyST shows its target's title, not here
_OF_WHOLE = re.compile(r"(?:^|/)(?:readme|_?index)\.\w+$", re.IGNORECASE)  # links to its own site
_COMMON_NOUN = re.compile(r"An? [A-Za-z][a-z]+ (?:is|are) |\w+ \(\d+\) ")  # one of many
_FOUNDED = re.compile(r"(?:Apache|Eclipse) (?P<name>[A-Z]\w+)")
_STEM = 5


class Doubt(IntEnum):
    """What its words alone say against a draft."""

    NONE = 0
    WEAK = 1  # the last of the drafts, but for where a label or heading says what it is
    EMPTY = 2  # refused, whatever is over it


def is_note(draft: Draft, path: str) -> bool:
    """Whether it is a task that somebody noted in code."""
    return draft.kind == "action_item" and has_comments(suffix_of(path))


def doubt_of(draft: Draft, chunk: ChunkCreated) -> Doubt:
    """``EMPTY`` where ``draft`` only says that something is to be different, for whom a text was
    written, or what somebody wanted to know once; ``WEAK`` where it points elsewhere.
    """
    if _SAYS_NOTHING.match(draft.statement) or _ASKED_BEFORE.match(draft.statement):
        return Doubt.EMPTY
    return Doubt.WEAK if _is_doubtful(draft, chunk) else Doubt.NONE


def _is_doubtful(draft: Draft, chunk: ChunkCreated) -> bool:
    """Whether ``draft`` speaks of what stands elsewhere, of the world at large or of others, says
    little, or is not its kind.
    """
    text, raw = draft.first, chunk.text_payload[slice(*draft.spans[0])]
    if THIN in draft.place or _NAMELESS.search(raw):
        return True
    if draft.kind in _TELLING and not _OF_WHOLE.search(chunk.path):
        body = draft.body if draft.kind == "entity" else draft.statement
        if _LINKED.match(raw) or _OF_OTHERS.match(body):
            return True
    if draft.kind == "claim" and _TELLS_OF.match(raw):
        return True
    if draft.kind in _STATING and (_DANGLING.says(text) or _is_of_symbol(draft.statement)):
        return True
    match draft.kind:
        case "claim":
            later = not draft.prior and "@sentence 0" not in draft.place
            return (
                _points_back(text)
                or (later and _THE_SAID.match(draft.statement) is not None)
                or _NUMBERED.match(text) is not None
                or _LITTLE_SAID.match(draft.statement) is not None
                or _GENERAL.match(text) is not None
                or _SUPPOSES.says(text)
                or _PLANS.says(text)
                or ("@deliberates" in draft.place and "could" in word_set(text))
            )
        case "decision":
            other = _OTHER.match(draft.statement) or _AS_IT_IS.match(draft.statement)
            return _points_back(text) or bool(_BURDEN.match(text) or other)
        case "requirement":
            later = not draft.prior and "@sentence 0" not in draft.place
            unknown = later and _THE_PART.match(draft.statement)
            return _points_back(text) or bool(unknown) or _is_little(draft)
        case "risk":
            return draft.confidence < EXPLICIT or _points_back(text)
        case "action_item":
            return _points_back(text) or not (is_note(draft, chunk.path) or _is_to_do(draft))
        case "unknown":
            return (
                "@sentence 0" not in draft.place and _POINTS_AT.match(draft.statement) is not None
            )
        case "entity":
            general = _GENERAL.match(draft.body) or _COMMON_NOUN.match(draft.body)
            return bool(general) or _is_of_sister(draft.title, chunk.root)
        case _:
            return False


def _is_to_do(draft: Draft) -> bool:
    """Whether it has a box to tick, and is told to somebody or stands among tasks."""
    among = "@role action_item" in draft.place
    return "@form task" in draft.place and (among or is_order(draft.statement))


def _is_of_sister(name: str, root: str) -> bool:
    """Whether ``name`` is another project of a foundation than the repository ``root``."""
    match = _FOUNDED.match(name)
    return match is not None and bool(root) and match.group("name").lower() not in root.lower()


def _is_little(draft: Draft) -> bool:
    """Whether a need is one that nobody has, is what its makers plan or leave out, a goal in few
    words, or nothing but its tone says that it is one.
    """
    text = draft.statement
    if draft.attributes.get("scope") == "out" or _NO_NEED.says(text) or _OWN_NEED.search(text):
        return True
    if _BINDING.says(text):
        return False
    if _NEEDING.says(text):
        return "@deliberates" not in draft.place or bool(
            _HOW_UNSAID.match(text) or _OF_CODE.match(text)
        )
    if is_story(text):
        return False
    return draft.confidence < EXPLICIT or len(text.split()) < _LEAST_WORDS


def _is_of_symbol(text: str) -> bool:
    return _SYMBOL.match(text) is not None and _KNOWN_SYMBOL.match(text) is None


def _points_back(text: str) -> bool:
    """Whether a «this», «these» or «of that» in ``text`` stands for nothing that ``text`` names."""
    if word_set(text).isdisjoint(_POINTING):
        return False
    return any(_is_foreign(text, match) for match in _POINTS_BACK.finditer(text))


def _is_foreign(text: str, match: re.Match[str]) -> bool:
    what, before = match.group("what").lower(), text[: match.start()]
    if what in _NO_NOUN or what in _OWN or _AFTER_CLAUSE.says(before):
        return False
    return what[:_STEM] not in before.lower()
