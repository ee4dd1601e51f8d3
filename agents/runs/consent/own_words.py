"""What of a message are the user's own words, and what is quoted or pasted.

What somebody else wrote is data: it may hold orders, and none of them is the user's. Where the two
cannot be told apart it counts as data, and a person is asked before anything changes. Short quotes
that name something, as in «delete "Oil the gate"», are the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agents.runs.consent.imperatives import (
    GREETING,
    asks_for_change,
    names_kind_before,
)
from agents.runs.consent.lexicons import Wording
from agents.runs.consent.scheduling_patterns import take_recurrences

CUT = "…"  # stands for what is left out
DATA = f" {CUT} "
LONGEST_NAME = 160  # characters of a quote that names something
LONGEST_PARAGRAPH = 400  # of a line that somebody types
LONGEST_LINE = 1_000
LONGEST_TYPED = 2_000  # of a message; what is longer was pasted
LOOKED_BACK = 250  # characters before a quote, which tell what it is
_FENCE = re.compile(r"(`{3,}|~{3,}|\"{3}|'{3})[\s\S]*?(?:\1|\Z)")
_TAG = Wording("own_words", "tag")
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_PASTED = Wording("own_words", "pasted")
_INLINE = re.compile(r"\bforwarded (?:message|mail|e-?mail)\b|<\|", re.IGNORECASE)
_LEAD_IN = Wording("own_words", "lead_in")
_FOLLOWS = Wording("own_words", "follows")
_TITLE = Wording("own_words", "title")
_READS_THIS = Wording("own_words", "reads_this")
_READS_COLON = Wording("own_words", "reads_colon")
_REPORTED = Wording("own_words", "reported")
_SPEAKER = re.compile(r"^[ \t]*[@\w.'-]{1,30}(?: [\w.'-]{1,30}){0,2}:[ \t]+\S")
_QUOTES = (("“", "”"), ("„", "“"), ("«", "»"), ("»", "«"), ("‹", "›"), ("「", "」"), ('"', '"'))
_NAMES = Wording("own_words", "name_follows")
_SAYS_BEFORE = Wording("own_words", "says_before")
_POINTS_TO = Wording("own_words", "points_to")


def take_own_words(message: str) -> str:
    """The message without what is quoted or pasted; names in quotes stay."""
    text = message[:LONGEST_TYPED].replace("’", "'").replace("\r", "\n")
    text = _TAG.sub(DATA, _FENCE.sub(DATA, text))
    text = _QUOTED_LINE.sub(DATA, text)
    for pattern in (_PASTED, _INLINE):
        if match := pattern.search(text):
            text = text[: match.start()] + DATA
    text = _cut_quotes(text)
    text = _cut_lead_ins(text)
    return _keep_typed(text).strip()


def _cut_quotes(text: str) -> str:
    """Without quotes that name nothing; one that does not end goes on to the end."""
    for opening, closing in _QUOTES:
        text = _cut_quote(text, opening, closing)
    text = re.sub(r"(?<!\w)`([^`\n]{1,160})`", r'"\1"', text)
    return _single_quotes().sub(_keep_name, text)


def _cut_quote(text: str, opening: str, closing: str) -> str:
    kept, at, before = [], 0, ""
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + 1)
        inner = text[start + 1 : end] if end >= 0 else text[start + 1 :]
        kept.append(text[at:start])
        before = (before + kept[-1])[-LOOKED_BACK:]
        kept.append(f'"{inner}"' if end >= 0 and _is_name(before, inner) else DATA)
        before += kept[-1]
        at = end + 1 if end >= 0 else len(text)
        if opening == '"' and kept[-1] == DATA and end < 0:
            return "".join(kept)
    return "".join(kept) + text[at:]


def _keep_name(match: re.Match[str]) -> str:
    inner = match[1]
    before = match.string[max(0, match.start() - LOOKED_BACK) : match.start()]
    return f'"{inner}"' if _is_name(before, inner) else DATA


def _is_name(before: str, inner: str) -> bool:
    """Whether a quote names something of the user's own order."""
    if not inner.strip() or len(inner) > LONGEST_NAME or "\n" in inner:
        return False
    if names_kind_before(before):
        return True
    if _TITLE.says(before.rpartition("\n")[2]):
        return not _POINTS_TO.says(before)
    return _NAMES.says(before) and not _SAYS_BEFORE.says(before.rstrip(" ,:–-"))


def _cut_lead_ins(text: str) -> str:
    """Without what follows «this mail:», «the ticket says …» and the like, up to the end."""
    titles = [match.span(match.lastgroup or 0) for match in _TITLE.finditer(text)]

    def ends_of(pattern: Wording, *, spares: bool = True) -> Iterator[int]:
        for match in pattern.finditer(text):
            is_title = any(start < match.end() <= end for start, end in titles)
            if not (spares and is_title) and not names_kind_before(text[: match.end()]):
                yield match.end()
                return

    ends = [*ends_of(_FOLLOWS, spares=False)]
    for pattern in (_LEAD_IN, _READS_THIS, _READS_COLON, _REPORTED):
        ends += ends_of(pattern)
    return text[: min(ends)] + DATA if ends else text


def _keep_typed(text: str) -> str:
    """The lines from the first on that somebody types: greetings and orders, and one more.

    Behind a line that orders nothing comes what was pasted, as far as anybody can tell.
    """
    kept: list[str] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        if _is_spoken(line):
            break
        if len(line) > LONGEST_PARAGRAPH:  # typed at most up to its first end of a sentence
            kept += [] if kept else [re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0][:LONGEST_LINE]]
            break
        kept.append(line)
        if not GREETING.fullmatch(line.strip()) and not asks_for_change(line):
            break
    return "\n".join(kept)


def _is_spoken(line: str) -> bool:
    """Whether it is a line of a chat: a name, a colon, what that person said."""
    match = _SPEAKER.match(line)
    if match is None or asks_for_change(line):
        return False
    return not take_recurrences(match.group())[0]  # «every monday: sweep the yard» names nobody


@cache
def _single_quotes() -> re.Pattern[str]:
    """Quotes that are no apostrophes."""
    return re.compile(r"(?<!\w)['‘‚]((?:[^'‘’\n]|(?<=\w)['’](?=\w)){1,2000})['’](?!\w)")
