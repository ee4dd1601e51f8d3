"""What the words of a sentence make of it, by rule."""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise import cues
from agents.offline.recognise.claims import exclusive, find_claim
from agents.offline.recognise.cues import ANCHORED, MODAL, WEAK, Cue, has_number
from agents.offline.recognise.entities import names_in, starts_with_name
from agents.offline.recognise.fragments import is_order
from agents.offline.recognise.needs import find_requirement
from agents.offline.recognise.noise import (
    addresses_reader,
    instructs,
    is_chatter,
    is_truncated,
    needs_context,
    presents,
    word_set,
    words_of,
)
from agents.offline.recognise.structure import HARMLESS
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Sentence
from agents.offline.segment.sections import Role
from agents.offline.segment.wording import drop_connective

_WE = frozenset({"we", "us", "our"})
_BINDING = frozenset({"must", "should", "has", "have", "need", "needs"})
_OURS = re.compile(r"Our\b")
_LISTS = Wording("plans", "announces_list")
_SELF = Wording("plans", "this_part")
THOUGHT_OF = Wording("plans", "thought_of")
_LEFT_OPEN = Wording("plans", "left_open")
_OPEN_TO_US = load_words("plans", "open_to_us")
MENDED = Wording("plans", "mended")
_COMMAND = Wording("plans", "commands")
_NO_HARM = Wording("plans", "no_harm")
_PLANNED = Wording("plans", "planned")
_PROPOSES = Wording("plans", "proposes")
_ENABLED = Wording("plans", "enabled")
LACKING = Wording("plans", "lacking")
_AS_IT_HAPPENS = Wording("plans", "as_it_happens")
_LACKS = Wording("plans", "lacks")


def _threat(text: str, *, named: bool) -> Cue | None:
    """A risk by wording that is no order, no advice to «you» and not called harmless."""
    cue = cues.find_risk(text, named=named)
    if (
        cue is None
        or is_order(text)
        or _COMMAND.match(text)
        or "you" in word_set(text)
        or HARMLESS.says(text)
        or MENDED.match(text)
        or is_harmless(text)
    ):
        return None
    return cue


def is_harmless(text: str) -> bool:
    """Whether it only says how a failure is answered, what is bound, hoped for or left open."""
    return _NO_HARM.says(text)


def read_as_plan(setting: Setting, cue: Cue | None, text: str) -> Cue | None:
    """``cue``, where a document that deliberates tells what it is going to do as if it were so: a
    decision; and a need, where it tells what that takes.
    """
    if not setting.deliberates or (cue is not None and cue.kind != "claim"):
        return cue
    if LACKING.match(text) and (cue is not None or not needs_context(text)):
        return Cue("requirement", MODAL)
    if cue is None and _ENABLED.says(text) and not needs_context(text):
        return Cue("requirement", WEAK)
    planned = _PROPOSES.match(text) or (cue is not None and _PLANNED.match(text))
    if planned and not (
        cues.qualifies(text)
        or THOUGHT_OF.says(text)
        or needs_context(text)
        or is_truncated(text)
        or text.endswith("?")
    ):
        return Cue("decision", MODAL)
    return cue


def is_taught(setting: Setting, text: str) -> bool:
    """Whether it is a question that a handbook answers in its next sentence."""
    if not text.endswith("?") or setting.asked or setting.own_voice:
        return False
    return word_set(text).isdisjoint(_OPEN_TO_US)


def _question(setting: Setting, text: str) -> Cue | None:
    """An open question by its wording."""
    if is_taught(setting, text):
        return None
    if not text.endswith("?") and not _LEFT_OPEN.says(text):
        return None
    return cues.find_question(text, asked=setting.asked)


def _choice(setting: Setting, text: str, *, named: bool) -> Cue | None:
    """A decision by wording that tells no reader what to do.

    What is preferred to something else is a choice only where choices are made; elsewhere it says
    how the thing works.
    """
    cue = cues.find_decision(text, named=named)
    if cue is None or instructs(text) or (cue.confidence == WEAK and not setting.own_voice):
        return None
    return None if THOUGHT_OF.says(text) else cue


def find_by_words(setting: Setting, role: Role, sentence: Sentence, subject: str) -> Cue | None:
    """The cue table, for sentences that stand on their own."""
    text = drop_connective(sentence.text)
    if cue := cues.find_story(text):
        return cue
    how_to = setting.how_to or role == "how_to"
    taught = not setting.own_voice and not word_set(text).isdisjoint(_WE)
    if addresses_reader(text) or is_truncated(text):
        return None
    names = names_in(sentence.raw, text)
    if setting.own_voice and (cue := cues.find_assignment(text)):
        return cue
    if _LISTS.match(text) and not how_to:
        return Cue("claim", WEAK)
    presented = presents(text)
    if needs_context(text) and not presented:
        if not _SELF.match(text) or subject == setting.name or how_to:
            return None
        whole = _SELF.sub("The", text)
        return find_claim(whole, named_subject=False, named=True)
    named = bool(names)
    if is_chatter(text):
        return None
    if len(words_of(text)) < (4 if has_number(text) else 5):
        if how_to:
            return None
        if exclusive(text):
            return Cue("claim", ANCHORED)
        return _choice(setting, text, named=named) if len(words_of(text)) > 2 else None
    if _AS_IT_HAPPENS.says(text) and not word_set(text).isdisjoint(_BINDING):
        return None
    if setting.deliberates and _LACKS.match(text):
        return Cue("requirement", WEAK)
    strong = role not in ("gain", "risk") and bool(
        re.search(r"\b(?:must|shall|MUST|SHALL|may not exceed)\b", text)
    )
    if strong and (cue := find_requirement(text, named=named)):
        return None if how_to and cue.confidence < MODAL else cue
    if how_to:
        return None
    for cue in (
        _question(setting, text),
        cues.find_signal(text),
        None if role == "gain" else _threat(text, named=named),
        None if taught or role in ("gain", "risk") else find_requirement(text, named=named),
        None if taught else _choice(setting, text, named=named),
    ):
        if cue is not None:
            return cue
    if taught or presented:
        return None
    subject_named = starts_with_name(sentence.raw, text, names)
    neutral = _OURS.sub("The", text) if setting.own_voice else text
    cue = find_claim(neutral, named_subject=subject_named, named=named)
    return cue if cue is None or cue.confidence > WEAK or role == "plain" else None
