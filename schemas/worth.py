"""How early an atom is shown: one order for the sections of a document and for lists.

A second source counts little here, although it raises the confidence: two sources with the very
same statement are often two copies of one document.
"""

from __future__ import annotations

import math
import re

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.ledger import AtomRecord

_ODD = re.compile(
    r"://|\b\w+\.\w+\.\w+|[{}<>|\\=]|\b(?:e\.g|i\.e|ie|eg|etc)\.|^[^:]{1,60}:\s|^\W|#\d"
)
_BY_ORIGIN = {
    "readme": 0.1,
    "overview": 0.1,
    "architecture": 0.08,
    "doc": 0.03,
    "guide": -0.1,
    "code": -0.2,
    "manifest": -0.3,
}
_SIGNS = re.compile(r"[^\w\s]|[\d_]")
_SPEAKER = re.compile(r"\b(?:we|our|us|you|your|i|my)\b", re.IGNORECASE)
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


@bounded_cache(2 * MIB, 2)  # asked for several times as an atom comes in
def readable(title: str) -> float:
    """How well a title reads as a sentence of its own, 0 to 1."""
    words = title.split()
    signs = len(_SIGNS.findall(title))
    faults = 0.3 * (not 5 <= len(words) <= 32) + 0.2 * title.endswith("…")
    faults += 0.2 * bool(_ODD.search(title)) + 0.3 * bool(_BACKWARD.match(title))
    faults += 0.2 * (signs > 0.1 * len(title)) + 0.1 * title[:1].islower()
    faults += 0.3 * bool(_SPEAKER.search(title)) + 0.2 * bool(_TO_THE_WRITER.match(title))
    return round(max(0.0, 1.0 - faults), 6)


def worth(atom: AtomRecord) -> float:
    """The higher, the earlier an atom is shown. Preview atoms come from first-tier sources."""
    doubt_of_one_source = math.pow(1.0 - atom.confidence, 1.0 / max(atom.source_count, 1))
    score = 1.0 - doubt_of_one_source + 0.15 * (atom.verified_by is not None)
    score += 0.15 * (atom.status == "active")
    score += 0.03 * min(max(atom.source_count - 1, 0), 3)
    score += 0.02 * min(max(atom.direct_evidence_count - 1, 0), 2)
    score += 0.05 * (atom.first_provenance.lane == "preview")
    score += _BY_ORIGIN.get(atom.attributes.get("origin", ""), 0.0)
    score += 0.3 * (1.0 if atom.kind == "entity" else readable(atom.title))
    return round(score, 6)
