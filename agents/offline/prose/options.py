"""What is said of the options that a document weighs: of the chosen one it is the project's, of a
rejected one nobody's, and while none is chosen it is a proposal.

Stage 0 says how the document stands to each (``ChunkCreated.options``), since the choice may stand
in another chunk. What stands under an option, at whatever depth, takes its standing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from agents.offline.lexicons import Wording
from agents.offline.recognise.cues import WEAK
from agents.offline.recognise.stances import Stand
from agents.offline.resolve.drafts import Draft, add_scope, retitle
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Passage, Span
from agents.offline.segment.sections import Role, role_in, role_of, show_heading
from agents.offline.segment.wording import strip_markup
from schemas.events.hygiene import ChunkCreated, DocumentOption
from schemas.fingerprint import norm_text
from schemas.options import read_option_label

OPTION = "option"  # the attribute with the option that a proposal belongs to
ALTERNATIVES = "alternatives"  # of a decision, an option a line
LONGEST = 80  # characters of an option's name in front of a title
MAX_LABEL_WORDS = 3  # of an item «Cons:» that says what those under it are
_REASONS = Wording("choices", "reasons")
_BINDING = frozenset({"decision", "requirement"})
_BINDING_ROLES = frozenset({"plain", "decision", "requirement"})


class Placed(NamedTuple):
    """What headings, announcements and options make of a passage; ``option`` is the one that it
    speaks of.
    """

    role: Role
    direct: bool
    option: DocumentOption | None = None


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
        self._items: set[Span] = set()
        self._rejected = [it for it in chunk.options if it.status == "rejected"]
        self._chosen = any(it.status == "chosen" for it in chunk.options)

    def place(self, setting: Setting, passage: Passage, stand: Stand | None) -> Placed:
        """The role of ``passage``: of the option that it stands under before all others."""
        placed = self._placed(setting, passage)
        if placed.option is not None and placed.option.status == "rejected":
            return placed._replace(role="rejected")
        if stand is not None and stand.stance == "excluded":
            return placed._replace(role="non_goal", direct=True)
        if stand is not None and stand.stance == "weighed" and placed.option is None:
            return placed._replace(role="rejected")
        if placed.role in _BINDING_ROLES and (role := _labelled_over(setting.text, passage)):
            return placed._replace(role=role, direct=True)
        if placed.role == "non_goal" and self._explains(setting.text, passage):
            return placed._replace(role="nothing")
        return placed

    def _placed(self, setting: Setting, passage: Passage) -> Placed:
        text, recorded = setting.text, setting.recorded
        plain = Placed(*role_in(passage.headings, recorded=recorded))
        if not self._named:
            return plain
        for option in self._labels_over(text, passage):
            return plain._replace(option=option)
        own = passage.headings
        own += (text[passage.start : passage.end],) * (passage.form == "heading")
        for depth in range(len(own) - 1, -1, -1):
            if named := self._at(own, depth):
                return Placed(*role_in(own[depth + 1 :], recorded=recorded), named)
        return plain

    def _explains(self, text: str, passage: Passage) -> bool:
        """Whether it stands under an item of what is no goal and only explains that."""
        if passage.form == "item":
            self._items.add((passage.start, passage.end))
        over = passage.over[-1:]
        nested = bool(over) and over[0] in self._items
        return nested and not text[slice(*over[0])].rstrip("* _").endswith(":")

    def _labels_over(self, text: str, passage: Passage) -> Iterator[DocumentOption]:
        """The options that it, or an item it is nested in, is labelled with, innermost first."""
        if passage.form not in ("item", "task", "paragraph"):
            return
        for start, end in ((passage.start, passage.end), *reversed(passage.over)):
            label = read_option_label(strip_markup(text[start:end]))
            if label is not None and label.key in self._labelled:
                yield self._labelled[label.key]

    def _at(self, headings: Sequence[str], depth: int) -> DocumentOption | None:
        options = self._named.get(norm_text(show_heading(headings[depth])), ())
        over = norm_text(headings[depth - 1]) if depth else ""
        exact = (it for it in options if not over or norm_text(it.under) == over)
        return next(exact, options[0] if len(options) == 1 else None)

    def settle(self, draft: Draft, role: Role) -> Draft:
        """A decision for one of the options with those that were not chosen; what is praised or
        feared as a claim, where nothing is sure that it binds.
        """
        if role in ("gain", "risk") and draft.kind in _BINDING and draft.confidence < WEAK:
            return replace(draft, kind="claim", attributes={})
        if draft.kind != "decision" or role != "decision" or not (self._chosen and self._rejected):
            return draft
        names = dict.fromkeys(show_heading(it.heading) for it in self._rejected)
        return replace(draft, attributes=draft.attributes | {ALTERNATIVES: "\n".join(names)})


def _labelled_over(text: str, passage: Passage) -> Role | None:
    """«Pros:» or «Cons:» over it, as an item or an announcement, or what announces reasons."""
    for span in passage.over[-1:]:
        words = strip_markup(text[slice(*span)])
        if words.endswith(":") and _REASONS.says(words):
            return "gain"
        words = words.rstrip(": ")
        if len(words.split()) <= MAX_LABEL_WORDS and (role := role_of(words)) in ("gain", "risk"):
            return role
    return None


def propose(draft: Draft, option: DocumentOption) -> Draft:
    """``draft`` as what one of several options would be: nobody has decided or asked for it."""
    name = show_heading(option.heading)[:LONGEST].rstrip()
    kind = "claim" if draft.kind in _BINDING else draft.kind
    titled = retitle(replace(draft, scope=name, aside=False), add_scope(name, draft.own_title))
    attributes = {OPTION: name} if kind != draft.kind else draft.attributes | {OPTION: name}
    sure = min(draft.confidence, WEAK)
    return replace(titled, kind=kind, attributes=attributes, confidence=sure)
