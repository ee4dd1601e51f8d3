"""How much of what a reader wants a ledger, its PRD and its features hold.

Recall stands beside precision because silence is no quality: who says nothing says nothing wrong.
An answer counts as found where a row of evidence overlaps the place and shares half of its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from infra.measure.gold import Gold, Wanted, read_gold, words_of
from infra.measure.whole import Outcome, ingest
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.worth import worth

MOST_IMPORTANT = 3
FIRST = 300  # atoms of a list that somebody might read; who keeps everything finds all else
NAMED = 0.6  # of the words of a feature's name, so that a title names it
RECALL = "recall"
OF_IMPORTANCE_3 = "recall, importance 3"
AMONG_FIRST = "recall among the first 300 by worth"
RIGHT_KIND = "recall, right kind"
PRD = "PRD, cited"
PRD_SECTION = "PRD, cited in the right section"
FEATURES = "features named"
HEADLINES = (RECALL, OF_IMPORTANCE_3, AMONG_FIRST, RIGHT_KIND, PRD, PRD_SECTION, FEATURES)
Sited = list[tuple[str, EvidenceRow]]  # rows with the path of their source


@dataclass(slots=True)
class Recall:
    """Per figure how many rows of the lists there are and were found; and those that were not."""

    found: Counter[str] = field(default_factory=Counter)
    wanted: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    live_atoms: int = 0

    def count(self, figure: str, found: bool) -> None:
        self.wanted[figure] += 1
        self.found[figure] += found

    def share(self, figure: str) -> float:
        return self.found[figure] / max(1, self.wanted[figure])

    def add(self, other: Recall) -> None:
        """Count the rows of ``other`` too."""
        self.found.update(other.found)
        self.wanted.update(other.wanted)
        self.misses += other.misses
        self.live_atoms += other.live_atoms

    @property
    def figures(self) -> dict[str, float]:
        return {name: round(self.share(name), 3) for name in self.wanted}


def measure(gold: Path, folder: Path) -> Recall:
    """The lists in ``gold`` against what the offline engine makes of ``folder``. Raises Refusal."""
    lists = read_gold(gold, folder)
    return score(lists, ingest(folder))


def score(gold: Gold, outcome: Outcome) -> Recall:
    sited = {
        atom_id: [(outcome.paths.get(row.source_id, ""), row) for row in rows]
        for atom_id, rows in outcome.evidence.items()
    }
    live = sorted(outcome.live_atoms, key=worth, reverse=True)
    first = {atom.atom_id for atom in live[:FIRST]}
    found = Recall(live_atoms=len(live))
    for wanted in gold.statements:
        holders = _holders(wanted, live, sited)
        _count_statement(found, wanted, holders)
        found.count(AMONG_FIRST, any(atom.atom_id in first for atom in holders))
    _count_prd(found, gold, outcome, sited)
    titles = [words_of(one.title) for one in outcome.planned]
    for name in gold.features:
        found.count(FEATURES, any(_is_named(words_of(name), title) for title in titles))
    return found


def _holders(
    wanted: Wanted, live: Iterable[AtomRecord], sited: Mapping[str, Sited]
) -> list[AtomRecord]:
    return [
        atom
        for atom in live
        if any(
            place.is_said_by(path, row)
            for path, row in sited.get(atom.atom_id, ())
            for place in wanted.places
        )
    ]


def _count_statement(found: Recall, wanted: Wanted, holders: list[AtomRecord]) -> None:
    held = bool(holders)
    found.count(RECALL, held)
    found.count(RIGHT_KIND, any(atom.kind in wanted.kinds for atom in holders))
    found.count(f"recall, {wanted.kind}", held)
    if wanted.importance == MOST_IMPORTANT:
        found.count(OF_IMPORTANCE_3, held)
    if not held:
        place = wanted.places[0]
        found.misses.append(f"{wanted.kind} {place.path}:{place.first} {wanted.text}")


def _count_prd(found: Recall, gold: Gold, outcome: Outcome, sited: Mapping[str, Sited]) -> None:
    cited: dict[str, Sited] = {}
    for section in outcome.prd.sections if outcome.prd else ():
        rows = cited.setdefault(section.section_id, [])
        for statement in section.statements:
            for citation in statement.citations:
                rows += sited.get(citation.atom_id, ())
    for wanted in gold.prd:
        places = {
            section
            for section, rows in cited.items()
            if any(wanted.place.overlaps(path, row) for path, row in rows)
        }
        found.count(PRD, bool(places))
        found.count(PRD_SECTION, wanted.section in places)


def _is_named(name: frozenset[str], title: frozenset[str]) -> bool:
    return len(name & title) >= NAMED * len(name)


def as_markdown(found: Recall, machine: str) -> str:
    """One figure a line, the headlines first."""
    others = sorted(found.wanted.keys() - set(HEADLINES))
    lines = [
        f"`cairn eval recall`, {machine}; {found.live_atoms} live atoms.",
        "",
        "| Figure | Found | Of | Share |",
        "|---|---|---|---|",
    ]
    for name in (*HEADLINES, *others):
        if found.wanted[name]:
            lines.append(
                f"| {name} | {found.found[name]} | {found.wanted[name]} | {found.share(name):.3f} |"
            )
    return "\n".join(lines)
