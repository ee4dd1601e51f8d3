"""Rows that name something and say how much, or how needed it is, without a sentence."""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.offline.lexicons import Wording
from agents.offline.prose.formed import lower_told
from agents.offline.prose.ranked import LABELS
from agents.offline.recognise.cues import FORMED, MODAL
from agents.offline.recognise.fragments import has_verb
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.segment.priorities import priority_of_cell
from agents.offline.segment.wording import lower_first
from schemas.events.atom import AtomKind, AtomSeverity

MOST_NAME = 80  # characters of what names a row
_FIGURE = re.compile(r"\d")
MOST_PAIRS = 4  # cells of a row that are told beside its name
MOST_VALUES = 10  # the same of a row of values
_RANKED = frozenset({"", "telling", "requirement"})
_ORDINARY = Wording("tables", "ordinary")
_VALUE = re.compile(
    r"(?:[≤≥<>~±≈+–−-]=? ?|(?:up to|at (?:most|least)|max\.?|min\.?|about|ca\.) )?"
    r"(?P<money>[€$£¥])? ?\d[\d.,'’]*(?: ?(?:[–×x:/]|-|to) ?[€$£¥]?\d[\d.,]*)?"
    r"(?P<unit> ?[%‰€$£¥°µ²³]+[A-Za-z/]*+(?: [A-Za-z/]++)*| "
    r"(?!(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
    r"[A-Za-zµäöü][\wµ²³/%.-]*+(?: [A-Za-z/]++){0,2}|"
    r"(?!(?:st|nd|rd|th)\b)[A-Za-zµ]{1,4}(?:/[a-z]+)?)?\.?",
    re.IGNORECASE,
)


class Cell(NamedTuple):
    """``sort`` is what its column holds; ``raw`` is the cell with its markup."""

    head: str
    sort: str
    said: str
    raw: str


class Statement(NamedTuple):
    """What a row states, before it is told with where it stands."""

    kind: AtomKind
    title: str
    confidence: float
    attributes: dict[str, str]
    severity: AtomSeverity | None = None
    impact: str | None = None


def ranked_row(cells: list[Cell]) -> Statement | None:
    """A row that names a feature and ranks it: «Payment by card» with «Must» under «Priority»."""
    ranked = next((it for it in cells if it.sort == "priority"), None)
    rank = priority_of_cell(ranked.said) if ranked else None
    first = next((it for it in cells if it.sort != "numbering" and it is not ranked), None)
    if rank is None or first is None or first.sort not in _RANKED:
        return None
    text = first.said.rstrip(".")
    if not text or len(text) > MOST_NAME or text.endswith("?"):
        return None
    title = text if has_verb(text) and rank != "wont" else f"{LABELS[rank]}: {lower_first(text)}"
    if rank == "wont":
        return Statement("claim", title, MODAL, {"scope": "out"})
    return Statement("requirement", title, MODAL, requirement_attributes(text) | {"priority": rank})


def valued_row(cells: list[Cell]) -> Statement | None:
    """A row of values: a name, or several, and figures with their units under named columns."""
    named = [it for it in cells if it.sort != "numbering" and it.said]
    if (
        len(named) < 2
        or len(named[0].said) > MOST_NAME
        or named[0].raw.lstrip(" *[").startswith("`")
    ):
        return None
    first, rest = named[0], named[1:]
    if _FIGURE.match(first.said) or not all(it.head for it in rest):
        return None
    if any(it.sort == "reference" and not _ORDINARY.fullmatch(it.head) for it in named):
        return None
    values = [_VALUE.fullmatch(it.said) for it in rest]
    if not any(it and (it["unit"] or it["money"]) for it in values):
        return None
    others = [it for it, value in zip(rest, values, strict=True) if value is None]
    if len(others) >= len(rest) - len(others) + 2 or any(len(it.said) > MOST_NAME for it in others):
        return None
    return Statement("claim", tell_pairs(first, rest, MOST_VALUES), FORMED, {})


def tell_pairs(first: Cell, rest: list[Cell], most: int = MOST_PAIRS) -> str:
    """The row's name with what the other cells say, each after its column's head."""
    given = [it for it in rest if it.said][:most]
    if len(given) == 1 and given[0].sort == "telling":
        return f"{first.said}: {lower_first(given[0].said)}"
    values = (f"{_lower(it.head)} {lower_told(it.said).rstrip('.')}" for it in given)
    return f"{first.said}: {'; '.join(values)}"


def _lower(head: str) -> str:
    return " ".join(map(lower_first, head.split()))
