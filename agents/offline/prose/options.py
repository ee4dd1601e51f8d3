"""What is said of the options that a document weighs: of the chosen one it is the project's, of a
rejected one nobody's, and while none is chosen it is a proposal.

Stage 0 says how the document stands to each (``ChunkCreated.options``), since the choice may stand
in another chunk. What stands under an option, at whatever depth, takes its standing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from agents.offline.recognise.cues import WEAK
from agents.offline.resolve.drafts import Draft, add_scope, retitle
from agents.offline.segment.passages import Passage
from agents.offline.segment.sections import Role, role_in, show_heading
from agents.offline.segment.wording import strip_markup
from schemas.events.hygiene import ChunkCreated, DocumentOption
from schemas.fingerprint import norm_text
from schemas.options import read_option_label

OPTION = "option"  # the attribute with the option that a proposal belongs to
ALTERNATIVES = "alternatives"  # of a decision, an option a line
LONGEST = 80  # characters of an option's name in front of a title
_BINDING = frozenset({"decision", "requirement"})


class Weighed(NamedTuple):
    """The option that a passage stands under, and what the headings below it make of it."""

    option: DocumentOption
    role: Role
    direct: bool


class Options:
    """The options of one document."""

    def __init__(self, chunk: ChunkCreated) -> None:
        self._named: dict[str, list[DocumentOption]] = {}
        self._labelled: dict[str, DocumentOption] = {}
        for option in chunk.options:
            self._named.setdefault(norm_text(option.heading), []).append(option)
            label = read_option_label(option.heading)
            if label is not None and label.key:
                self._labelled.setdefault(label.key, option)
        self._rejected = [it for it in chunk.options if it.standing == "rejected"]
        self._chosen = any(it.standing == "chosen" for it in chunk.options)

    def find(self, text: str, passage: Passage, *, recorded: bool) -> Weighed | None:
        """The innermost option that ``passage`` speaks of; None where it stands under none."""
        if not self._named:
            return None
        own = passage.headings + (
            (text[passage.start : passage.end],) * (passage.form == "heading")
        )
        for option in self._labels_over(text, passage):
            return Weighed(option, *role_in(passage.headings, recorded=recorded))
        for depth in range(len(own) - 1, -1, -1):
            if found := self._at(own, depth):
                return Weighed(found, *role_in(own[depth + 1 :], recorded=recorded))
        return None

    def _labels_over(self, text: str, passage: Passage) -> Iterator[DocumentOption]:
        """The options that it, or an item it is nested in, is labelled with, innermost first."""
        if passage.form not in ("item", "task", "paragraph"):
            return
        for start, end in ((passage.start, passage.end), *reversed(passage.over)):
            label = read_option_label(strip_markup(text[start:end]))
            if label is not None and label.key in self._labelled:
                yield self._labelled[label.key]

    def _at(self, headings: Sequence[str], depth: int) -> DocumentOption | None:
        found = self._named.get(norm_text(show_heading(headings[depth])), ())
        over = norm_text(headings[depth - 1]) if depth else ""
        exact = (it for it in found if not over or norm_text(it.under) == over)
        return next(exact, found[0] if len(found) == 1 else None)

    def add_alternatives(self, draft: Draft, role: Role) -> Draft:
        """A decision for one of the options with those that were not chosen."""
        if draft.kind != "decision" or role != "decision" or not (self._chosen and self._rejected):
            return draft
        names = dict.fromkeys(show_heading(it.heading) for it in self._rejected)
        return replace(draft, attributes=draft.attributes | {ALTERNATIVES: "\n".join(names)})


def propose(draft: Draft, option: DocumentOption) -> Draft:
    """``draft`` as what one of several options would be: nobody has decided or asked for it."""
    name = show_heading(option.heading)[:LONGEST].rstrip()
    kind = "claim" if draft.kind in _BINDING else draft.kind
    told = retitle(replace(draft, scope=name, aside=False), add_scope(name, draft.told))
    attributes = {OPTION: name} if kind != draft.kind else draft.attributes | {OPTION: name}
    sure = min(draft.confidence, WEAK)
    return replace(told, kind=kind, attributes=attributes, confidence=sure)
