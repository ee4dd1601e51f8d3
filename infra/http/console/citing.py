"""What stands beside a text: the chips of its places, each once, where the text names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from projections.read.search import HitQuote

Cited = Mapping[str, Any]
_PLACE = re.compile(r" ?\[(?P<path>[^\[\]\n]+?):(?P<line>\d+)(?:-\d+)?\]")
_HEADINGS = re.compile(r"\A(?:\s*#{1,6}[ \t][^\n]*(?:\n|\Z))+\s*")


@dataclass(frozen=True, slots=True)
class CitedText:
    """``pieces``: text with the citation of the place that it ended with; ``others``: the rest."""

    pieces: Sequence[tuple[str, Cited | None]]
    others: Sequence[Cited]


def cite_places(text: str, citations: Iterable[Cited]) -> CitedText:
    """The text cut where it names a cited place, which is shown as a chip instead."""
    left = {(it["path"] or it["cited_id"], str(it["line_start"])): it for it in citations}
    known = dict(left)
    pieces: list[tuple[str, Cited | None]] = []
    start = 0
    for place in _PLACE.finditer(text):
        at = (place["path"], place["line"])
        if at in known:
            pieces.append((text[start : place.start()], known[at]))
            left.pop(at, None)
            start = place.end()
    return CitedText([*pieces, (text[start:], None)], list(left.values()))


def list_places(quotes: Iterable[HitQuote]) -> list[HitQuote]:
    """The quotes, one for each line that they begin on."""
    by_place: dict[tuple[str, int], HitQuote] = {}
    for quote in quotes:
        by_place.setdefault((quote.source_id, quote.line_start), quote)
    return list(by_place.values())


def cut_headings(text: str) -> str:
    """A passage without the headings that it begins with: its title says them."""
    return _HEADINGS.sub("", text) or text
