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

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.atom import ABOUT, DOCUMENT_STATUS, ORIGIN
from schemas.events.ledger import AtomRecord

_ODD = re.compile(
    r"://|\b\w+\.\w+\.\w+|[{}<>|\\=]|\b(?:e\.g|i\.e|ie|eg|etc)\.|^[^:]{1,60}:\s|^\W|#\d"
)
BY_ORIGIN = {
    "readme": 0.2,
    "overview": 0.2,
    "product": 0.1,
    "record": 0.1,
    "plan": 0.06,
    "architecture": 0.05,
    "doc": 0.02,
    "talk": 0.0,
    "part": -0.1,
    "guide": -0.1,
    "article": -0.12,
    "reference": -0.15,
    "development": -0.2,
    "code": -0.3,
    "past": -0.3,
    "changelog": -0.3,
    "manual": -0.3,
    "legal": -0.35,
    "translation": -0.35,
    "agent": -0.4,
    "foreign": -0.4,
    "manifest": -0.6,
}
UNTOLD = "doc"  # what an atom counts as that no reader gave an origin
_BY_ABOUT = {"project": 0.15, "part": 0.04}
_BY_KIND = {
    "decision": 0.06,
    "domain_signal": 0.04,
    "claim": 0.02,
    "risk": 0.02,
    "unknown": -0.08,
    "action_item": -0.2,
    "entity": -0.25,
}
_BY_STATUS = {"proposed": -0.06, "rejected": -0.6, "superseded": -0.6}
SURE = 0.6  # the confidence from which a draft lacks no more than a second row
DOUBTED = -0.35
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
_CODE = re.compile(
    r"(?<![\w-])--?[a-z][\w-]+|\b\w+_\w+|\b[a-z]+[A-Z]\w*|\w\(\)|\b\w+/\w+/\w+|"
    r"\b[\w/]+\.[a-z]{1,4}\b|"
    r"\bv?\d+\.\d+\.\d+|[\w.]+::\w+|@[\w-]+/|\b(?:GET|POST|PUT|DELETE|PATCH) /"
)
_INNER = re.compile(
    r"\b(?:fields?|parameters?|flags?|arguments?|endpoints?|headers?|columns?|attributes?|"
    r"propert(?:y|ies)|defaults?|return(?:s|ed)?|functions?|methods?|class(?:es)?|structs?|enums?|"
    r"callbacks?|variables?|director(?:y|ies)|folders?|paths?|strings?|integers?|boolean|null|"
    r"payloads?|schemas?|imports?|commits?|branch(?:es)?|pull requests?|linters?|"
    r"click(?:s|ed|ing)?|buttons?|tabs?|menus?|dialogs?|checkbox(?:es)?|commands?|scripts?|"
    r"binar(?:y|ies)|macros?|traits?|crates?|hooks?|json|yaml|toml|regex|slugs?|ids?|urls?|uris?|"
    r"query|queries|tables?|rows?|locks?|mutex|threads?|structures?|certificates?|metadata|"
    r"manifests?|namespaces?|pods?|controllers?|subcommands?|timestamps?|bytes?|spec)\b",
    re.IGNORECASE,
)
_NARROW = re.compile(
    r"^(?:when|if|once|while|after|before|in case|during|to|for example|by default|under|on)\b|"
    r"\b(?:in this case|for example|for instance|as shown|see also|below|above|following)\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:designed|intended|built|made|meant|created|aims?) (?:to|for|as|at|with)\b|"
    r"\b(?:goals?|mission|purpose|vision|customers?|users?|teams?|organi[sz]ations?|businesses|"
    r"companies|people|developers|operators|administrators|audience|open[- ]source|self-hosted|"
    r"platform|product|free|pricing|plans?|security|privacy|compliance|accessib\w+)\b|"
    r"\b(?:provides?|offers?|lets?|allows?|enables?|helps?|supports?|integrates?|replaces?)\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(r"^(?:An? |The )?[A-Z][\w.+-]*(?: [\w.+-]+){0,3} (?:is|are) (?:an?|the) ")


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


@bounded_cache(2 * MIB, 2)
def general(statement: str) -> float:
    """How far it speaks of what the product is and does rather than of a detail inside, -1 to 1."""
    inner = min(len(_CODE.findall(statement)) * 0.35 + len(_INNER.findall(statement)) * 0.2, 1.0)
    narrow = 0.25 * bool(_NARROW.search(statement))
    told = min(len(_OF_ALL.findall(statement)) * 0.3, 0.6)
    return round(max(-1.0, told - inner - narrow), 6)


def keep_best_role(known: dict[str, str], told: dict[str, str]) -> dict[str, str]:
    """``known`` attributes with the best role and subject of both: whichever came first."""
    best = {
        ORIGIN: max((known, told), key=_rank_origin).get(ORIGIN),
        ABOUT: max((known, told), key=lambda it: _BY_ABOUT.get(it.get(ABOUT, ""), 0.0)).get(ABOUT),
    }
    return known | {name: value for name, value in best.items() if value is not None}


def _rank_origin(attributes: dict[str, str]) -> tuple[bool, float, str]:
    origin = attributes.get(ORIGIN, "")
    return origin != "", BY_ORIGIN.get(origin, 0.0), origin


def worth(atom: AtomRecord) -> float:
    """The higher, the earlier an atom is shown. Preview atoms come from first-tier sources."""
    doubt_of_one_source = math.pow(1.0 - atom.confidence, 1.0 / max(atom.source_count, 1))
    score = 1.0 - doubt_of_one_source + 0.15 * (atom.verified_by is not None)
    score += 0.03 * min(max(atom.source_count - 1, 0), 3)
    score += 0.02 * min(max(atom.direct_evidence_count - 1, 0), 2)
    score += _standing(atom) + _said_by(atom)
    score += _BY_KIND.get(atom.kind, 0.0)
    score += 0.3 * (1.0 if atom.kind == "entity" else readable(atom.title))
    score += 0.2 * general(atom.statement)
    return round(score, 6)


def _standing(atom: AtomRecord) -> float:
    """What is sure counts most, then what lacks a second row, then what is doubted."""
    stands = _BY_STATUS.get(atom.attributes.get(DOCUMENT_STATUS, ""), 0.0)
    if atom.status == "active":
        return stands + 0.1
    return stands + (0.0 if atom.confidence >= SURE else DOUBTED)


def _said_by(atom: AtomRecord) -> float:
    origin, about = atom.attributes.get(ORIGIN, UNTOLD), atom.attributes.get(ABOUT, "")
    elsewhere = atom.kind == "claim" and not about and bool(_DEFINES.match(atom.statement))
    return BY_ORIGIN.get(origin, 0.0) + _BY_ABOUT.get(about, 0.0) - 0.06 * elsewhere
