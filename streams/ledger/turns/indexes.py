"""What the ledger must find without walking over all atoms, in memory, one index a project.

All of it is derived from the atoms alone, so it is made again from the table when the state is
opened. Nothing here depends on the order in which atoms came.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice

from sortedcontainers import SortedList

from schemas.areas import AREAS, Area
from schemas.events.atom import AtomKind
from schemas.events.ledger import LIVE, AtomRecord
from schemas.fingerprint import norm_text
from streams.ledger.likeness.near_index import NearIndex
from streams.ledger.likeness.similarity import text_to_compare, words
from streams.ledger.opposition.statements import statement_of

COMPARED_KINDS: frozenset[str] = frozenset({"claim", "decision", "requirement"})
SUMMARISED_KINDS: tuple[AtomKind, ...] = ("decision", "requirement", "risk", "entity", "unknown")
Rank = tuple[float, str]


def group_of(kind: str) -> str:
    """Kinds that are compared with each other share an index."""
    return "statement" if kind in COMPARED_KINDS else kind


def rank_of(atom: AtomRecord) -> Rank:
    """Best first: entities by evidence rows, all others by confidence; ties by atom id."""
    weight = atom.evidence_count if atom.kind == "entity" else atom.confidence
    return (-float(weight), atom.atom_id)


def is_live(atom: AtomRecord) -> bool:
    return atom.status in LIVE


@dataclass(slots=True)
class ProjectIndex:
    """The live atoms of one project, by words, subject, name, rank, status and area.

    Those that a person has dismissed are known by their words, entities that were merged still by
    their names.
    """

    near: defaultdict[str, NearIndex] = field(default_factory=lambda: defaultdict(NearIndex))
    subjects: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    ranked: dict[str, SortedList[Rank]] = field(default_factory=dict)
    by_status: Counter[tuple[str, str]] = field(default_factory=Counter)
    active_by_area: Counter[Area] = field(default_factory=Counter)

    def change(self, before: AtomRecord | None, after: AtomRecord) -> None:
        """Take ``after`` in the place of ``before``."""
        was, lives = before is not None and is_live(before), is_live(after)
        if before is not None and was:
            self._count(before, -1)
        if lives:
            self._count(after, 1)
        if lives and not was:
            self._add(after)
        elif was and not lives:
            self._remove(after)
        had_name, has_name = before is not None and is_named(before), is_named(after)
        if has_name != had_name:
            self._name(after, add=has_name)
        gone = [atom is not None and atom.status == "dismissed" for atom in (before, after)]
        if gone == [False, True]:
            self.dismissed_group(after.kind).add(
                after.atom_id, after.kind, after.polarity, _words(after)
            )
        elif gone == [True, False]:
            self.dismissed_group(after.kind).remove(after.atom_id, _words(after))

    def group(self, kind: str) -> NearIndex:
        return self.near[group_of(kind)]

    def dismissed_group(self, kind: str) -> NearIndex:
        return self.near[f"dismissed {group_of(kind)}"]

    def best(self, kind: AtomKind, count: int) -> list[Rank]:
        return list(islice(self.ranked.get(kind, ()), count))

    def entities_named(self, name: str) -> list[str]:
        """The entities with this normalised name or alias, merged ones too, the oldest first."""
        return [atom_id for _, atom_id in self.names.get(name, [])]

    def _count(self, atom: AtomRecord, step: int) -> None:
        self.by_status[(atom.kind, atom.status)] += step
        if atom.status == "active":
            self.active_by_area[atom.area] += step
        if atom.kind in SUMMARISED_KINDS:
            ranked = self.ranked.setdefault(atom.kind, SortedList())
            if step > 0:
                ranked.add(rank_of(atom))
            else:
                ranked.remove(rank_of(atom))

    def _add(self, atom: AtomRecord) -> None:
        self.group(atom.kind).add(atom.atom_id, atom.kind, atom.polarity, _words(atom))
        if key := subject_key(atom):
            insort(self.subjects.setdefault(key, []), atom.atom_id)

    def _remove(self, atom: AtomRecord) -> None:
        self.group(atom.kind).remove(atom.atom_id, _words(atom))
        if key := subject_key(atom):
            self.subjects[key].remove(atom.atom_id)

    def _name(self, entity: AtomRecord, *, add: bool) -> None:
        for name in names_of(entity):
            known = self.names.setdefault(name, [])
            if add:
                insort(known, (entity.first_seq, entity.atom_id))
            else:
                known.remove((entity.first_seq, entity.atom_id))


def _words(atom: AtomRecord) -> frozenset[str]:
    return words(text_to_compare(atom))


def is_named(atom: AtomRecord) -> bool:
    """Whether its names lead to an entity: to itself, or to the one it was merged into."""
    return atom.kind == "entity" and (is_live(atom) or atom.status == "merged")


def subject_key(atom: AtomRecord) -> str | None:
    """What a claim, decision or requirement speaks of by which relation, if that is clear."""
    statement = statement_of(atom.statement) if atom.kind in COMPARED_KINDS else None
    return statement.key if statement else None


def names_of(entity: AtomRecord) -> list[str]:
    """The normalised names of an entity atom, its title first, without doubles."""
    given = [entity.title, *entity.attributes.get("aliases", "").split("\n")]
    return [name for name in dict.fromkeys(norm_text(each) for each in given) if name]


def gaps_of(active_by_area: Counter[Area], wanted: int = 2) -> list[Area]:
    """The areas with fewer than ``wanted`` active atoms, in the order of the enum."""
    return [area for area in AREAS if active_by_area[area] < wanted]
