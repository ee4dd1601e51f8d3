"""Which side of a contradiction is to be believed, as a suggestion to the person who decides.

What a person has verified stands above an accepted decision, that above all else; of equal
standing the later one counts. Nothing is resolved by it (spec 03 §5).
"""

from __future__ import annotations

from schemas.events.ledger import AtomRecord

SUGGESTED = "; suggested: "
_REASONS = ("said by a document", "an accepted decision", "verified by a person")


def with_suggestion(explanation: str, one: AtomRecord, other: AtomRecord) -> str:
    """The explanation with the side to be believed, if one is; an older suggestion is dropped."""
    plain = explanation.split(SUGGESTED)[0]
    if (_standing(one), one.first_seen_at) == (_standing(other), other.first_seen_at):
        return plain
    best = max(one, other, key=lambda atom: (_standing(atom), atom.first_seen_at))
    later = _standing(one) == _standing(other)
    reason = "the later of two of equal standing" if later else _REASONS[_standing(best)]
    return f"{plain}{SUGGESTED}«{best.title}», {reason}"


def _standing(atom: AtomRecord) -> int:
    if atom.verified_by:
        return 2
    return int(atom.kind == "decision" and atom.status == "active")
