"""A scenario as one requirement: what is given and done is its condition, the rest its outcome."""

from __future__ import annotations

import re

from agents.offline.judge.features import mark_place
from agents.offline.prose.formed import lower_told
from agents.offline.recognise.cues import EXPLICIT, polarity_of
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.resolve.drafts import Draft, add_scope, tags_of
from agents.offline.resolve.places import Place
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Passage
from agents.offline.segment.sections import Role
from agents.offline.segment.wording import body_of, capitalise, strip_markup
from schemas.areas import main_area
from schemas.events.atom import MAX_TITLE

_PLACEHOLDER = re.compile(r"<([^<>\n]{1,60})>")  # of a scenario's outline
_BLANKS = re.compile(r"[ \t]{2,}")
_STATING = frozenset({"plain", "requirement", "story", "decision", "terms"})


def scenario_draft(setting: Setting, passage: Passage, role: Role, place: Place) -> Draft | None:
    """The requirement that a scenario states; none in a guide or among what is left out."""
    if role not in _STATING or setting.how_to:
        return None
    steps = [(word, _plain(step)) for word, step in passage.cells]
    title = next((step for word, step in steps if word == "scenario"), "")
    own_steps = [it for it in steps if it[0] not in ("scenario", "examples") and it[1]]
    if not own_steps:
        return None
    examples = "; ".join(step for word, step in steps if word == "examples" and step)
    whole = _tell(own_steps)
    name = place.whole
    text = whole if len(whole) + len(name) + 2 <= MAX_TITLE else _tell(_without_given(own_steps))
    text = capitalise(text)
    scope = "" if not name or name.lower() in text.lower() else capitalise(name)
    body = body_of(
        f"{title.rstrip('.')}: {whole}" if title else capitalise(whole),
        f"Examples: {examples}" if examples else "",
    )
    outcome = _tell(own_steps[_first_outcome(own_steps) :])
    names = names_in(whole, whole)
    made = Draft(
        kind="requirement",
        title=add_scope(scope, text),
        body=body,
        confidence=EXPLICIT,
        spans=((passage.start, passage.end),),
        area=main_area(" ".join((whole, *passage.headings[-3:])), "scope"),
        polarity=polarity_of(outcome),
        tags=tags_of(whole, names),
        attributes=requirement_attributes(outcome),
        entities=tuple(names),
        scope=scope,
    )
    return mark_place(made, setting, passage, role, 0, led=False)


def _plain(text: str) -> str:
    """A step without markup; a placeholder of an outline keeps its name."""
    kept = _PLACEHOLDER.sub(r"\1", text.replace('"""', " "))
    return _BLANKS.sub(" ", strip_markup(kept)).strip(" ,;\\")


def _tell(steps: list[tuple[str, str]]) -> str:
    """The steps as one sentence."""
    return ", ".join(f"{word} {lower_told(step).rstrip('.')}" for word, step in steps)


def _first_outcome(steps: list[tuple[str, str]]) -> int:
    return next((at for at, (word, _) in enumerate(steps) if word == "then"), 0)


def _without_given(steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The steps from «when» on: a title has no room for more."""
    begin = next((at for at, (word, _) in enumerate(steps) if word == "when"), 0)
    return steps[begin:]
