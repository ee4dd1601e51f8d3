"""Rows of a table of stories or scenarios, whose columns are «As a», «I want», «So that», or
«Given», «When», «Then»: each row is one sentence of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.lexicons import Wording
from agents.offline.prose.formed import lower_told
from agents.offline.prose.values import Cell, Statement
from agents.offline.recognise.cues import EXPLICIT
from agents.offline.recognise.needs import requirement_attributes

_ROLE = Wording("stories", "role_column")
_WISH = Wording("stories", "wish_column")
_GAIN = Wording("stories", "gain_column")
_ARTICLE = re.compile(r"(?:as )?(?:an?|the) ", re.IGNORECASE)
_SPEAKS = re.compile(r"(?:to|i|we) ", re.IGNORECASE)
_STEPS = ("given", "when", "then")


def story_row(cells: Sequence[Cell]) -> Statement | None:
    """The story or scenario that a row tells; None where its columns are others."""
    heads = [it.head.strip(" .:…*_").lower() for it in cells]
    steps = {head: it.said for head, it in zip(heads, cells, strict=True) if head in _STEPS}
    if len(steps) > 1 and steps.get("then"):
        text = ", ".join(
            f"{it} {lower_told(steps[it]).rstrip('.')}" for it in _STEPS if it in steps
        )
        return _needed(text, steps["then"])
    if not any(head.startswith(("i ", "we ", "as ")) for head in heads):
        return None
    role, wish, gain = (_find(cells, heads, it) for it in (_ROLE, _WISH, _GAIN))
    if not role or not wish:
        return None
    role = _ARTICLE.sub("", role, count=1)
    wish = wish if _SPEAKS.match(wish) else f"to {lower_told(wish)}"
    wants = wish if wish.lower().startswith(("i ", "we ")) else f"I want {wish}"
    text = f"as {'an' if role[:1].lower() in 'aeio' else 'a'} {lower_told(role)}, {wants}"
    return _needed(f"{text}, so that {lower_told(gain)}" if gain else text, wish)


def _needed(text: str, outcome: str) -> Statement:
    return Statement("requirement", text, EXPLICIT, requirement_attributes(outcome))


def _find(cells: Sequence[Cell], heads: Sequence[str], wanted: Wording) -> str:
    rows = (it.said.rstrip(".") for it, head in zip(cells, heads, strict=True) if _is(wanted, head))
    return next(rows, "")


def _is(wanted: Wording, head: str) -> bool:
    return wanted.fullmatch(head) is not None
