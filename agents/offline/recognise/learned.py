"""What trained weights make of a sentence that neither a heading nor a rule tells.

Two models are asked. ``statements`` knows what labelled statements are, but hardly text that states
nothing worth keeping; it counts where it is nearly sure. ``placement`` knows what stands under
telling headings and what stands elsewhere in the same documents, so that its probability of a kind
is low and means much.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agents.offline.lexicons import Wording
from agents.offline.models.weights import load_placement, load_statements
from agents.offline.recognise import cues
from agents.offline.recognise.cues import ANCHORED, MODAL, WEAK, Cue
from agents.offline.recognise.features import features_of
from agents.offline.recognise.fragments import is_order
from agents.offline.recognise.impact import severity_of
from agents.offline.recognise.noise import (
    addresses_reader,
    is_chatter,
    is_pointer,
    is_truncated,
    needs_context,
    word_set,
    words_of,
)
from agents.offline.recognise.phrasing import LACKING, MENDED, THOUGHT_OF, is_harmless, is_taught
from agents.offline.recognise.statements import kind_probabilities
from agents.offline.recognise.structure import ABSENT, ADVERSE, AVERTING, HARMLESS, NEEDED, POSSIBLE
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Sentence
from agents.offline.segment.wording import drop_quoted
from schemas.events.atom import AtomKind

# From which probability on the weights alone make a kind; below it a sentence is left to the rules.
LEARNED: dict[AtomKind, float] = {
    "decision": 0.65,
    "risk": 0.65,
    "unknown": 0.6,
    "requirement": 0.7,
}
_CHOOSING = Wording("choices", "choosing")
_WEIGHED = Wording("choices", "weighed")
_SPEAKER = re.compile(r"\W*\w{1,12}:\s")
_CONDITIONAL = Wording("choices", "conditional")
_NO_ACTOR = Wording("choices", "no_actors")
_CHOSEN = Wording("choices", "chosen")
_POSSIBLE = Wording("choices", "possible")
_WISHED = Wording("choices", "wished")
_PROPOSED = Wording("choices", "proposed")
_NOTE = re.compile(r"(?:please )?note\b", re.IGNORECASE)
_DOUBT = Wording("choices", "doubted")
# The probability that authors put texts worded like it under a heading of the kind.
PLACED: dict[AtomKind, float] = {
    "decision": 0.14,
    "risk": 0.24,
    "unknown": 0.2,
    "requirement": 0.24,
}
GOAL = 0.3  # of an order, which may as well be a step
PLACED_ANYWHERE: dict[AtomKind, float] = {"risk": 0.36}


def find_by_models(setting: Setting, sentence: Sentence) -> Cue | None:
    """What the weights say of a passage's first sentence, where they are sure of it."""
    text = sentence.text
    if setting.how_to or is_truncated(text) or is_pointer(text) or is_chatter(text):
        return None
    if len(words_of(text)) < 5 or "you" in word_set(text) or addresses_reader(text):
        return None
    if is_taught(setting, text):
        return None
    leans = needs_context(text)
    cue = None if leans else _by_labels(setting, sentence)
    return cue or _by_placement(setting, text, leans=leans)


def _by_labels(setting: Setting, sentence: Sentence) -> Cue | None:
    text = sentence.text
    threatens = severity_of(text) is not None and not AVERTING.says(text)
    threatens = threatens and not MENDED.match(text)
    asked = cues.find_question(text, asked=True) is not None and not _SPEAKER.match(text)
    if not (threatens or asked or _CHOOSING.says(text)) or _CONDITIONAL.match(text):
        return None  # cheap to see, and nearly all that the weights would be sure of
    probabilities = kind_probabilities(sentence.raw, load_statements())
    kind = max(LEARNED, key=lambda kind: probabilities[kind])
    if kind == "risk" and (not threatens or is_order(text) or not _endangers(setting, text)):
        return None
    if asked != (kind == "unknown"):
        return None
    if kind == "decision" and not (setting.deliberates and _is_choice(text)):
        return None
    if kind == "requirement" and not NEEDED.says(drop_quoted(text)):
        return None
    sure = probabilities[kind]
    if sure < LEARNED[kind]:
        return None
    return Cue(kind, ANCHORED if sure >= 0.9 else MODAL if sure >= 0.75 else WEAK)


def _endangers(setting: Setting, text: str) -> bool:
    """Whether it says that something of weight may or does go wrong.

    Small troubles are told of as risks by those who weigh what they do, by others as behaviour.
    """
    if severity_of(text) == "low" and not setting.own_voice:
        return False
    return POSSIBLE.says(text) and not ABSENT.match(text)


def _by_placement(setting: Setting, text: str, *, leans: bool) -> Cue | None:
    if setting.talk or _SPEAKER.match(text):
        return None
    bounds = PLACED if setting.deliberates else PLACED_ANYWHERE
    fitting = {kind for kind in bounds if _FITTING[kind](text)}
    if leans:
        fitting &= {"risk"} if _PROPOSED.match(text) else set()
    if not fitting:
        return None  # cheaper to see than the probabilities
    if is_order(text):
        bounds = {**bounds, "requirement": GOAL}
    probabilities = load_placement().probabilities(features_of(text))
    kind = max(bounds, key=lambda kind: probabilities[kind] / bounds[kind])
    if kind not in fitting or probabilities[kind] < bounds[kind]:
        return None
    return Cue(kind, WEAK, fragment=setting.deliberates and kind in ("risk", "requirement"))


def _is_choice(text: str) -> bool:
    """Whether somebody chooses, rather than weighs, tells what is or speaks of something else."""
    return _CHOSEN.says(text) and not (
        _WEIGHED.says(text)
        or _NO_ACTOR.match(text)
        or THOUGHT_OF.says(text)
        or cues.qualifies(text)
        or cues.tells_what_is(text)
        or LACKING.match(text)
        or _POSSIBLE.says(text)
    )


def _may_endanger(text: str) -> bool:
    return ADVERSE.says(text) and not (
        is_order(text)
        or _WISHED.says(text)
        or AVERTING.says(text)
        or HARMLESS.says(text)
        or ABSENT.match(text)
        or MENDED.match(text)
        or LACKING.match(text)
        or is_harmless(text)
    )


def _may_be_open(text: str) -> bool:
    if text.endswith("?"):
        return cues.find_question(text, asked=True) is not None
    return _DOUBT.says(text)


def _may_be_needed(text: str) -> bool:
    wanted = is_order(text) or NEEDED.search(drop_quoted(text))
    return bool(wanted) and not text.endswith("?")


def _may_be_chosen(text: str) -> bool:
    return _is_choice(text) and not (text.endswith("?") or is_order(text) or _NOTE.match(text))


_FITTING: dict[AtomKind, Callable[[str], bool]] = {
    "decision": _may_be_chosen,
    "risk": _may_endanger,
    "unknown": _may_be_open,
    "requirement": _may_be_needed,
}
