"""What a meeting concluded: the rest of its minutes is talk."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from agents.offline.lexicons import Wording
from agents.offline.prose.formed import make_formed
from agents.offline.recognise.fragments import has_verb
from agents.offline.resolve.drafts import Draft
from agents.offline.resolve.places import Place
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Passage, Sentence
from agents.offline.segment.sections import Role, simplify

_MINUTES = Wording("forms", "minutes")
_ADDRESSED = Wording("forms", "addressed")
_CONCLUDES = Wording("forms", "concludes")
_CONCLUDED = Wording("forms", "concluded")
_CONCLUDING = Wording("forms", "concluding")
_RULES = Wording("forms", "rules")
FEWEST_TOLD = 4  # words of a conclusion


def is_of_one_voice(text: str) -> bool:
    """Whether somebody is named in front of it: «Anna, we should …», «Anna (@anna) not now»."""
    return _ADDRESSED.match(text) is not None


@functools.lru_cache(maxsize=256)
def is_of_meeting(headings: tuple[str, ...]) -> bool:
    """Whether it tells what was said at a meeting."""
    return any(_MINUTES.match(simplify(it)) for it in headings)


def keep_concluded(
    setting: Setting,
    passage: Passage,
    role: Role,
    sentences: Sequence[Sentence],
    drafts: Sequence[Draft],
    place: Place,
) -> list[Draft]:
    """Of the drafts of a passage of minutes those that were concluded, and what else was."""
    texts = {it.span: it.text for it in sentences}
    kept = [it for it in drafts if _is_concluded(it, role, texts.get(it.spans[0], it.statement))]
    return [*kept, *_conclusions(setting, passage, role, sentences, drafts, place)]


def _conclusions(
    setting: Setting,
    passage: Passage,
    role: Role,
    sentences: Sequence[Sentence],
    drafts: Sequence[Draft],
    place: Place,
) -> Iterator[Draft]:
    """What a meeting concluded by its sentences that nothing was found in."""
    spans = {it.spans[0] for it in drafts}
    over = bool(passage.headings) and _CONCLUDING.match(simplify(passage.headings[-1])) is not None
    for sentence in sentences:
        text = sentence.text
        if sentence.span in spans or passage.done or text.endswith((":", "?")):
            continue
        if passage.form == "heading" or is_of_one_voice(text):
            continue
        concludes = over and has_verb(text) and passage.form in ("item", "paragraph")
        if (concludes or _CONCLUDED.says(text)) and len(text.split()) > FEWEST_TOLD:
            scope = place.part or place.whole
            made = make_formed(
                setting, passage, role, "decision", text, text, (sentence.span,), scope
            )
            yield from filter(None, (made,))


def _is_concluded(draft: Draft, role: Role, text: str) -> bool:
    """Whether ``text``, its sentence, is what a meeting concluded, not what somebody said there."""
    if is_of_one_voice(text):
        return False
    if draft.kind in ("action_item", "decision", "entity"):
        return True
    if draft.kind == "unknown" and not draft.title.endswith("?"):
        return True
    is_statement = role in ("decision", "action_item", "unknown", "risk", "requirement")
    if is_statement or _CONCLUDES.says(draft.statement):
        return True
    return draft.kind in ("claim", "requirement") and _RULES.match(text) is not None
