"""The areas of a project, and the words by which a text shows that it is about one.

The reader (an atom's area), hygiene (the areas of a chunk) and run control (gaps) use one table, so
that a gap and the chunks that fill it are found by the same words.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, get_args

from schemas.data_files import read_table

Area = Literal[
    "scope",
    "user_needs",
    "architecture_decisions",
    "data_model",
    "integrations",
    "security",
    "non_functional",
    "deployment_constraints",
    "operations",
    "testing",
    "delivery",
    "market",
]
AREAS: tuple[Area, ...] = get_args(Area)

_WORDS: dict[str, str] = read_table(__package__, "areas.toml")
AREA_WORDS: dict[Area, tuple[str, ...]] = {area: tuple(_WORDS[area].split()) for area in AREAS}
_AREA_OF_WORD = {
    hyphens + word.encode(): area
    for area, words in AREA_WORDS.items()
    for word in words
    for hyphens in (b"", b"-", b"--")
}
_IN_A_WORD = b"abcdefghijklmnopqrstuvwxyz-"
_APART = bytes(at if at in _IN_A_WORD else 32 for at in range(256))


def area_counts(text: str) -> dict[Area, int]:
    """How many words of each area stand in ``text``; areas without any are absent.

    Words are letters and hyphens of ASCII. Bytes are cut into words several times faster than an
    expression finds them, and every chunk of every source comes through here.
    """
    letters = text.lower().encode("ascii", "replace").translate(_APART)
    words = letters.split()
    if b" ---" in letters or letters.startswith(b"---"):  # else two hyphens at most stand before
        words = [word.lstrip(b"-") for word in words]
    return Counter(filter(None, map(_AREA_OF_WORD.get, words)))


def main_area(text: str, default: Area = "scope") -> Area:
    """The area with most words in ``text``; ties go to the first in the order of the enum."""
    counts = area_counts(text)
    return max(AREAS, key=lambda area: counts.get(area, 0)) if counts else default
