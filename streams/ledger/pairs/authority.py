"""Which side of a contradiction is to be believed, as a suggestion to the person who decides.

What a person has verified stands above an accepted decision, that above all else. Of equal standing
the newer one counts: the record with the higher number in a series, else what was said at a later
time, else what stands further down in the same source. Nothing is resolved by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schemas.events.ledger import AtomRecord, EvidenceRow
from streams.lexicons import Wording

SUGGESTED = "; suggested: "
MAX_ROWS = 64  # of an atom, to look at where it stands
_REASONS = ("said by a document", "an accepted decision", "verified by a person")
_NUMBERED = Wording("ledger", "numbered_record")
_RECORD_SECTIONS = frozenset({"consequences", "context", "decision", "decision outcome", "status"})
Rows = Sequence[EvidenceRow]
Judge = Callable[[AtomRecord, AtomRecord, Rows, Rows], int]


def with_suggestion(
    explanation: str,
    one: AtomRecord,
    other: AtomRecord,
    rows_of: Callable[[str], Rows],
) -> str:
    """The explanation with the side to be believed, if one is; an older suggestion is dropped."""
    plain = explanation.split(SUGGESTED)[0]
    if standing := _rank_standing(one) - _rank_standing(other):
        best = one if standing > 0 else other
        return f"{plain}{SUGGESTED}«{best.title}», {_REASONS[_rank_standing(best)]}"
    few = max(one.evidence_count, other.evidence_count) <= MAX_ROWS
    rows = [rows_of(atom.atom_id) if few else [] for atom in (one, other)]
    for judge, reason in _NEWER:
        if newer := judge(one, other, rows[0], rows[1]):
            return f"{plain}{SUGGESTED}«{(one if newer > 0 else other).title}», {reason}"
    return plain


def _rank_standing(atom: AtomRecord) -> int:
    if atom.verified_by:
        return 2
    return int(atom.kind == "decision" and atom.status == "active")


def _by_number(one: AtomRecord, other: AtomRecord, ours: Rows, theirs: Rows) -> int:
    """Above 0 when the first stands in the later record of a numbered series, below when not."""
    first, second = _last_records(ours), _last_records(theirs)
    return sum(
        (first[series] > second[series]) - (first[series] < second[series])
        for series in sorted(first.keys() & second.keys())
    )


def _by_time(one: AtomRecord, other: AtomRecord, ours: Rows, theirs: Rows) -> int:
    return (one.first_seen_at > other.first_seen_at) - (one.first_seen_at < other.first_seen_at)


def _by_place(one: AtomRecord, other: AtomRecord, ours: Rows, theirs: Rows) -> int:
    """Above 0 when the first stands further down in each source that holds both."""
    first, second = _last_places(ours), _last_places(theirs)
    return sum(
        (first[payload] > second[payload]) - (first[payload] < second[payload])
        for payload in sorted(first.keys() & second.keys())
    )


_NEWER: tuple[tuple[Judge, str], ...] = (
    (_by_number, "the record with the higher number"),
    (_by_time, "the later of two of equal standing"),
    (_by_place, "the later one in its source"),
)


def _last_records(rows: Rows) -> dict[str, int]:
    """The highest number under which fresh rows stand, by series."""
    found: dict[str, int] = {}
    for row in rows:
        if row.stale or not row.structure_path:
            continue
        head, *sections = row.structure_path
        numbered = _NUMBERED.match(head.strip())
        if numbered is None:
            continue
        series = (numbered["series"] or "").casefold()
        if series or any(section.casefold() in _RECORD_SECTIONS for section in sections):
            found[series] = max(found.get(series, 0), int(numbered["number"]))
    return found


def _last_places(rows: Rows) -> dict[tuple[str, str], int]:
    """Where the last fresh row begins, by payload."""
    found: dict[tuple[str, str], int] = {}
    for row in rows:
        if not row.stale:
            payload = (row.source_id, row.sanitized_hash)
            found[payload] = max(found.get(payload, 0), row.char_start)
    return found
