"""A text as its readers see it: escapes undone, what is broken over lines joined, base64 decoded.

A secret need not stand in a file as it is used: JSON escapes it, YAML folds it, code breaks it
into literals, and manifests hold it as base64. ``unfold`` gives the few lines of a text where
there is something to undo, with a way back to their places; a text without any costs one look.
"""

from __future__ import annotations

import base64
from bisect import bisect_right
from collections.abc import Collection, Iterator
from re import IGNORECASE, VERBOSE, Match
from re import compile as pattern
from typing import NamedTuple

# Each expression begins with what is looked for fastest: a literal, or a set of few characters.
BACKSLASH = pattern(
    r"""\\(?:(?P<line>\n[ \t]*)
      |u(?P<unit>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})|(?P<char>[nrtbf"'`/\\]))""",
    VERBOSE,
)
CONTROLS = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}
LINE_FEED = pattern(
    r"""\n(?<=[\w+/.:=(>"'`&|\\-]\n)(?:
      # a run as wide as base64 is wrapped, and a line that is nothing but a run
      (?<=[A-Za-z0-9+/_.-]{40}\n)[ \t]*(?:(?:[#*>]|//)[ \t]*)?
        (?P<run>[A-Za-z0-9+/_.][A-Za-z0-9+/_.-]*={0,2})(?=["']?(?:\n|\Z))
      # a sign, and a line that is nothing but a literal or a word
      |(?:(?<=[:=(]\n)|(?<==>\n))[ \t]{1,200}
        (?P<value>(?=["'`]|[^\s:\#{}\[\]"'`-][^\s:]{7,}(?:\n|\Z)))
      # the head of a block in YAML
      |(?:(?<=:[ ][|>]\n)|(?<=:[ ][|>][-+]\n))(?P<block>[ \t]+)
      # a literal that ends, and one that begins
      |(?:(?<=["'`]\n)|(?<=["'`][+.&\\]\n)|(?<=["'`][ ][+.&|\\]\n)|(?<=["'`][ ]&[ ]_\n))
        [ \t]{0,200}(?:[+.&|]{1,2}[ \t]{0,8})?[bfru]{0,2}(?P<quote>["'`])
    )""",
    VERBOSE,
)
SHORTEST_NEXT = 20  # characters of a second line of a run; a last one may be shorter
ADDED = (
    ("+", pattern(r"""\+(?:(?<=["'`]\+)|(?<=["'`] \+))[ \t]{0,4}[bfru]{0,2}(?P<quote>["'`])""")),
    (" . ", pattern(r""" \. (?<=["'`] \. )(?P<quote>["'`])""")),
)
LONGEST_SIGN = 6  # characters between two literals of which the second begins a line
A_NAME = pattern(r"pass|pwd|secret|token|credential|key|auth", IGNORECASE)
LONGEST_NAME = 80
# Base64 of ASCII, as far as each character tells by itself. Of four only the last can be + or /, so
# that a run of letters and digits tells it.
TEXT_IN_BASE64 = pattern(
    r"(?<![A-Za-z0-9])(?:[ACDI-Za-f][AC-HQS-Xgi-nwyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589].){6}"
)
REST_OF_RUN = pattern(r"[A-Za-z0-9+/_-]*+={0,2}")
URL_SAFE = str.maketrans("-_", "+/")


class Change(NamedTuple):
    """What stands at ``start`` to ``end`` reads as ``said``."""

    start: int
    end: int
    said: str


class View:
    """Pieces of a text as they read, and where each of them comes from."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._places: list[tuple[int, int]] = []
        self._length = 0

    def add(self, text: str, start: int, end: int) -> None:
        """``text`` is what stands at ``start`` to ``end``, or what is read instead of it."""
        self._pieces.append(text)
        self._starts.append(self._length)
        self._places.append((start, end))
        self._length += len(text)

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the text of what stands at ``start`` to ``end`` here."""
        return self._place(start)[0], self._place(end - 1)[1]

    def places(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The place of each piece that is touched between ``start`` and ``end``."""
        for index in range(bisect_right(self._starts, start) - 1, bisect_right(self._starts, end)):
            if self._starts[index] < end:
                yield self._places[index]

    def _place(self, at: int) -> tuple[int, int]:
        index = bisect_right(self._starts, at) - 1
        start, end = self._places[index]
        if end - start != len(self._pieces[index]):
            return start, end
        begin = start + at - self._starts[index]
        return begin, begin + 1


def unfold(text: str) -> View | None:
    """The lines of a text where escapes are undone and lines and literals joined, if any."""
    changes = sorted(_changes(text))
    if not changes:
        return None
    view, read, stop = View(), 0, -1
    for change in changes:
        if change.start < read:
            continue
        if change.start > stop:  # a further line
            if stop > 0:
                view.add(text[read:stop] + "\n", read, stop + 1)
            read = text.rfind("\n", read, change.start) + 1 or read
        view.add(text[read : change.start], read, change.start)
        view.add(change.said, change.start, change.end)
        read = change.end
        stop = text.find("\n", read)
        stop = len(text) if stop < 0 else stop
    view.add(text[read:stop], read, stop)
    return view


def _changes(text: str) -> Iterator[Change]:
    if "\\" in text:
        for match in BACKSLASH.finditer(text):
            yield Change(*match.span(), _decode_escape(match))
    for sign, added in ADDED:
        if sign in text:
            for match in added.finditer(text):
                yield from _between_literals(text, match)
    last = -1
    for match in LINE_FEED.finditer(text):
        if run := match["run"]:
            if len(run) >= SHORTEST_NEXT or match.start() == last:
                yield Change(match.start(), match.start("run"), "")
                last = match.end()
        elif match["block"]:
            yield Change(text.rindex(":", 0, match.start()) + 1, match.end(), " ")
        elif match["quote"]:
            yield from _between_literals(text, match)
        elif A_NAME.search(text, max(0, match.start() - LONGEST_NAME), match.start()):
            at = match.start()
            if text[at - 1] == "(":  # of a call, or around a value
                yield Change(at - text.endswith("= (", 0, at), match.end(), "")
            else:
                yield Change(at, match.end(), " ")


def _between_literals(text: str, match: Match[str]) -> Iterator[Change]:
    start = text.rfind(match["quote"], max(0, match.start() - LONGEST_SIGN), match.start())
    if start >= 0:
        yield Change(start, match.end(), "")


def _decode_escape(match: Match[str]) -> str:
    code = match["unit"] or match["byte"]
    return chr(int(code, 16)) if code else CONTROLS.get(match["char"], match["char"] or "")


def in_base64(text: str, pieces: Collection[str]) -> View | None:
    """The texts that stand in base64, if any.

    ``pieces`` are the distinct runs of letters and digits that may be part of it.
    """
    if not any(TEXT_IN_BASE64.match(piece) for piece in pieces):
        return None
    view, at = View(), 0
    while match := TEXT_IN_BASE64.search(text, at):
        rest = REST_OF_RUN.match(text, match.start())
        at = rest.end() if rest else match.end()
        view.add(_decode(text[match.start() : at]) + "\n", match.start(), at)
    return view


def _decode(run: str) -> str:
    bare = run.rstrip("=").translate(URL_SAFE)
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    content = base64.b64decode(bare + "=" * (-len(bare) % 4))
    return content.replace(b"\0", b"").decode("utf-8", "replace")  # UTF-16 has a zero in each pair
