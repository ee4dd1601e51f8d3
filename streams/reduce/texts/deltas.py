"""What changed in the ledger between two settled positions, for reports that tell it.

Counted as the ledger is folded and closed at each settled position, so that a report made later,
when the ledger may be far ahead, tells what it was at its own position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from schemas.envelope import Part
from schemas.events.ledger import LIVE, AtomRecord, ChangeOp, ContradictionRecord, LedgerChanged
from schemas.worth import worth

MOST = 12  # of a position that are named; the others are counted
MOST_POSITIONS = 40  # told one by one; those before are told by the day
MOST_DAYS = 90
Counted = Literal["added", "merged", "replaced", "removed", "opened", "closed"]
_COUNTED: Mapping[ChangeOp, Counted] = {
    "atom_created": "added",
    "atom_merged": "merged",
    "atom_superseded": "replaced",
    "atom_obsoleted": "removed",
    "atom_dismissed": "removed",
    "contradiction_opened": "opened",
    "contradiction_closed": "closed",
}


class Delta(Part):
    """What changed up to ``ledger_seq``: how often, and the most valuable atoms that came.

    ``day`` is that of the position. ``replaced`` are atoms with those in their place, ``opened``
    and ``closed`` contradictions, all by id.
    """

    ledger_seq: int = 0
    day: str = ""
    counts: dict[str, int] = {}
    added: dict[str, float] = {}
    replaced: dict[str, str] = {}
    opened: list[str] = []
    closed: list[str] = []


class Span(Part):
    """Positions after ``after_seq``, of these days; an empty day is no limit."""

    after_seq: int = 0
    first_day: str = ""
    last_day: str = ""

    def holds(self, delta: Delta) -> bool:
        if delta.ledger_seq <= self.after_seq or delta.day < self.first_day:
            return False
        return not self.last_day or delta.day <= self.last_day


class Changes(Part):
    """The changes of the last positions, oldest first, and their atoms that are live.

    ``others`` are the atoms that were replaced, those in their place, and both sides of the
    ``contradictions`` that were opened or closed.
    """

    deltas: list[Delta] = []
    atoms: list[AtomRecord] = []
    others: list[AtomRecord] = []
    contradictions: list[ContradictionRecord] = []

    def since(self, ledger_seq: int) -> tuple[dict[str, int], list[AtomRecord]]:
        """Counts and new atoms after ``ledger_seq``, the most valuable first."""
        return self.within(Span(after_seq=ledger_seq))

    def within(self, span: Span) -> tuple[dict[str, int], list[AtomRecord]]:
        """Counts and new atoms of these positions, the most valuable first."""
        deltas = [delta for delta in self.deltas if span.holds(delta)]
        counts: Counter[str] = Counter()
        for delta in deltas:
            counts.update(delta.counts)
        worths = {key: value for delta in deltas for key, value in delta.added.items()}
        atoms = [atom for atom in self.atoms if atom.atom_id in worths]
        atoms.sort(key=lambda atom: (-worths[atom.atom_id], atom.atom_id))
        return dict(counts), atoms[:MOST]

    def replaced_within(self, span: Span) -> list[tuple[AtomRecord, AtomRecord]]:
        """The atoms that were replaced, each with the live one in its place."""
        known = {atom.atom_id: atom for atom in self.others}
        pairs = [it for delta in self.deltas if span.holds(delta) for it in delta.replaced.items()]
        found = dict(pairs)
        return [
            (known[old], known[new])
            for old, new in found.items()
            if old in known and new in known and known[new].status in LIVE
        ][:MOST]

    def contradictions_within(
        self, span: Span, what: Literal["opened", "closed"]
    ) -> list[tuple[ContradictionRecord, list[AtomRecord]]]:
        """The contradictions opened and still open, or closed for good, with their live sides."""
        known = {atom.atom_id: atom for atom in self.others if atom.status in LIVE}
        records = {
            contradiction.contradiction_id: contradiction for contradiction in self.contradictions
        }
        ids = dict.fromkeys(
            it for delta in self.deltas if span.holds(delta) for it in getattr(delta, what)
        )
        found = [records[one] for one in ids if one in records]
        told = [record for record in found if _is_open(record) == (what == "opened")]
        sides = [(record, (record.atom_a_id, record.atom_b_id)) for record in told]
        return [(one, [known[it] for it in ids if it in known]) for one, ids in sides][:MOST]


def add_changes(delta: Delta, changed: LedgerChanged, day: str = "") -> Delta:
    counts = Counter(delta.counts)
    counts.update(_COUNTED[one.op] for one in changed.changes if one.op in _COUNTED)
    targets: dict[str, list[str]] = {}
    for one in changed.changes:
        targets.setdefault(one.op, []).append(one.target_id)
    created = set(targets.get("atom_created", ()))
    worths = {atom.atom_id: worth(atom) for atom in changed.atoms if atom.atom_id in created}
    gone = set(targets.get("atom_superseded", ()))
    replaced = {
        atom.atom_id: atom.superseded_by
        for atom in changed.atoms
        if atom.atom_id in gone and atom.superseded_by
    }
    return Delta(
        ledger_seq=changed.ledger_seq,
        day=day,
        counts=dict(counts),
        added=_best(delta.added | worths),
        replaced=dict(list((delta.replaced | replaced).items())[:MOST]),
        opened=_join(delta.opened, targets.get("contradiction_opened", ())),
        closed=_join(delta.closed, targets.get("contradiction_closed", ())),
    )


def gather_changes(
    deltas: Iterable[Delta],
    live: Mapping[str, AtomRecord],
    others: Mapping[str, AtomRecord] = MappingProxyType({}),
    contradictions: Iterable[ContradictionRecord] = (),
) -> Changes:
    """The changes of the last positions with those of their atoms that are in ``live``."""
    told = list(deltas)
    ids = sorted({key for delta in told for key in delta.added if key in live})
    return Changes(
        deltas=told,
        atoms=[live[key] for key in ids],
        others=[others[key] for key in sorted(others)],
        contradictions=sorted(contradictions, key=lambda one: one.contradiction_id),
    )


def join_old(deltas: Sequence[Delta]) -> list[Delta]:
    """The last positions as they are, and those before joined by day, oldest first.

    A position is that of a report, too, so that a report counts from there; only a report as old as
    a joined day tells the changes of that whole day.
    """
    old, new = deltas[:-MOST_POSITIONS], deltas[-MOST_POSITIONS:]
    days: dict[str, Delta] = {}
    for one in old:
        days[one.day] = _add(days[one.day], one) if one.day in days else one
    return [*list(days.values())[-MOST_DAYS:], *new]


def _add(delta: Delta, later: Delta) -> Delta:
    return later.model_copy(
        update={
            "counts": dict(Counter(delta.counts) + Counter(later.counts)),
            "added": _best(delta.added | later.added),
            "replaced": dict(list((delta.replaced | later.replaced).items())[:MOST]),
            "opened": _join(delta.opened, later.opened),
            "closed": _join(delta.closed, later.closed),
        }
    )


def _is_open(contradiction_record: ContradictionRecord) -> bool:
    return contradiction_record.status in ("open", "escalated")


def _join(known: Sequence[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*known, *more]))[:MOST]


def _best(worths: Mapping[str, float]) -> dict[str, float]:
    ranked = sorted(worths.items(), key=lambda one: (-one[1], one[0]))
    return dict(ranked[:MOST])
