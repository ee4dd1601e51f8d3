"""Footnotes that hold a figure and no sentence: they belong to the sentence that has their mark.

«The tank must hold the water of a day.[^1]» with «[^1]: 4,200 litres.» is told with its figure in
brackets, and cites both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from agents.offline.resolve.drafts import Draft
from agents.offline.segment.marks import ONLY_REFERS
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Span
from agents.offline.segment.wording import body_of, strip_markup
from schemas.events.atom import MAX_TITLE

_NOTE = re.compile(
    r"^[ \t]*(?:\[\^(?P<name>[^\]\n]{1,60})\]:|\.\. \[(?P<rst>#?\w{1,30})\])[ \t]+(?P<said>\S.*)$",
    re.MULTILINE,
)
_MARK = re.compile(r"\[\^(?P<name>[^\]\n]{1,60})\]|\[(?P<rst>#?\w{1,30})\]_")
_BEHIND = re.compile(r"(?:[.,;:!?]|\[\^[^\]\n]{1,60}\]|[ ]?\[#?\w{1,30}\]_)+")
_FIGURE = re.compile(r"\d")
MOST_CHARS = 120  # of a note that only completes a sentence
MOST_NOTES = 2  # of one sentence


def add_notes(drafts: list[Draft], text: str) -> list[Draft]:
    """``drafts`` of ``text`` with what their footnotes add to them."""
    if "[^" not in text and ".. [" not in text:
        return drafts
    notes = {
        it["name"] or it["rst"]: it.span()
        for it in _NOTE.finditer(text)
        if _completes(it["said"]) and not any(_lies_in(draft, it.span()) for draft in drafts)
    }
    return [_add(it, text, notes) for it in drafts] if notes else drafts


def _completes(text: str) -> bool:
    """Whether a note says how much, and does not only refer to something."""
    is_short = len(text) <= MOST_CHARS and _FIGURE.search(text) is not None
    return is_short and not ONLY_REFERS.says(text)


def _lies_in(draft: Draft, note: Span) -> bool:
    start, end = draft.spans[0]
    return draft.kind != "entity" and start < note[1] and note[0] < end


def _add(draft: Draft, text: str, notes: Mapping[str, Span]) -> Draft:
    start, end = draft.spans[0]
    behind = _BEHIND.match(text, end)
    marks = _MARK.finditer(text, start, behind.end() if behind else end)
    names = dict.fromkeys(it["name"] or it["rst"] for it in marks)
    note_spans = [notes[it] for it in names if it in notes][:MOST_NOTES]
    if not note_spans or draft.kind == "entity":
        return draft
    note = "; ".join(_read(text, it) for it in note_spans)
    title = f"{draft.first} ({note})"
    if draft.sequel or len(title) > MAX_TITLE:
        title = draft.title
    return replace(
        draft,
        title=title,
        body=body_of(f"{draft.body.rstrip('.')} ({note})."),
        frames=(*draft.frames, *(_widen(text, it) for it in note_spans)),
    )


def _read(text: str, note: Span) -> str:
    match = _NOTE.match(text, *note)
    return strip_markup(match["said"]).rstrip(" .;") if match else ""


def _widen(text: str, note: Span) -> Span:
    """``note`` with the lines before it, where it is too short to be cited."""
    start, end = note
    while end - start < MIN_EVIDENCE_CHARS and text[:start].strip():
        start = text.rfind("\n", 0, len(text[:start].rstrip())) + 1
    return start, end
