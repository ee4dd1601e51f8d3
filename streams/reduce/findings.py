"""Insights' clusters: atoms of one sort that come together around a topic.

Each category is a rule over kinds and words; within one no atom stands in two insights. What a
ledger says once is no insight: two atoms at least, for a pattern three sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from schemas.events.ledger import AtomRecord
from streams.reduce.clusters import AT_HOME, areas, choose
from streams.reduce.inputs import ItemInput, ListInput, SectionInput
from streams.reduce.material import Material
from streams.reduce.titles import lower
from streams.reduce.topics import PHRASE, Topic

MAX_SHOWN = 5
_MOVING = re.compile(
    r"\b(?:deprecat\w+|remov(?:e|es|ed|ing|al)|replac\w+|migrat\w+|no longer|rename[sd]?|"
    r"move(?:s|d)? (?:to|away)|phase[sd]? out|switch(?:es|ed)? to|supersed\w+|"
    r"drop(?:s|ped)? support|sunset\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Category:
    """A sort of insight: which atoms make it, how many and from how many sources at least."""

    name: str
    title: str
    kinds: frozenset[str]
    limit: int
    atoms: int = 2
    sources: int = 1
    words: re.Pattern[str] | None = None
    led_by: str = ""

    def takes(self, atom: AtomRecord) -> bool:
        return self.words is None or bool(self.words.search(atom.title))


CATEGORIES: tuple[Category, ...] = (
    Category("risk", "Risks gather around {}", frozenset({"risk"}), 8),
    Category("gap", "Open questions remain about {}", frozenset({"unknown"}), 6),
    Category(
        "opportunity",
        "What users say points to {}",
        frozenset({"domain_signal", "requirement"}),
        5,
        led_by="domain_signal",
    ),
    Category(
        "trend",
        "A change is under way around {}",
        frozenset({"decision", "claim", "requirement"}),
        5,
        words=_MOVING,
    ),
    Category(
        "pattern",
        "Several sources build on {}",
        frozenset({"claim", "decision"}),
        6,
        atoms=3,
        sources=3,
    ),
)


KINDS = frozenset[str]().union(*(category.kinds for category in CATEGORIES))


@dataclass(slots=True)
class _Category:
    """One category's pass over the topics."""

    material: Material
    category: Category
    standing: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)

    def find_left(self, topic: Topic) -> list[AtomRecord]:
        category = self.category
        found = [
            atom
            for atom in self.material.best(topic.atom_ids - self.used, category.kinds)
            if category.takes(atom) and not self.material.is_contradicted(atom)
        ]
        led = [atom for atom in found if atom.kind == category.led_by]
        if category.led_by and not led:
            return []
        shown = (led + [atom for atom in found if atom not in led])[:MAX_SHOWN]
        enough = len(shown) >= category.atoms and len(sources_of(shown)) >= category.sources
        return shown if enough else []

    def weight(self, topic: Topic) -> float:
        left = self.find_left(topic)
        worth = sum(self.material.topics.scores[atom.atom_id] for atom in left)
        home = AT_HOME * (f"{self.category.name}|{topic.key}" in self.standing)
        return round(worth + (home + 0.3 * (topic.sort == PHRASE)) * bool(left), 6)

    def make(self, topic: Topic) -> ItemInput | None:
        shown = self.find_left(topic)
        self.used.update(atom.atom_id for atom in shown)
        found = self.material.section("description", shown)
        return _insight(self.material, self.category.name, self.category.title, topic, found)


def insight_clusters(material: Material, standing: frozenset[str] = frozenset()) -> ListInput:
    """The clusters of insights: contradictions first, then category by category.

    ``standing`` are the keys of those the last preview had.
    """
    topics = material.find_shared_topics()
    items = list(_collect_contradictions(material, topics))
    for category in CATEGORIES:
        making = _Category(material, category, standing)
        found = choose(topics, making.weight, making.make)
        if not found:
            found = choose(areas(material), making.weight, making.make)
        items += found[: category.limit]
    eligible = len(material.best(material.topics.scores, KINDS))
    return ListInput(items=items, eligible=eligible, kinds=sorted(KINDS))


def _collect_contradictions(material: Material, topics: Iterable[Topic]) -> Iterable[ItemInput]:
    """The open contradictions, by the topic most of them share, else by area."""
    left = {one.contradiction_id: one for one in material.shortlist.open_contradictions()}
    while left:
        sides = {key: (one.atom_a_id, one.atom_b_id) for key, one in left.items()}
        shared = [
            (topic, [key for key, pair in sides.items() if topic.atom_ids.intersection(pair)])
            for topic in (*topics, *areas(material))
        ]
        topic, keys = max(
            shared,
            key=lambda one: (len(one[1]), one[0].sort == PHRASE, one[0].key),
            default=(None, []),
        )
        if topic is None or not keys:
            return
        touched = {side for key in keys for side in sides[key]}
        for key in keys:
            del left[key]
        found = material.collect_contradictions(
            material.atoms[atom_id] for atom_id in sorted(touched)
        )
        if found.picks:
            yield _insight(material, "conflict", "Sources disagree about {}", topic, found)


def _insight(
    material: Material, category: str, title: str, topic: Topic, found: SectionInput
) -> ItemInput:
    atoms = [atom for pick in found.picks for atom in pick.atoms]
    return ItemInput(
        artifact_type="insight",
        area=min(atom.area for atom in atoms),
        anchor=topic.key,
        name=topic.name,
        title=title.format(lower(topic.name)),
        category=category,
        sections=[found],
    )


def sources_of(atoms: Iterable[AtomRecord]) -> set[str]:
    """The sources that the atoms were first or last read from."""
    return {
        provenance.source_id
        for atom in atoms
        for provenance in (atom.first_provenance, atom.latest_provenance)
    }
