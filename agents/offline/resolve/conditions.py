"""Under which condition the items of a list hold: «If the enum is not registered:» over them.

Told without it, an item of one branch contradicts the same item of the other. Only what is nothing
but a condition is put in front; one with a main clause of its own announces something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.resolve.drafts import Draft, add_scope, retitle
from agents.offline.segment.passages import Passage, Sentence
from agents.offline.segment.wording import body_of, capitalise, lower_first

_CONDITION = Wording("sequels", "conditions")
_CONDITIONAL = frozenset({"claim", "decision", "requirement", "risk"})


def condition_over(
    passage: Passage, before: Iterable[tuple[Passage, Sequence[Sentence]]]
) -> Sentence | None:
    """The item that ``passage`` is indented under, if it is a condition; ``before`` the nearest
    first.
    """
    if not passage.indent:
        return None
    for other, sentences in before:
        if other.form == "heading" or other.headings != passage.headings:
            return None
        if other.indent < passage.indent:
            last = sentences[-1] if other.form == "item" and sentences else None
            return last if last and _CONDITION.fullmatch(last.text) else None
    return None


def add_condition(draft: Draft, condition: Sentence) -> Draft:
    """``draft`` with its condition in front, and that as evidence too."""
    if draft.kind not in _CONDITIONAL:
        return draft
    clause = capitalise(condition.text.rstrip(": "))
    as_told = str if draft.own_title.startswith(draft.entities) else lower_first
    return replace(
        retitle(draft, add_scope(draft.scope, f"{clause}, {as_told(draft.own_title)}")),
        prior="",
        body=body_of(f"{clause}, {as_told(draft.body)}"),
        frames=(*draft.frames, condition.span),
    )
