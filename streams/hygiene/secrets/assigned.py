"""Whether what is assigned to a secret-sounding name is a secret (rule R-ASSIGN).

Most of it is not: types, calls, attribute access, names of settings, placeholders and messages
stand behind ``password`` far more often than passwords do. Where the language quotes its strings,
an unquoted value is an expression and never a secret, but within a string ``name=value`` is
configuration whatever the language is; in configuration an unquoted value is the value itself.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import re
from typing import NamedTuple

from streams.hygiene.secrets.names import (
    ANY_KEY,
    PASSWORD_NAMES,
    SPECIFIED_KEYS,
    is_of_something_else,
    names_in,
)
from streams.hygiene.secrets.values import (
    is_drawn,
    is_jumbled,
    is_no_placeholder,
    looks_password,
    looks_secret,
    mixes_letters_and_digits,
)

LITERAL_LANGUAGES = frozenset(
    ["yaml", "ini", "properties", "env", "toml", "shell", "dockerfile", "make", "xml"]
)
LINE_LANGUAGES = frozenset(["yaml", "ini", "properties", "env"])  # a value is the rest of a line
VALUE_LANGUAGES = LITERAL_LANGUAGES | {"json"}  # files of values, not of code
PROSE_LANGUAGES = frozenset(
    (None, "markdown", "restructuredtext", "asciidoc", "org", "latex", "html")
)
LONGEST_BARE, LONGEST_QUOTED = 200, 2_000  # characters of a value that say whether it is a secret
LONGEST_LINE_BEFORE = 400  # characters before a name that say whether a string is open there
SHORTEST = 4
MOST_PLACES = 20  # of a word that are looked at
# After the name: the rest of the name, its closing, a type, the sign.
HEAD = re.compile(
    r"""(?P<rest>[\w.-]{0,40})["'`\])*]{0,3}
        (?:[ \t]{0,8}:[ \t]{0,4}[\w.&?<>\[\]]{1,40}[ \t]{0,4}(?==)(?!==))?
        (?P<tagged>(?<=["'])[ \t]{1,20}value(?==))?
        (?:[ \t]{0,40}(?P<sign>:=|:-|=>|==?|[:：＝])[*_]{0,2}[ \t]{0,8}|(?P<element>>)
          |(?P<given>(?<=["']),[ \t]{1,20}(?=["'])|(?<=\w)\((?=["']))|(?P<word>[ =]))""",
    re.VERBOSE,
)  # fmt: skip
OPENING = re.compile(r"[bruN@$]{0,2}([\"'`])")
QUOTED = {
    quote: re.compile(rf"(?:\\.|[^{quote}\\\n]){{{SHORTEST},{LONGEST_QUOTED}}}+")
    for quote in "\"'`"
}
REST_OF_QUOTED = {quote: re.compile(rf"(?:\\.|[^{quote}\\\n])*+") for quote in "\"'`"}
BARE_CHAR = r"""[^\s"'`,;<>(){}\[\]|=]"""
BARE = re.compile(
    rf"(?P<bare>{BARE_CHAR}{{{SHORTEST},{LONGEST_BARE}}}+(?:={BARE_CHAR}++)?+={{0,2}})"
    rf"(?:(?![\w(\[{{.])|(?<={BARE_CHAR}{{{LONGEST_BARE}}}))"
)
REST_OF_BARE = re.compile(rf"{BARE_CHAR}*+(?:={BARE_CHAR}++)*+={{0,2}}")
ON_LINE = re.compile(rf"[^\s\"'`#]\S{{{SHORTEST - 1},{LONGEST_BARE}}}+")
REST_ON_LINE = re.compile(r"\S*+")
WITHIN_STRING = re.compile(rf"[^\s;&\"'`<>\\]{{{SHORTEST},{LONGEST_BARE}}}+")
WITHIN_QUERY = re.compile(rf"[^\s;&\"'`<>\\(){{}}\[\]|,]{{{SHORTEST},{LONGEST_BARE}}}+")
ELEMENT_TEXT = re.compile(
    rf"\s{{0,20}}([^<>\s]{{{SHORTEST},{LONGEST_QUOTED}}}+)"
    rf"(?:\s{{0,20}}</|(?<=[^<>\s]{{{LONGEST_QUOTED}}}))"
)
REST_OF_ELEMENT = re.compile(r"[^<>\s]*+")
QUOTE = re.compile("[\"'`]")
NEXT_PAIR = re.compile(r"&\w{1,40}=|;[ ]?\w[\w ]{0,40}=")
PAIR = re.compile(r"[A-Za-z_][A-Za-z_.-]*=[^=]")
PAIR_BEFORE = re.compile(r"(?:[?&;]|(?<![,(\w])\b[\w.-]{1,30}=[^\s,;=()]{1,80}[ ])[\w .-]{0,40}\Z")
CALL = re.compile(r"\w ?[(] ?[\"']\w{0,40}\Z")
# Before a name: what is done with a password. Words behind it are labels of a page.
ACTION = re.compile(
    r"(?:reset|forg[eo]t|change|confirm|repeat|retype|show|hide|update|edit|create|enter|new|current"
    r"|old|lost|wrong|invalid|incorrect|missing|no|require|use|allow|enable|disable)[ _-]?\Z"
)
SETTER = re.compile(r"(?:(?:set|with)_?[a-z0-9]{0,20}|[.]|=[ ])\Z")
# What stands before a name that assigns without a sign, and takes what follows for the value.
COMMAND_WITH_NAME = re.compile(
    r"""(?:^|[;&|`"']|\s)(?:env|arg|setenv|setx|set[ ]-\w*x\w*(?:[ ]-\w+)*|set[ ]--export
        |(?:npm|yarn|pnpm|git|pip|poetry|composer|aws|gcloud|heroku|bundle|cargo|dokku|fly)[ ](?:[\w-]+[ ]){0,3}?(?:set|config|configure)
        (?:[ ](?:set|-[\w-]+))*)[ ]{1,4}[\w.:/@-]{0,80}\Z""",
    re.VERBOSE,
)  # fmt: skip


class Value(NamedTuple):
    start: int
    end: int
    quoted: bool
    literal: bool  # a value by the language's rules, not perhaps an expression
    pair: bool = False  # of a connection string


def find_assigned_secret(
    text: str, lowered: str, at: int, name: str, language: str | None
) -> tuple[int, int] | None:
    """Where the secret stands that is assigned to the name at ``at``, if one is."""
    end = at + len(name)
    head = HEAD.match(text, end)
    if head is None or is_of_something_else(lowered, end):
        return None
    if head["element"] is not None and lowered.rfind("<", max(0, at - 40), at) < 0:
        return None
    value = _find_value(text, at, head, language)
    if value and _is_secret(
        text[value.start : value.end], value, name, head, lowered, at, language
    ):
        return value.start, value.end
    return None


def _find_value(text: str, at: int, head: re.Match[str], language: str | None) -> Value | None:
    """What follows the name's sign, to the end of what the language lets a value be."""
    start = head.end()
    if head["element"] is not None:
        inner = ELEMENT_TEXT.match(text, start)
        return Value(inner.start(1), inner.end(1), False, True) if inner else None
    closed = QUOTE.search(text, at, start)
    within = _open_quote(text, at) if head["sign"] == "=" and not closed else ""
    opening = OPENING.match(text, start)
    if opening:
        if within == opening[1] or (within and text[start - 1] == "="):
            return None  # the string ends here: what follows is code
        return _quoted(text, opening)
    if head["sign"] is None and head["word"] is None:
        return None
    if head["sign"] == "=" and _is_in_string(text, at, within, language):
        of_query = text[max(0, at - 1) : at] in ("?", "&")
        inner = (WITHIN_QUERY if of_query else WITHIN_STRING).match(text, start)
        return Value(*inner.span(), False, True, _is_pair(text, at)) if inner else None
    if language in LINE_LANGUAGES and head["sign"]:
        return _rest_of_line(text, at, start, language)
    bare = BARE.match(text, start)
    if bare is None or head["sign"] == "==":
        return None
    pair = NEXT_PAIR.search(text, start, bare.end())
    stop = pair.start() if pair else bare.end()
    if PAIR.match(text, start, stop):
        return None
    return Value(start, stop, False, language in LITERAL_LANGUAGES) if stop > start else None


def _quoted(text: str, opening: re.Match[str]) -> Value | None:
    inner = QUOTED[opening[1]].match(text, opening.end())
    if inner is None:
        return None
    closed = text[inner.end() : inner.end() + 1] == opening[1]
    if not closed and inner.end() - inner.start() < LONGEST_QUOTED:
        return None
    return Value(inner.start(), inner.end(), True, True)


def _open_quote(text: str, at: int) -> str:
    """The quotation mark of the string that ``at`` stands in, if it begins on the same line."""
    begin = max(0, at - LONGEST_LINE_BEFORE)
    line = text[text.rfind("\n", begin, at) + 1 or begin : at]
    if '"' not in line and "'" not in line and "`" not in line:
        return ""
    quote, skip = "", False
    for char in line:
        if skip or char == "\\":
            skip = not skip
        elif char == quote:
            quote = ""
        elif not quote and char in "\"'`":
            quote = char
    return quote


def _is_in_string(text: str, at: int, within: str, language: str | None) -> bool:
    """Whether ``name=value`` is a pair of a connection string or an address."""
    if language == "json" or (within and language not in PROSE_LANGUAGES):
        return True
    return _is_pair(text, at)


def _is_pair(text: str, at: int) -> bool:
    """Whether another pair, or the beginning of a query, stands before the name."""
    return PAIR_BEFORE.search(text, max(0, at - 130), at) is not None


def _rest_of_line(text: str, at: int, start: int, language: str | None) -> Value | None:
    inner = ON_LINE.match(text, start)
    if inner is None:
        return None
    stop = inner.end()
    line = text[text.rfind("\n", max(0, at - LONGEST_LINE_BEFORE), at) + 1 : at]
    if "{" in line or "[" in line:  # a mapping in braces, or a default of a variable
        stop = start + len(re.split(r"[,}\]]", text[start:stop])[0])
    elif language != "env" and not _ends_line(text, stop):
        return None
    return Value(start, stop, False, True) if stop - start >= SHORTEST else None


def _ends_line(text: str, at: int) -> bool:
    """Whether at most a comment follows, and no further word of a sentence."""
    rest = text[at : at + 40].split("\n", 1)[0].strip()
    return not rest or rest[0] in "#;" or not text[at : at + 1].isspace()


def _is_secret(
    text: str,
    value: Value,
    name: str,
    head: re.Match[str],
    lowered: str,
    at: int,
    language: str | None,
) -> bool:
    text = text[:LONGEST_QUOTED]
    if head["tagged"] and not (value.quoted and mixes_letters_and_digits(text)):
        return False
    if head["given"] and not _is_given(head, value, text, lowered, at):
        return False
    if head["word"] and not _is_option(lowered, at):
        if not (value.quoted and mixes_letters_and_digits(text)):
            return False
        return looks_secret(text) or (
            name in PASSWORD_NAMES and looks_password(text, exact=False, config=False)
        )
    if not value.literal and language not in PROSE_LANGUAGES and not head["word"]:
        return False
    if not value.quoted and not value.literal and not mixes_letters_and_digits(text):
        return name in PASSWORD_NAMES and not head["rest"] and is_jumbled(text)
    if name in PASSWORD_NAMES and value.pair:
        return is_no_placeholder(text) and not _is_a_word_of(lowered, text.lower())
    if name in PASSWORD_NAMES and (
        head["given"] in (None, "(") or CALL.search(lowered, max(0, at - 60), at)
    ):
        config = value.literal and (language in VALUE_LANGUAGES or not value.quoted)
        if text.isalpha() and (
            ACTION.search(lowered, max(0, at - 30), at) or _is_a_word_of(lowered, text.lower())
        ):
            return False
        return looks_password(text, exact=not head["rest"], config=config)
    if name == ANY_KEY and not is_drawn(text):
        return False
    if name.endswith("key") and not name.startswith(SPECIFIED_KEYS):
        return mixes_letters_and_digits(text) and looks_secret(text)
    return looks_secret(text)


def _is_a_word_of(lowered: str, word: str) -> bool:
    """Whether the text says the word elsewhere too, of something else than a password."""
    at = lowered.find(word)
    for _ in range(MOST_PLACES):
        if at < 0:
            return False
        line = lowered[max(lowered.rfind("\n", max(0, at - 80), at), at - 80, 0) : at]
        if not any(name in line for name in ("pass", "pwd", "pw")) and not names_in(line):
            return True
        at = lowered.find(word, at + len(word))
    return False


def _is_given(head: re.Match[str], value: Value, text: str, lowered: str, at: int) -> bool:
    """Whether a literal is handed over with the name, ``put("password", "…")``, or to a setter."""
    if head["given"] == "(" and not SETTER.search(lowered, max(0, at - 30), at):
        return False
    return value.quoted and mixes_letters_and_digits(text)


def _is_option(lowered: str, at: int) -> bool:
    """``--password value``, ``ENV PASSWORD value`` and a netrc line assign without a sign."""
    start = lowered.rfind("\n", max(0, at - 200), at) + 1
    before = lowered[max(start, at - 200) : at]
    if re.search(r"(?:^|\s)(?:--?|/)[a-z][\w-]*\Z|(?:^|\s)--?\Z", before):
        return True
    if COMMAND_WITH_NAME.search(before):
        return True
    return "machine " in before and "login " in before


def end_of_value(text: str, start: int, end: int, reached: int, language: str | None) -> int:
    """Where the value ends that was judged by its characters from ``start`` to ``end``.

    ``reached`` is the end of the value found before: within it a run is not walked again.
    """
    if end < reached:
        return reached
    if end - start < LONGEST_BARE:
        return end
    form = REST_OF_ELEMENT if text[start - 1] == ">" else REST_OF_QUOTED.get(text[start - 1])
    form = form or (REST_ON_LINE if language in LINE_LANGUAGES else REST_OF_BARE)
    rest = form.match(text, end)
    return rest.end() if rest else end
