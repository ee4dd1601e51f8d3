"""What a list ranks or leaves out: its items are often a name alone, and mean the whole of it.

«Must: payment by card» is a need, «Valet parking» under «Out of scope» is none of the project's.
"""

from __future__ import annotations

import re

from agents.offline.judge.features import mark_place
from agents.offline.lexicons import Wording
from agents.offline.prose.forms import scope_over
from agents.offline.prose.lists import widen_quotes
from agents.offline.recognise.cues import EXPLICIT
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.resolve.drafts import Draft, add_scope, tags_of
from agents.offline.resolve.places import Place
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Span
from agents.offline.segment.priorities import Priority, find_priority, priority_of_heading
from agents.offline.segment.sections import Role
from agents.offline.segment.wording import body_of, capitalise, lower_first, strip_markup
from schemas.areas import main_area

LABELS: dict[Priority, str] = {
    "must": "Must have",
    "should": "Should have",
    "could": "Could have",
    "wont": "Won't have",
}
_BINDS = Wording("needs", "binds_ranked")
_ENDS = (":", "?", ";")
MOST_WORDS = 25
MOST_LEFT_OUT_WORDS = 6  # of a paragraph that only names what is left out


def labelled_draft(setting: Setting, passage: Passage, role: Role, place: Place) -> Draft | None:
    """What a passage says behind a label that ranks it, or calls it out of scope."""
    if passage.form not in ("paragraph", "item", "task") or setting.how_to or passage.done:
        return None
    label = find_priority(setting.text, passage.start, passage.end)
    if label is None:
        return None
    if label.stop is not None and passage.form == "paragraph":
        return None
    return _draft_of(setting, passage, role, place, label.priority, label.end, stop=label.stop)


def listed_draft(setting: Setting, passage: Passage, role: Role, place: Place) -> Draft | None:
    """What an item names under a heading, or an announcement, that ranks it or leaves it out."""
    if passage.form not in ("paragraph", "item", "task") or setting.how_to or passage.done:
        return None
    listed = passage.form != "paragraph"
    over = _words_over(setting.text, passage) if listed else passage.headings[-1:]
    ranks = (it for it in map(priority_of_heading, over) if it)
    priority: Priority | None = next(ranks, None)
    if priority is None:
        left_out = role == "non_goal" or scope_over(setting.text, passage)[0] == "out"
        short = passage.end - passage.start < MIN_EVIDENCE_CHARS
        priority = "wont" if left_out and short else None
    elif not listed:
        return None
    if priority is None:
        return None
    return _draft_of(setting, passage, role, place, priority, passage.start, excluded=True)


def is_ranked(setting: Setting, passage: Passage) -> bool:
    """Whether its list ranks it and its own words say nothing of how much it is needed."""
    if passage.form not in ("item", "task"):
        return False
    ranked = any(map(priority_of_heading, _words_over(setting.text, passage)))
    return ranked and not _BINDS.search(setting.text, passage.start, passage.end)


def _words_over(text: str, passage: Passage) -> list[str]:
    """What stands over an item: the line before its list, else its heading."""
    spans: list[Span] = [it for it in (*passage.over[-1:], passage.lead) if it]
    return [*(strip_markup(text[slice(*it)]) for it in spans), *passage.headings[-1:]]


def _draft_of(
    setting: Setting,
    passage: Passage,
    role: Role,
    place: Place,
    priority: Priority,
    begin: int,
    *,
    excluded: bool = False,
    stop: int | None = None,
) -> Draft | None:
    text = strip_markup(setting.text[begin : stop or passage.end]).strip()
    words = text.split()
    if (
        not words
        or len(words) > MOST_WORDS
        or text.endswith(_ENDS)
        or not re.search(r"\w{2}", text)
    ):
        return None
    if passage.form == "paragraph" and excluded and len(words) > MOST_LEFT_OUT_WORDS:
        return None
    title = text.rstrip(".")
    binds = _BINDS.says(text) and priority != "wont"
    name = place.whole
    if priority == "wont":
        whole = f" of «{name}»" if name else ""
        title = f"Not a goal{whole}: {lower_first(title)}"
        scope = ""
    else:
        title = capitalise(title) if binds else f"{LABELS[priority]}: {lower_first(title)}"
        scope = "" if not name or name.lower() in title.lower() else capitalise(name)
    attributes = {"scope": "out"}
    if priority != "wont":
        attributes = requirement_attributes(text) | {"priority": priority}
    names = names_in(text, text)
    made = Draft(
        kind="claim" if priority == "wont" else "requirement",
        title=add_scope(scope, title, aside=True),
        body=body_of(f"{LABELS[priority]}: {text}" if priority != "wont" else title),
        confidence=EXPLICIT,
        spans=((passage.start, passage.end),),
        area=main_area(" ".join((text, *passage.headings[-3:])), "scope"),
        polarity="negate" if priority == "wont" else "affirm",
        tags=tags_of(text, names),
        attributes=attributes,
        entities=tuple(names),
        scope=scope,
        aside=bool(scope),
    )
    return mark_place(widen_quotes(made, setting.text), setting, passage, role, 0, led=True)
