"""Names of secrets: the words that say that what is assigned to them must not be read.

Two kinds matter. Behind a word for a password stands what a person chose, also a poor one; behind
``token`` or ``key`` stand names, types and references far more often than secrets, so that a value
there must look drawn by lot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from streams.lexicons import Wording, load_words, read_lexicons


def _by_root(name: str) -> dict[str, tuple[str, ...]]:
    """The names of a list, by a part that each of them holds."""
    return {it.id: tuple(sorted(it.words)) for it in read_lexicons("secret_names")[name].entries}


FOREIGN_PASSWORDS = load_words("secret_names", "foreign_passwords")
WHOLE_PASSWORDS = load_words("secret_names", "whole_passwords")
NAMES_BY_ROOT = _by_root("passwords") | _by_root("tokens")
PASSWORD_NAMES = load_words("secret_names", "passwords") | FOREIGN_PASSWORDS | WHOLE_PASSWORDS
KEYS = load_words("secret_names", "keys")
KEY_LENGTHS = tuple(sorted({len(word) for word in KEYS}))
ANY_KEY = "key"  # a key of something: only what looks drawn by lot is a secret behind it
SPECIFIED_KEYS = ("api", "access", "private", "auth", "account")
NO_SECRET_BEFORE = tuple(load_words("secret_names", "no_secret_before"))
REST_OF_NAME = re.compile(r"[\w.-]*")
LONGEST_REST = 40
NOT_THE_SECRET = Wording("secret_names", "of_something_else")
NO_SECRET_WORD = Wording("secret_names", "of_another_word")


def names_in(lowered: str) -> list[tuple[int, str]]:
    """Where names of secrets stand in a text in lower case, in order."""
    found: list[tuple[int, str]] = []
    for root, names in NAMES_BY_ROOT.items():
        if root in lowered:
            for name in names:
                found += ((at, name) for at in _places(lowered, name))
    if not lowered.isascii():
        for name in FOREIGN_PASSWORDS:
            found += ((at, name) for at in _places(lowered, name))
    for name in WHOLE_PASSWORDS:
        found += ((at, name) for at in _places(lowered, name) if _is_whole(lowered, at, name))
    found += _keys_in(lowered)
    return sorted(found)


def _is_whole(lowered: str, at: int, name: str) -> bool:
    end = at + len(name)
    before = lowered[at - 1 : at]
    return not before.isalnum() and before != "." and not lowered[end : end + 1].isalnum()


def _keys_in(lowered: str) -> Iterator[tuple[int, str]]:
    for at in _places(lowered, "key"):
        end = at - 1 if lowered[at - 1 : at] in ("_", "-") else at
        for length in KEY_LENGTHS:
            if length <= end and lowered[end - length : end] in KEYS:
                yield end - length, lowered[end - length : at + 3]
                break
        else:
            if not lowered[at + 3 : at + 4].isalpha():
                yield at, ANY_KEY


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def is_no_secret_name(lowered: str, at: int) -> bool:
    """Whether what stands before the name says that its value is public or of one request."""
    return lowered.endswith(NO_SECRET_BEFORE, max(0, at - 20), at)


def is_of_something_else(lowered: str, end: int) -> bool:
    """Whether what follows the name makes it another's: ``token_url``, ``secretary``."""
    rest = REST_OF_NAME.findall(lowered, end, end + LONGEST_REST)[0]
    return bool(NO_SECRET_WORD.match(rest) or NOT_THE_SECRET.match(rest))


def is_in_a_name(lowered: str) -> bool:
    """Whether a name in lower case is that of a secret."""
    return any(
        not is_no_secret_name(lowered, at) and not is_of_something_else(lowered, at + len(name))
        for at, name in names_in(lowered)
        if name != ANY_KEY
    )
