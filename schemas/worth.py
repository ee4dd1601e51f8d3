"""How early an atom is shown: one order for the sections of a document and for lists.

What is sure comes before drafts. Then counts who speaks (a README before a guide, a guide before a
comment in code), of what (the product before a part, a part before an internal detail or somebody
else's product), whether the sentence stands alone, and how many documents agree. A second source
counts little, although it raises the confidence: two sources with the very same statement are often
two copies of one document.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.atom import ABOUT, ATTRIBUTION, DOCUMENT_STATUS, ORIGIN
from schemas.events.ledger import AtomRecord
from schemas.generality import general

_ODD = re.compile(
    r"://|\b\w+\.\w+\.\w+|[{}<>|\\=]|\b(?:e\.g|i\.e|ie|eg|etc)\.|^[^:]{1,60}:\s|^\W|#\d"
)
BY_ORIGIN = {
    "readme": 0.2,
    "overview": 0.2,
    "product": 0.1,
    "record": 0.14,
    "plan": 0.08,
    "architecture": 0.05,
    "doc": 0.02,
    "talk": 0.0,
    "minutes": 0.0,
    "research": 0.05,
    "part": -0.1,
    "guide": -0.1,
    "article": -0.12,
    "reference": -0.15,
    "development": -0.2,
    "code": -0.3,
    "past": -0.3,
    "changelog": -0.3,
    "legal": -0.35,
    "translation": -0.35,
    "agent": -0.4,
    "foreign": -0.4,
    "manifest": -0.6,
}
INTRODUCING = ("readme", "overview")
DELIBERATING = (
    "record",
    "plan",
    "minutes",
)  # what they tell beside decisions and needs is how it came to them
UNTOLD = "doc"  # what an atom counts as that no reader gave an origin
_BY_ABOUT = {"project": 0.2, "part": 0.05}
_BY_KIND = {
    "decision": 0.06,
    "claim": 0.02,
    "risk": 0.02,
    "unknown": -0.08,
    "action_item": -0.2,
    "entity": -0.35,
}
_BY_STATUS = {"proposed": -0.06, "rejected": -0.6, "superseded": -0.6}
DISOWNED = -0.4  # of what its author reports, doubts or tells of others
SURE = 0.6  # the confidence from which a draft lacks no more than a second row
UNCONFIRMED = -0.1
DOUBTED = -0.25
_SIGNS = re.compile(r"[^\w\s]|[\d_]")
_SPEAKER = re.compile(r"\b(?:you|your|i|my)\b", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)
_BACKWARD = re.compile(
    r"^(?:it|this|that|these|those|they|he|she|here|there|also|such|but|and|or|so|namely|because|"
    r"now|as|thus|in some cases|in (?:this|that|these|those)|all in all|ideally|for (?:this|that|"
    r"these|those)|the (?:first|second|last|next|final|former|latter|\d+\w\w)|an? (?:rfc|adr)|"
    r"(?:can|could|does|is|should|will|would) (?:it|this|that|these|those|they))\b",
    re.IGNORECASE,
)
_TO_THE_WRITER = re.compile(
    r"^(?:explain|describe|clarify|elaborate|mention|(?:brief )?descriptions? of)\b", re.IGNORECASE
)
_DEFINES = re.compile(
    r"^(?:An? |The )?[A-Z][\w./+-]*(?: [\w./+-]+){0,3} (?:is|are) (?:an?|the|when|usually|often) "
)
_OBLIGES = re.compile(
    r"\b(?:must|shall|should|needs?|requires?|required|can(?:no|')t|can not|only|at (?:least|most)|"
    r"no more than|never|always|ha(?:s|ve) to|not allowed|be able to)\b",
    re.IGNORECASE,
)


@bounded_cache(2 * MIB, 2)  # asked for several times as an atom comes in
def readable(title: str) -> float:
    """How well a title reads as a sentence of its own, 0 to 1."""
    words = title.split()
    signs = len(_SIGNS.findall(title))
    faults = 0.3 * (not 5 <= len(words) <= 32) + 0.2 * title.endswith("…")
    faults += 0.2 * bool(_ODD.search(title)) + 0.3 * bool(_BACKWARD.match(title))
    faults += 0.2 * (signs > 0.1 * len(title)) + 0.1 * title[:1].islower()
    faults += 0.3 * bool(_SPEAKER.search(title)) + 0.2 * bool(_TO_THE_WRITER.match(title))
    faults += 0.1 * bool(_WE.search(title))
    return round(max(0.0, 1.0 - faults), 6)


def keep_best_role(earlier: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """``earlier`` attributes with the best role and subject of both: whichever came first."""
    best = {
        ORIGIN: max((earlier, new), key=_rank_origin).get(ORIGIN),
        ABOUT: max((earlier, new), key=lambda it: _BY_ABOUT.get(it.get(ABOUT, ""), 0.0)).get(ABOUT),
    }
    return earlier | {name: value for name, value in best.items() if value is not None}


def best_origin(origins: Iterable[str]) -> str:
    """The one that speaks most for the project; nothing where there is none."""
    return max(origins, key=lambda it: _rank_origin({ORIGIN: it}), default="")


def _rank_origin(attributes: dict[str, str]) -> tuple[bool, float, str]:
    origin = attributes.get(ORIGIN, "")
    return origin != "", BY_ORIGIN.get(origin, 0.0), origin


def worth(atom: AtomRecord) -> float:
    """The higher, the earlier an atom is shown. Preview atoms come from first-tier sources."""
    doubt_of_one_source = math.pow(1.0 - atom.confidence, 1.0 / max(atom.source_count, 1))
    score = 0.5 * (1.0 - doubt_of_one_source) + 0.15 * (atom.verified_by is not None)
    score += 0.03 * min(max(atom.source_count - 1, 0), 3)
    score += 0.02 * min(max(atom.direct_evidence_count - 1, 0), 2)
    score += _standing(atom) + _said_by(atom)
    score += _BY_KIND.get(atom.kind, 0.0) - 0.1 * _is_told_as_other(atom)
    score += 0.3 * (1.0 if atom.kind == "entity" else readable(atom.title))
    score += 0.3 * general(atom.statement)
    return round(score, 6)


def _standing(atom: AtomRecord) -> float:
    """What is sure counts most, then what lacks a second row, then what is doubted."""
    stands = _BY_STATUS.get(atom.attributes.get(DOCUMENT_STATUS, ""), 0.0)
    stands += DISOWNED * (ATTRIBUTION in atom.attributes and atom.kind != "unknown")
    if atom.status == "active":
        return stands
    return stands + (UNCONFIRMED if atom.confidence >= SURE else DOUBTED)


def _is_told_as_other(atom: AtomRecord) -> bool:
    """Whether a doubted need or decision does not sound like one: its kind is likely wrong."""
    if atom.confidence >= SURE or atom.kind not in ("requirement", "decision"):
        return False
    if atom.kind == "decision":
        return bool(_DEFINES.match(atom.statement))
    return not _OBLIGES.search(atom.statement)


def _said_by(atom: AtomRecord) -> float:
    origin, about = atom.attributes.get(ORIGIN, UNTOLD), atom.attributes.get(ABOUT, "")
    beside = 0.08 * (origin in DELIBERATING and atom.kind in ("claim", "domain_signal"))
    introduces = about == "project" and origin in INTRODUCING
    elsewhere = not about and bool(_DEFINES.match(atom.statement))
    return (
        BY_ORIGIN.get(origin, 0.0)
        + _BY_ABOUT.get(about, 0.0)
        + 0.15 * introduces
        - 0.12 * elsewhere
        - beside
    )
