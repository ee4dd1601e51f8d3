"""Splits a command line into arguments as a shell would, and finds what only a shell could do."""

from __future__ import annotations

from dataclasses import dataclass

METACHARACTERS = frozenset(";|&$`><(){}\n\r\0")
BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class Words:
    """``argv``, and ``problem``: what stands outside of quotes and may not, or an open quote."""

    argv: tuple[str, ...]
    problem: str | None = None


def split_words(text: str) -> Words:
    """Single quotes keep all, double quotes all but a backslash before a quote or backslash."""
    argv: list[str] = []
    word: str | None = None
    quote, at = "", 0
    while at < len(text):
        sign = text[at]
        at += 1
        if sign == "\0":
            return Words(tuple(argv), "a NUL")
        following = text[at : at + 1]
        if quote:
            is_escape = sign == "\\" and quote == '"' and following in ('"', "\\")
            if is_escape:
                word, at = (word or "") + following, at + 1
            elif sign == quote:
                quote = ""
            else:
                word = (word or "") + sign
        elif sign in METACHARACTERS:
            return Words(tuple(argv), _name(sign))
        elif sign in "'\"":
            quote, word = sign, word or ""
        elif sign in BLANKS:
            if word is not None:
                argv.append(word)
            word = None
        elif sign == "\\":
            if not following or following in METACHARACTERS:
                return Words(tuple(argv), _name(following) if following else "a last backslash")
            word, at = (word or "") + following, at + 1
        else:
            word = (word or "") + sign
    if quote:
        return Words(tuple(argv), f"a quotation mark {quote} without its end")
    if word is not None:
        argv.append(word)
    return Words(tuple(argv))


def _name(sign: str) -> str:
    return {"\n": "a line feed", "\r": "a carriage return", "\0": "a NUL"}.get(sign, f"`{sign}`")
