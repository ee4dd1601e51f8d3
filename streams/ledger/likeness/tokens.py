"""A text as a row of tokens that mean something: words, names, amounts and operators, in order.

What is left out says nothing about who does what: articles, pronouns of things, emphasis, quotation
marks. What stays is compared as far as it means the same: plural and singular, synonyms, an amount
in two units. Names of code keep their letters: ``CACHE_SIZE`` is not ``cache_size``, and ``-v`` is
not ``-V``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from schemas.bounded_cache import MIB, bounded_cache
from schemas.fingerprint import norm_text
from streams.ledger.figures.amounts import find_unit, is_unit_by_case, read_number, write_amount
from streams.ledger.likeness.lexicon import FUNCTION_WORDS, IRREGULAR, NEGATORS
from streams.ledger.likeness.terms import root
from streams.lexicons import load_groups, load_words

Kind = Literal["word", "name", "amount", "operator"]
NAMES_IN_CAPITALS = frozenset(("IT", "US", "WHO"))  # small letters make them other words
SILENT = load_words("pairs", "silent")
MODALS = load_words("pairs", "modals")
RELATING = (FUNCTION_WORDS | NEGATORS | MODALS) - SILENT
_ALIKE = {word: other for word, other in load_groups("pairs", "alike")}
_CONTRACTED = re.compile(r"(?i)\b(ca|wo|sha|[a-z]+)n['\u2019]t\b|\bcannot\b")
_VERB_OF_CONTRACTED = {"ca": "can", "wo": "will", "sha": "shall", None: "can"}
_TOKEN = re.compile(
    r"(?P<flag>(?<![\w-])--?(?=[^\W\d_])[\w-]*\w)"
    r"|(?P<core>(?:(?<!\w)(?:~|\.{1,2})?/|[$€£@#]|(?<!\w)\.)?"
    r"\w+(?:(?:[./\\:=#@+'\u2019-]+|(?<=\d),(?=\d))\w+)*(?:%|\+\+|#(?!\w))?|%)"
    r"|(?P<operator>[!=<>]=+|[-=]>|[<>=≈≤≥≠±×→⇒^&]|!(?=\w)|~(?=[\d.])(?<!~~)"
    r"|(?<!\w)[-−–+](?=\d)|\*(?=[./]\w))"
    r"|(?P<stop>[,;:.!?()\n—–|])"
    r"|(?P<symbol>[^\w\s])"
)
_AMOUNT = re.compile(r"([$€£]?)(\d+(?:[.,'_]\d+)*)-?(%|[^\W\d_]*(?:/s)?)")
_WORD = re.compile(r"#?[^\W\d_]+(?:['\u2019/-][^\W\d_]+)*|(?:[^\W\d_]\.)+[^\W\d_]")
_NAMED = re.compile(r"[a-z][A-Z]|[A-Z]{2}")
_NUMBERED = re.compile(r"([^\W\d_]+)[-_#/]?(\d+(?:-\d+)*)")
_VERSION = re.compile(r"v(?=\d)")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_ENDINGS = (("ing", 6), ("ed", 5), ("er", 5), ("or", 5), ("ion", 6), ("ment", 7), ("ly", 5))


@dataclass(frozen=True, slots=True)
class Token:
    """``key`` is what is compared, ``stop`` the mark that ends a part of the sentence behind it."""

    key: str
    kind: Kind = "word"
    stop: str = ""


@bounded_cache(4 * MIB, 40)
def read_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a text in their order."""
    tokens: list[Token] = []
    plain = _CONTRACTED.sub(_write_out, text)
    for kind, written in _join_units(plain):
        if kind == "stop":
            tokens[-1:] = [
                replace(each, stop=_stronger(each.stop, written)) for each in tokens[-1:]
            ]
        elif written == "A" and tokens and not tokens[-1].stop:
            tokens.append(Token(written, "name"))
        else:
            tokens += _TOKENS_OF[kind](written)
    return tuple(tokens)


def key_of(word: str) -> str:
    """What stands for a word: itself where it relates others, else its root and its ending."""
    word = _ALIKE.get(word, word)
    return word if word in RELATING else f"{root(word)}/{_ending_of(word)}"


def _write_out(match: re.Match[str]) -> str:
    verb = match.group(1)
    return f"{_VERB_OF_CONTRACTED.get(verb and verb.lower(), verb)} not"


def _stronger(stop: str, mark: str) -> str:
    """A full stop for what ends a sentence, a comma for what parts it."""
    return "." if stop == "." or mark in ".;!?\n|" else ","


def _join_units(text: str) -> Iterator[tuple[str, str]]:
    """Each token's kind with what is written; a unit stands with its number."""
    number = ""
    end = 0
    for match in _TOKEN.finditer(text):
        kind, written = str(match.lastgroup), match.group()
        if number:
            is_unit = kind == "core" and text[end : match.start()].isspace() and find_unit(written)
            yield "core", f"{number} {written}" if is_unit else number
            number = ""
            if is_unit:
                continue
        if kind == "core" and read_number(written.lstrip("$€£").lower()) is not None:
            number, end = written, match.end()
        else:
            yield kind, written
    if number:
        yield "core", number


def _read_core(written: str) -> list[Token]:
    number, _, unit = written.partition(" ")
    if unit or read_number(number.lower()) is not None:
        return [_read_amount("", number, unit)]
    if match := _AMOUNT.fullmatch(written):
        return [_read_amount(*match.groups())]
    if _WORD.fullmatch(written):
        return _read_word(written)
    if match := _NUMBERED.fullmatch(written):
        letters, digits = match.groups()
        numbers = [Token(each.lstrip("0") or "0", "amount") for each in digits.split("-")]
        return [Token(f"{root(letters.lower())}/", "name"), *numbers]
    return [Token(_VERSION.sub("", written).rstrip("/"), "name")]


def _read_amount(money: str, digits: str, unit: str) -> Token:
    number, known = read_number(digits.lower()), find_unit(unit or money)
    if number is None or (unit and not known):
        return Token(f"{money}{digits}{unit}".lower(), "amount")
    if known:
        return Token(write_amount(number, known), "amount")
    return Token(digits if "." in digits else f"{number}", "amount")


def _read_word(written: str) -> list[Token]:
    unit = find_unit(written) if is_unit_by_case(written) else None
    if unit or written in NAMES_IN_CAPITALS:
        return [Token(write_amount(Fraction(1), unit) if unit else written, "name")]
    word = norm_text(_POSSESSIVE.sub("", written))
    if len(word) == 1 and word not in "ai":
        return [Token(written, "name")]
    if word in SILENT:
        return []
    is_name = _NAMED.search(written) and word not in RELATING
    return [Token(key_of(word), "name" if is_name else "word")]


def _ending_of(word: str) -> str:
    """What the root leaves out and tells the caller from the called: not the plural."""
    if word in IRREGULAR:
        return "ed"
    single = word.removesuffix("s")
    return next(
        (ending for ending, least in _ENDINGS if single.endswith(ending) and len(single) >= least),
        "",
    )


def _read_flag(written: str) -> list[Token]:
    return [Token(written, "name")]


def _read_operator(written: str) -> list[Token]:
    return [Token(_ALIKE.get(written, written), "operator")]


def _read_symbol(written: str) -> list[Token]:
    """A tick or a cross says something; a mark of trade or of layout does not."""
    says = unicodedata.category(written) in ("So", "Sm") and written not in "©®™°~"
    return [Token(written, "operator")] if says else []


_TOKENS_OF = {
    "core": _read_core,
    "flag": _read_flag,
    "operator": _read_operator,
    "symbol": _read_symbol,
}
