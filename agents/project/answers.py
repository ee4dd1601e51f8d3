"""Whether an answer may be given as it is: what it cites, whether that says so, and whether it only
promises to act.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agents.project.lexicons import Wording
from agents.project.state import Citation

LEDGER_SILENT = "The ledger holds nothing on this."
LONGEST_PROMISE = 300
_PROMISE = Wording("answers", "promise")
_ID = re.compile(r"\b(?:atm|art|psg|ctr|mem|src)_[0-9a-f]{6,}\b")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]*_`]*\s+|\n+")
_REPLY = re.compile(r"^\W*(?:yes|no)\b[,:;.!–—-]*\s*", re.IGNORECASE)
QUOTED = ("atm_", "psg_")  # what is cited with its quote
_SAYS_SO = Wording("answers", "ledger_silent")


Compare = Callable[[str, str], Sequence[str]]
"""A sentence and what it cites → what the sentence says otherwise; empty where nothing."""


@dataclass(frozen=True, slots=True)
class FalseSentence:
    """A sentence of an answer that says otherwise than what it cites."""

    text: str
    differs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer without what it may not cite; ``unknown`` are the ids that no tool returned."""

    text: str
    citations: tuple[Citation, ...]
    unknown: tuple[str, ...]


def check_answer(
    text: str, cited: Sequence[str], citations: Mapping[str, Citation]
) -> CheckedAnswer:
    """Keep what a tool of this turn returned; take the other ids out of text and citations."""
    named = list(dict.fromkeys([*cited, *_ID.findall(text)]))
    unknown = tuple(item_id for item_id in named if item_id not in citations)
    for item_id in unknown:
        text = re.sub(rf"\s*[\[(]*{re.escape(item_id)}[\])]*", "", text)
    return CheckedAnswer(
        text.strip(),
        tuple(citations[item_id] for item_id in named if item_id in citations),
        unknown,
    )


def find_false_sentences(
    text: str, citations: Mapping[str, Citation], compare: Compare
) -> list[FalseSentence]:
    """The sentences that cite quotes which say otherwise.

    Not compared is what cites nothing, a quote that was cut, or an artifact, whose citation is its
    name alone: «It has 5 points» stands in the tool's result.
    """
    false_sentences = []
    for sentence in filter(None, _SENTENCE.split(text)):
        cited = [item_id for item_id in _ID.findall(sentence) if item_id in citations]
        quotes = [citations[item_id].snippet or "" for item_id in cited]
        if not all(item_id.startswith(QUOTED) for item_id in cited) or not all(
            map(_is_whole, quotes)
        ):
            continue
        bare = re.sub(rf"\s*[\[(]*{_ID.pattern}[\])]*[,;]?", "", sentence).strip()
        bare = _REPLY.sub("", bare)
        if bare and any(quotes) and (differs := compare(bare, "\n".join(quotes))):
            false_sentences.append(FalseSentence(sentence, tuple(differs)))
    return false_sentences


def _is_whole(quote: str) -> bool:
    return not quote.rstrip().endswith(("…", "..."))


def leave_out(text: str, sentences: Sequence[FalseSentence]) -> str:
    """The answer without these sentences."""
    for sentence in sentences:
        text = text.replace(sentence.text, "", 1)
    return re.sub(r"[ \t]{2,}", " ", text).strip()


def is_promise(text: str) -> bool:
    """Whether the answer announces an act instead of an outcome."""
    return len(text) <= LONGEST_PROMISE and bool(_PROMISE.match(text))


def add_coverage(text: str, coverage: str | None) -> str:
    """Say that the ledger holds nothing on the question, unless the answer does."""
    if coverage != "none" or _SAYS_SO.says(text):
        return text
    return f"{text}\n\n{LEDGER_SILENT}"
