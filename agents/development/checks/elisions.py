"""Finds comments that stand for code a model has left out, such as «… existing code …»."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from agents.development.checks.markdown import split_lines

_HUNK = re.compile(
    r"^@@ -\d{1,9}(?:,(?P<old>\d{1,9}))? \+(?P<start>\d{1,9})(?:,(?P<new>\d{1,9}))? @@"
)
_TARGET = re.compile(r'^\+\+\+ "?(?:b/)?(?P<path>[^"\t]*)')

_HASH, _SLASHES, _DASHES, _ANGLE = r"#+", r"//+!?|/\*+|\*+(?=\s)", r"--+", r"<!--"
_SEMICOLON, _PERCENT = r";+", r"%+"
_ENDINGS = (
    (_HASH, "py pyi rb sh bash zsh yml yaml toml r pl tf cmake ex exs jl nim"),
    (
        _SLASHES,
        "c h cc cpp hpp cs java js jsx mjs cjs ts tsx mts cts go rs kt kts swift scala dart",
    ),
    (_SLASHES, "m mm css scss less groovy proto zig v sol json5 jsonc"),
    (_DASHES, "sql lua hs elm ada"),
    (_ANGLE, "html htm xml md markdown svg xaml"),
    (f"{_ANGLE}|{_SLASHES}", "vue svelte astro"),
    (f"{_SEMICOLON}|{_HASH}", "lisp el clj cljs scm asm ini"),
    (_PERCENT, "tex erl hrl"),
    (f"{_SLASHES}|{_HASH}|{_ANGLE}", "php"),
)
_MARKS = {ending: mark for mark, endings in _ENDINGS for ending in endings.split()}
_ANY_MARK = "|".join((_HASH, _SLASHES, _DASHES, _ANGLE, _SEMICOLON, _PERCENT))

_DOTS = r"(?:\.{3,}|…|\[\.{3}\]|\[…\])"
_THING = (
    r"(?:code|contents?|file|class|functions?|methods?|body|implementation|logic|imports?|module"
    r"|component|fields?|props|tests?|test cases|cases|definitions?|handlers?|routes?|lines?|block"
    r"|section|config|configuration|setup|parts?|stuff|things?|items?|entries)"
)
_SAME = (
    r"(?:unchanged|unmodified|untouched|(?:the )?same as (?:before|above|the original)|the same"
    r"|as (?:before|above|is|it is|it was)|identical|intact|omitted|elided|snipped|truncated"
    r"|skipped|here|goes here|follows|continues)"
)
_MORE = r"(?:\s+(?:for (?:brevity|clarity|now)|here|below|above|as before|from (?:here|above)))*"
_WORDS = (
    # the rest of the file, rest unchanged, remaining methods stay the same
    rf"(?:the )?(?:rest|remainder) of (?:the |this |your |our )?(?:\w+ )?{_THING}"
    rf"(?:,?\s*(?:is|are|remains?|stays?|goes|continues)?\s*{_SAME})?{_MORE}",
    rf"(?:the |all )?(?:rest|remainder|remaining|other|others|existing|previous|original)"
    rf"(?:\s+\w+){{0,3}}?,?\s*(?:is|are|remains?|stays?|kept|left|goes)?\s*{_SAME}{_MORE}",
    rf"(?:keep |leave )?(?:the |all |all the |your |our |any )*"
    rf"(?:existing|previous|original|remaining)(?:\s+\w+){{0,2}}?\s+{_THING}{_MORE}",
    rf"(?:no changes?|nothing changes|nothing changed|unchanged){_MORE}(?:\s+{_THING})?",
    rf"(?:the |other )?(?:\w+ )?{_THING}\s+(?:is |are |remains? |stays? )?"
    rf"(?:unchanged|unmodified|untouched|the same|as before|omitted|elided|snipped){_MORE}",
    rf"(?:same|identical) as (?:before|above|the original){_MORE}",
    rf"(?:snip|snipped|omitted|elided|truncated|etc)(?:\s+(?:code|lines))?{_MORE}",
    r"(?:the |your )?(?:implementation|code|logic) (?:goes )?here",
    rf"(?:implement|add|write) (?:the )?(?:rest|remaining)(?: of)?(?: the)?(?: \w+)?{_MORE}",
    r"(?:der )?rest (?:bleibt |ist )?(?:unverändert|wie (?:bisher|zuvor))|bestehender code",
    r"(?:le )?reste (?:du code )?(?:est |reste )?inchangé|code existant(?: inchangé)?",
    r"(?:el )?resto (?:del código )?(?:permanece |queda )?(?:sin cambios|igual)|código existente",
    r"其余代码(?:保持)?不变|其他代码(?:保持)?不变|现有代码|既存の?コード|残りは(?:変更なし|同じ)|以下(?:省略|同様)",
)
_ELISION = re.compile(rf"(?:{'|'.join(_WORDS)})", re.IGNORECASE)
_DOTTED = re.compile(
    r"\b(?:rest|existing|remaining|unchanged|omitted|other|others|previous|original|same as before"
    r"|more|brevity)\b",
    re.IGNORECASE,
)
_BREVITY = re.compile(r"\b(?:omitted|elided|truncated|shortened|left out) for brevity\b", re.I)
_BARE = re.compile(rf"^{_DOTS}\s+\w")  # no comment at all; without a blank it may be code
_CLOSERS = re.compile(r"(?:\*+/\s*\}?|-->|\*+\)|#\})\s*$")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Elision:
    """``line`` is the number in the file as the change leaves it, 0 where the diff has none."""

    path: str
    line: int
    text: str


def find_elisions(diff: str) -> tuple[Elision, ...]:
    """The comments in added lines of a unified diff that stand for code that is not there.

    A comment that the same file had before, and that was only moved, is none.
    """
    added: list[tuple[str, int, str]] = []
    removed: set[tuple[str, str]] = set()
    for path, line, sign, text in _changed_lines(diff):
        if sign == "+":
            added.append((path, line, text))
        else:
            removed.add((path, text.strip()))
    return tuple(
        Elision(path, line, text.strip()[:200])
        for path, line, text in added
        if (path, text.strip()) not in removed and is_elision(text, path)
    )


def is_elision(line: str, path: str) -> bool:
    """Whether a line of code is, or ends in, a comment that stands for code that is left out."""
    text = line.strip()[:1000]
    if _BARE.match(text) and _is_words(text):
        return True
    mark = _MARKS.get(PurePosixPath(path).suffix[1:].casefold(), _ANY_MARK)
    match = re.search(rf"(?:^|(?<=[\s{{]))(?:{mark})", text)
    return match is not None and _is_words(_CLOSERS.sub("", text[match.end() :]))


def _is_words(comment: str) -> bool:
    comment = comment.strip()
    words = _EDGES.sub("", comment)
    has_dots = re.match(_DOTS, comment) or re.search(rf"{_DOTS}\W*$", comment)
    if not words:
        return bool(has_dots)
    if has_dots and len(words.split()) <= 8 and _DOTTED.search(words):
        return True
    return bool(_ELISION.fullmatch(words) or _BREVITY.search(words))


def _changed_lines(diff: str) -> Iterator[tuple[str, int, str, str]]:
    """Path, line number, sign and text of each added and removed line.

    The counts of a hunk tell its lines from headers, also where a line looks like a header.
    Without hunks every line with a sign counts.
    """
    path, number, old, new, has_hunks = "", 0, 0, 0, False
    for raw in split_lines(diff):
        if has_hunks and (old > 0 or new > 0):
            sign = raw[:1] or " "
            if sign == "+":
                yield path, number, "+", raw[1:]
            elif sign == "-":
                yield path, number, "-", raw[1:]
            if sign in "+ ":
                new, number = new - 1, number + 1
            if sign in "- ":
                old -= 1
        elif match := _HUNK.match(raw):
            has_hunks, number = True, int(match["start"])
            old, new = int(match["old"] or 1), int(match["new"] or 1)
        elif match := _TARGET.match(raw):
            path, has_hunks = match["path"], False
        elif not has_hunks and raw[:1] in ("+", "-") and not raw.startswith("---"):
            yield path, 0, raw[0], raw[1:]
