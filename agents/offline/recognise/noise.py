"""What is not a statement, however well formed: the reasons why a sentence is left out.

The ledger is read by people; one line of a licence among the first fifty atoms costs more trust
than a missed sentence. So every rule here errs towards leaving out.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words
from schemas.bounded_cache import MIB, bounded_cache

_LOWER_WORD = re.compile(r"[a-z]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEGAL = Wording("noise", "legal")
_GENERATED = Wording("noise", "generated")
_READER = Wording("noise", "spoken_to_reader")
_ANAPHORIC = Wording("noise", "points_back")
_CHAT = Wording("noise", "chat")
_LOG_LINE = Wording("noise", "log_line")
_CHANGE_LINE = Wording("noise", "change_lines")
_CREDITED = re.compile(r"#\d+\W{1,3}(?:by |from )?@[A-Za-z]")  # a change and who made it
_CODE_SIGNS = re.compile(r"[{}]|;\s*$|=>|->|::|\(\)|\b\w+\(\w*[,)]|==|!=|&&|\|\||\+=|</|/>|\$\{|:=")
_CODE_SIGN = re.compile(r"[{};=(&|<>]|::")  # one of these is in each of them
_CODE_LINE = Wording("noise", "code_line")


_LEGAL_WORDS = load_words("noise", "legal_words")
_TOOL_WORDS = load_words("noise", "tool_words")
_PRESENTS = Wording("noise", "presents")
_INSTRUCTS = Wording("noise", "instructs")
_POINTER = Wording("noise", "points_elsewhere")


@bounded_cache(MIB, 15)
def words_of(text: str) -> tuple[str, ...]:
    """The words of two letters or more, in order."""
    return tuple(_WORD.findall(text))


@bounded_cache(MIB, 22)
def word_set(text: str) -> frozenset[str]:
    """The words of ``text`` in lower case. A word that must occur is looked up before a pattern
    runs: that is ten times cheaper than the search."""
    return frozenset(_LOWER_WORD.findall(text.lower()))


def is_noise(text: str) -> bool:
    """Whether plain ``text`` is no statement of any kind: legal text, code, log, list of names."""
    words = text.split()
    if not text or not 2 <= len(words) <= 120:
        return True
    letters = sum(map(str.isalpha, text))
    if letters < 0.6 * len(text) or len(words_of(text)) < 0.55 * len(words):
        return True
    if len(text) > 12 * len(words) or text.isupper():
        return True
    signs = len(_CODE_SIGNS.findall(text)) if _CODE_SIGN.search(text) else 0
    if signs >= 3 or (signs and 12 * signs > len(words) + 6):
        return True
    heard = word_set(text)
    return bool(
        _CODE_LINE.match(text)
        or text.endswith(": ?")  # nobody's name yet
        or (not heard.isdisjoint(_LEGAL_WORDS) and _LEGAL.says(text))
        or (not heard.isdisjoint(_TOOL_WORDS) and _GENERATED.says(text))
        or _LOG_LINE.match(text)
        or _CHANGE_LINE.match(text)
        or ("#" in text and _CREDITED.search(text))
    )


def addresses_reader(text: str) -> bool:
    """Whether it leads a reader through something: instruction, pointer, meta text, label line."""
    return bool(_READER.match(text))


def needs_context(text: str) -> bool:
    """Whether its first words point back at something that stood before."""
    return bool(_ANAPHORIC.match(text))


def presents(text: str) -> bool:
    """Whether its first word only looks as if it pointed back: «It is not clear whether …»."""
    return bool(_PRESENTS.match(text))


def is_chatter(text: str) -> bool:
    return _CHAT.says(text)


def is_truncated(text: str) -> bool:
    """Whether it announces something else or is cut off."""
    if text.endswith(
        (
            ":",
            ",",
            "(",
            "…",
            "...",
            "-",
            "—",
            " this",
            " that",
            " and",
            " or",
            " the",
            " a",
            ";",
            "|",
            "=",
        )
    ):
        return True
    return text.count("(") != text.count(")") or text.count('"') % 2 == 1


def instructs(text: str) -> bool:
    """Whether it tells a reader what to do, at once or after a condition; it may be an order too,
    where a document gives orders to the project."""
    return bool(_INSTRUCTS.match(text))


def is_pointer(text: str) -> bool:
    """Whether it only points elsewhere or labels something; holds under a telling heading too."""
    return bool(_POINTER.match(text))
