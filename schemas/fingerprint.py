"""The identity of an atom's meaning, the same for wordings that differ in case, blanks or
punctuation.

Punctuation inside numbers counts (``1.5 s`` is not ``15 s``): losing a difference is worse than
keeping a duplicate.
"""

from __future__ import annotations

import functools
import json
import unicodedata
from collections.abc import Iterable

from schemas.bounded_cache import MIB, bounded_cache
from schemas.ids import sha256_hex

FINGERPRINT_VERSION = 1
EXTRA_PUNCTUATION = frozenset("`^~|")
INSIDE_NUMBERS = frozenset(".,:/-")


@functools.cache
def _is_punctuation(char: str) -> bool:
    return char in EXTRA_PUNCTUATION or unicodedata.category(char).startswith("P")


def _carries_meaning(text: str, at: int) -> bool:
    """Whether the punctuation at ``at`` carries meaning; neighbours are those in ``text``."""
    char = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if char in INSIDE_NUMBERS and before.isdigit() and after.isdigit():
        return True
    if char == "%":
        return before.isdigit()
    if char == "-":
        opens_word = not before or before.isspace() or unicodedata.category(before) in ("Ps", "Pi")
        return opens_word and after.isdigit()
    if char == "#":
        return before.isalpha() and not after.isalnum()
    return False


@bounded_cache(8 * MIB, 4)  # without it the ledger takes a third longer: it asks for texts again
def norm_text(text: str) -> str:
    """``text`` without case, spacing and punctuation without meaning. Idempotent on prose."""
    folded = unicodedata.normalize("NFKC", text).lower()
    kept = [
        char
        for at, char in enumerate(folded)
        if not _is_punctuation(char) or _carries_meaning(folded, at)
    ]
    return " ".join("".join(kept).split())


def canonical_json(
    kind: str,
    title: str,
    body: str,
    polarity: str | None = None,
    severity: str | None = None,
    impact: str | None = None,
    tags: Iterable[str] = (),
) -> str:
    """What the fingerprint is taken of: exactly these seven keys, normalised, tags sorted."""
    fields = {"kind": kind, "title": title, "body": body, "polarity": polarity}
    fields |= {"severity": severity, "impact": impact}
    canonical: dict[str, object] = {key: norm_text(value or "") for key, value in fields.items()}
    canonical["tags"] = sorted(norm_text(tag) for tag in tags)
    return json.dumps(canonical, sort_keys=True)


def atom_fingerprint(
    kind: str,
    title: str,
    body: str,
    polarity: str | None = None,
    severity: str | None = None,
    impact: str | None = None,
    tags: Iterable[str] = (),
) -> str:
    """Lowercase hex SHA-256 of the canonical JSON."""
    return sha256_hex(canonical_json(kind, title, body, polarity, severity, impact, tags))
