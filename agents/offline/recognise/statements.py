"""One statement without its document: which kinds it may be, and how surely.

What is explicit in the wording decides (a label, a user story, a task given to somebody, a
normative keyword); of the rest the trained weights give each kind's probability, and the mood says
how much a requirement's and a question's count. Rules and weights err on different kinds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from agents.offline.lexicons import Wording
from agents.offline.models.weights import load_statements
from agents.offline.recognise import cues
from agents.offline.recognise.features import features_of, names_task
from agents.offline.recognise.moods import Asking, Need, find_asking, find_need
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.recognise.qualities import quality_features
from agents.offline.segment.wording import strip_markup
from schemas.linear import Weights

NOTHING = "other"
MENTIONED = 0.15  # the probability from which a second kind is named
EXPLICIT_PROBABILITY = 0.9
CALIBRATION = (
    1.2  # weights are too sure of projects they were not trained on; see agents/DECISIONS.md
)
# How much a probability counts when the label is chosen: what costs little when wrong counts more.
FAVOUR = {
    "debt": 2.0,
    "action_item": 2.2,
    "claim": 0.36,
    "decision": 0.6,
    "unknown": 0.8,
}
# The same for a requirement and for a question, by the mood in which they are said.
NEED_FAVOUR: dict[Need, float] = {
    "binds": 1.15,
    "lets": 4.0,
    "acts": 3.0,
    "foretells": 2.0,
    "describes": 0.6,
    "mentions": 0.4,
    "tells": 0.1,
    "defines": 0.0,
}
ASKING_FAVOUR: dict[Asking, float] = {
    "asks": 1.0,
    "requests": 0.0,
    "leaves open": 2.4,
    "doubts": 0.5,
    "tells": 0.25,
}
_NORMATIVE = Wording("structure", "normative")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kinds`` with the probability that each is right, the label's first."""

    kinds: tuple[tuple[str, float], ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.kinds[0][0] if self.kinds else NOTHING

    @property
    def score(self) -> float:
        return self.kinds[0][1] if self.kinds else 0.0


def classify(text: str, weights: Weights | None = None) -> Verdict:
    """What a sentence, list item or short paragraph states; nothing for ``other``."""
    weights = weights or load_statements()
    explicit = explicit_kind(text)
    probabilities = _kind_probabilities(text, weights, explicit)
    favour = _favour(text, explicit)
    label = max(sorted(probabilities), key=lambda kind: probabilities[kind] * favour.get(kind, 1.0))
    if label == NOTHING:
        return Verdict()
    second = [
        kind
        for kind in probabilities
        if kind not in (label, NOTHING) and probabilities[kind] >= MENTIONED
    ]
    ranked = [label, *sorted(second, key=lambda kind: (-probabilities[kind], kind))]
    attributes = attributes_of(text, weights) if "requirement" in ranked else {}
    return Verdict(tuple((kind, _confidence(probabilities[kind])) for kind in ranked), attributes)


def _favour(text: str, explicit: str | None) -> dict[str, float]:
    """How much each kind's probability counts; that of a normative keyword in any mood."""
    words = strip_markup(text)
    need = 1.0 if explicit else NEED_FAVOUR[find_need(words)]
    asking = FAVOUR["unknown"] * ASKING_FAVOUR[find_asking(words)]
    return FAVOUR | {"requirement": need, "unknown": asking}


def _confidence(probability: float) -> float:
    """How many statements of unseen projects were right where the weights gave this probability."""
    return round(math.pow(probability, CALIBRATION), 4)


def kind_probabilities(text: str, weights: Weights) -> dict[str, float]:
    """Each kind's probability, ``other`` among them; what is explicit takes nearly all."""
    return _kind_probabilities(text, weights, explicit_kind(text))


def _kind_probabilities(text: str, weights: Weights, explicit: str | None) -> dict[str, float]:
    probabilities = weights.probabilities(features_of(text))
    debt = probabilities.pop("debt") * FAVOUR["debt"]
    owner = "risk" if probabilities["risk"] > probabilities["action_item"] else "action_item"
    probabilities[owner] = round(min(1.0, probabilities[owner] + debt / FAVOUR.get(owner, 1.0)), 4)
    if explicit is not None:
        rest = 1.0 - EXPLICIT_PROBABILITY
        probabilities = {
            name: round(probability * rest, 4) for name, probability in probabilities.items()
        }
        probabilities[explicit] = round(probabilities[explicit] + EXPLICIT_PROBABILITY, 4)
    return probabilities


def explicit_kind(text: str) -> str | None:
    """The kind that the wording itself names."""
    words = strip_markup(text)
    if labelled := cues.find_label(words):
        return labelled.kind
    if cues.find_story(words):
        return "requirement"
    if names_task(text):
        return "action_item"
    return "requirement" if _NORMATIVE.says(text) and not text.rstrip().endswith("?") else None


def attributes_of(text: str, weights: Weights) -> dict[str, str]:
    """A requirement's type by its features of quality, its priority by the modal."""
    kind = "non_functional" if weights.non_functional(quality_features(text)) else "functional"
    return requirement_attributes(text) | {"requirement_type": kind}
