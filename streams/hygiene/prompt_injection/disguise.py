"""Views of a text that undo what hides an order from a matcher, with the way back to its places.

Hidden characters may stand inside a word, so they are left out, or between two words, so they are
blanks. Look-alikes and styled letters are folded in words that become plain Latin by it; text of
another script does not. Tag characters and variation selectors can write whole sentences that
nobody sees: runs of them are decoded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U0001d173-\U0001d17a\U000e0000-\U000e01ef]+"
)
LEAST_WRITTEN = 4  # characters of a text in tags or selectors
WRITTEN = re.compile(
    f"[\U000e0020-\U000e007e]{{{LEAST_WRITTEN},}}"
    f"|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{{LEAST_WRITTEN},}}"
)
REGION = re.compile("(?<=\U0001f3f4)[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")
JOINERS = frozenset("\u200c\u200d")
SOFT_HYPHEN = "\u00ad"
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]|[\u180b-\u180d]")
STYLED = re.compile(r"(?<![a-z0-9])[a-z0-9]*+(?:[^\x00-\x7f\W_]|[Ⓐ-ⓩ])(?:[^\W_]|[Ⓐ-ⓩ])*")
# Letters that look like a Latin one, after Unicode's confusables (UTS 39), by small letter.
LOOK_ALIKES = {
    ord(other): latin
    for latin, others in {
        "a": "аɑαᴀ", "b": "вʙƅβ", "c": "сᴄϲ", "d": "ԁᴅ", "e": "еҽᴇε", "f": "ꜰϝ",
        "g": "ɡցɢ", "h": "һհʜн",
        "i": "іıɩιɪ", "j": "јϳᴊ", "k": "кκᴋ", "l": "ӏʟ", "m": "мᴍ", "n": "пոɴη", "o": "оοօσᴏ",
        "p": "рρᴘ", "q": "ԛզǫ", "r": "гʀ", "s": "ѕꜱ", "t": "тτᴛ", "u": "սυᴜ", "v": "ѵνᴠ",
        "w": "ԝѡωᴡ", "x": "хχ", "y": "уγʏү", "z": "ᴢ",
    }.items()
    for other in others
}  # fmt: skip


class View(NamedTuple):
    """A text to look into; ``places`` has each character's place in the text it is made of.

    Without ``places`` each character stands where it stood.
    """

    text: str
    places: Sequence[int] = ()

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original text."""
        return (self.places[start], self.places[end - 1] + 1) if self.places else (start, end)


def without_hidden(text: str) -> View:
    """The text without hidden characters."""
    if text.isascii() or not HIDDEN.search(text):
        return View(text)
    return _replace_hidden(text, "")


def views(lowered: str) -> Iterator[View]:
    """What else the text may be meant to say, besides the text without hidden characters."""
    if lowered.isascii():
        return
    plain = without_hidden(lowered)
    if plain.places and _parts_words(lowered):
        yield _replace_hidden(lowered, " ")
    if (folded := _fold(plain)) is not None:
        yield folded


def written_in_hidden(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of tags and variation selectors that write a text, and what they write."""
    if text.isascii():
        return
    for match in WRITTEN.finditer(text):
        if not REGION.match(text, match.start()):
            yield *match.span(), _decode(match[0])


def joins_legitimately(text: str, match: re.Match[str]) -> bool:
    """A soft hyphen, a selector of one sign, a joiner between non-ASCII signs, a region's flag."""
    if len(match[0]) > 1:
        return REGION.fullmatch(text, *match.span()) is not None or (
            match[0][1:] == "\u200d" and SELECTORS.fullmatch(match[0][0]) is not None
        )
    if match[0] in JOINERS:
        before = text[match.start() - 1 : match.start()]
        return not (before.isascii() or text[match.end() : match.end() + 1].isascii())
    return match[0] == SOFT_HYPHEN or SELECTORS.fullmatch(match[0]) is not None


def _replace_hidden(text: str, by: str) -> View:
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for match in HIDDEN.finditer(text):
        parts += [text[at : match.start()], by]
        places += [*range(at, match.start()), *(match.start() for _ in by)]
        at = match.end()
    parts.append(text[at:])
    places += range(at, len(text))
    return View("".join(parts), places)


def _parts_words(text: str) -> bool:
    """Whether hidden characters stand between two letters of scripts that need no joiners."""
    return any(
        text[match.start() - 1 : match.start()].isalnum()
        and text[match.end() : match.end() + 1].isalnum()
        for match in HIDDEN.finditer(text)
        if not joins_legitimately(text, match) or match[0] == SOFT_HYPHEN
    )


def _fold(plain: View) -> View | None:
    """The view with look-alikes and styled letters as Latin ones; None where there are none."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for match in STYLED.finditer(plain.text):
        letters = [_fold_letter(letter) for letter in match[0]]
        if not "".join(letters).isascii():
            continue
        parts += [plain.text[at : match.start()], *letters]
        places += range(at, match.start())
        for place, letter in enumerate(letters, match.start()):
            places += [place] * len(letter)
        at = match.end()
    if not parts:
        return None
    parts.append(plain.text[at:])
    places += range(at, len(plain.text))
    return View("".join(parts), [plain.places[it] for it in places] if plain.places else places)


@lru_cache(4096)
def _fold_letter(letter: str) -> str:
    bare = unicodedata.normalize("NFKD", letter)
    return (
        "".join(it for it in bare if not unicodedata.combining(it)).lower().translate(LOOK_ALIKES)
    )


def _decode(run: str) -> str:
    """What the tags say, or the bytes that the variation selectors stand for."""
    codes = [ord(it) for it in run]
    if codes[0] >= 0xE0100 or codes[0] < 0xE0000:
        number = (it - 0xFE00 if it < 0xE0000 else it - 0xE0100 + 16 for it in codes)
        return bytes(it & 0xFF for it in number).decode("utf-8", "replace")
    return "".join(chr(it - 0xE0000) for it in codes)
