"""A draft of what a passage states by its form: what is sure of its place, and not of its words."""

from __future__ import annotations

import re

from agents.offline.judge.features import mark_place
from agents.offline.recognise.cues import FORMED, polarity_of
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.impact import burden_of, impact_of, severity_of
from agents.offline.recognise.needs import find_requirement, requirement_attributes
from agents.offline.resolve.drafts import Draft, add_scope, tags_of
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Span
from agents.offline.segment.sections import Role, bare_name, role_of
from agents.offline.segment.wording import body_of, capitalise, lower_first
from schemas.areas import main_area
from schemas.events.atom import AtomKind

_NAMED = re.compile(r"[A-Z][\w'’-]* (?:[A-Z(]|v?\d)|[A-Z][\w-]*[A-Z]|(?:[A-Z]\w+)(?:['’]s|’)\b")
FEWEST_WORDS = 3  # of a title


def is_glossary(setting: Setting) -> bool:
    """Whether the document explains words, most of them of the field."""
    return role_of(setting.name) == "terms"


def lower_told(text: str) -> str:
    """``text`` as it stands after a label; a name of several words keeps its capital."""
    return text if _NAMED.match(text) else lower_first(text)


def make_formed(
    setting: Setting,
    passage: Passage,
    role: Role,
    kind: AtomKind,
    title: str,
    text: str,
    spans: tuple[Span, ...],
    scope: str = "",
) -> Draft | None:
    """A draft titled ``title``, in front of it ``scope`` where that is no part of it; None where
    there is too little of it.
    """
    if spans[0][1] - spans[0][0] < MIN_EVIDENCE_CHARS or len(title.split()) < FEWEST_WORDS:
        return None
    impact = (impact_of(text) or burden_of(text)) if kind == "risk" else None
    if kind == "claim" and find_requirement(text, named=True):
        kind = "requirement"
    name = bare_name(scope) if scope else ""
    if name and name in title:
        name = ""
    scoped = add_scope(capitalise(name), capitalise(title), aside=True)
    given: dict[str, str] = {}
    if kind == "requirement":
        given = requirement_attributes(text)
    elif kind == "unknown":
        given = {"question": title}
    made = Draft(
        kind=kind,
        title=scoped,
        body=body_of(text),
        confidence=FORMED,
        spans=spans,
        area=main_area(" ".join((text, *passage.headings[-3:])), "scope"),
        polarity=None if kind == "unknown" else polarity_of(title),
        severity=(severity_of(text) or "low") if kind == "risk" else None,
        impact=impact or None,
        tags=tags_of(text, ()),
        attributes=given,
        entities=tuple(names_in(text, text)),
        scope=capitalise(name),
        aside=bool(name),
    )
    return mark_place(made, setting, passage, role, 0, led=passage.lead is not None)
