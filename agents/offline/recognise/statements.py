"""One statement without its document: which kinds it may be, and how surely.

What is explicit in the wording decides (a label, a user story, a task given to somebody, a
normative keyword); of the rest the trained weights give each kind's share, and the mood says how
much a requirement's and a question's count. Rules and weights err on different kinds.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from agents.offline.models.linear import Weights, trained
from agents.offline.recognise import cues
from agents.offline.recognise.features import named_task, signs_of
from agents.offline.recognise.moods import Asking, Need, asking_of, need_of
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.recognise.qualities import quality_signs
from agents.offline.segment.wording import plain

NOTHING = "other"
MENTIONED = 0.15  # the share from which a second kind is named
EXPLICIT_SHARE = 0.9
CALIBRATION = 1.2  # weights are too sure of projects they were not trained on; see agents/README.md
# How much a share counts when the label is chosen: what costs little when wrong counts more.
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
_NORMATIVE = re.compile(
    r"(?<![\"“'`«A-Za-z])(?:MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED|MAY)(?![A-Za-z\"”'`»])|"
    r"\bshall\b|[_*](?:must|shall|should)(?: not)?[_*]|"
    r"\b(?:is|are) (?:strongly )?(?:encouraged|discouraged|obliged)(?: not)? (?:to|from)\b|"
    r"^(?:The |An? |Each |Every |Our )?(?:\w+ ){0,2}?(?:[Ss]ystem|[Pp]roduct|[Aa]pplication|"
    r"[Ww]ebsite|[Ss]oftware|[Aa]pp)(?:'s [\w ]{3,30})? (?:will|must|should)\b"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kinds`` with the share of texts like it that are right, the label's first."""

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
    weights = weights or trained()
    explicit = explicit_kind(text)
    shares = _shares(text, weights, explicit)
    favour = _favour(text, explicit)
    label = max(sorted(shares), key=lambda kind: shares[kind] * favour.get(kind, 1.0))
    if label == NOTHING:
        return Verdict()
    second = [kind for kind in shares if kind not in (label, NOTHING) and shares[kind] >= MENTIONED]
    ranked = [label, *sorted(second, key=lambda kind: (-shares[kind], kind))]
    attributes = attributes_of(text, weights) if "requirement" in ranked else {}
    return Verdict(tuple((kind, _confidence(shares[kind])) for kind in ranked), attributes)


def _favour(text: str, explicit: str | None) -> dict[str, float]:
    """How much each kind's share counts; that of a normative keyword in any mood."""
    words = plain(text)
    need = 1.0 if explicit else NEED_FAVOUR[need_of(words)]
    asking = FAVOUR["unknown"] * ASKING_FAVOUR[asking_of(words)]
    return FAVOUR | {"requirement": need, "unknown": asking}


def _confidence(share: float) -> float:
    """The share of unseen projects' statements that were right at this share of the weights."""
    return round(math.pow(share, CALIBRATION), 4)


def shares_of(text: str, weights: Weights) -> dict[str, float]:
    """Each kind's share, ``other`` among them; what is explicit takes nearly all."""
    return _shares(text, weights, explicit_kind(text))


def _shares(text: str, weights: Weights, explicit: str | None) -> dict[str, float]:
    shares = weights.shares(signs_of(text))
    debt = shares.pop("debt") * FAVOUR["debt"]
    owner = "risk" if shares["risk"] > shares["action_item"] else "action_item"
    shares[owner] = round(min(1.0, shares[owner] + debt / FAVOUR.get(owner, 1.0)), 4)
    if explicit is not None:
        rest = 1.0 - EXPLICIT_SHARE
        shares = {name: round(share * rest, 4) for name, share in shares.items()}
        shares[explicit] = round(shares[explicit] + EXPLICIT_SHARE, 4)
    return shares


def explicit_kind(text: str) -> str | None:
    """The kind that the wording itself names."""
    words = plain(text)
    if labelled := cues.labelled(words):
        return labelled.kind
    if cues.user_story(words):
        return "requirement"
    if named_task(text):
        return "action_item"
    return "requirement" if _NORMATIVE.search(text) and not text.rstrip().endswith("?") else None


def attributes_of(text: str, weights: Weights) -> dict[str, str]:
    """A requirement's type by its signs of quality, its priority by the modal."""
    kind = "non_functional" if weights.non_functional(quality_signs(text)) else "functional"
    return requirement_attributes(text) | {"requirement_type": kind}
