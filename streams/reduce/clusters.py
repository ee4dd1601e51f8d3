"""Features' clusters: atoms that share a topic, chosen one after the other, no requirement twice.

A cluster is built around an entity, a name or a phrase; when a ledger is too small for those,
around an area. Each next one is that which has most left to say (greedy with late re-evaluation:
what a topic has left only shrinks), so that the first items are the ones to read.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from schemas.events.ledger import AtomRecord
from streams.ledger.agreement import keep_order
from streams.reduce.inputs import ItemInput, ListInput, Pick, SectionInput
from streams.reduce.selection import Atoms, ProjectShortlist
from streams.reduce.titles import AREA_TITLES, GOOD_TITLE, fits_title, names_topic, title_of
from streams.reduce.topics import ENTITY, PHRASE, ProjectTopics, Topic
from streams.reduce.wording import content_words, pair_text

MAX_ITEMS = 60
MIN_ATOMS = 2
MAX_CRITERIA = 6
MAX_CONTEXT = 2
MAX_RISKS = 3
FEW = 12  # with fewer features than that, topics that say less give some too
TOO_FEW = 3  # and then areas
MODEST_TITLE = 0.4  # as much worse may a title be then, if there is more than one thing to fulfil
AT_HOME = 1.0  # weighs for a topic that the preview made an item of
MAX_SHARE = 0.03  # of the live atoms; what more of them speak of tells nothing apart
ALWAYS_SHARED = 25
THEME_SHARE = 0.06  # for what may gather features into an epic
_BINDING = frozenset({"requirement", "decision"})


@dataclass(slots=True)
class Material:
    """What clusters are made of at one position."""

    shortlist: ProjectShortlist
    topics: ProjectTopics
    atoms: Atoms

    def best(self, atom_ids: Iterable[str], kinds: frozenset[str]) -> list[AtomRecord]:
        """The readable atoms of these kinds, those to be seen first at the front."""
        found = [
            atom
            for atom_id in atom_ids
            if self.topics.scores.get(atom_id, 0.0) > 0.0
            and (atom := self.atoms[atom_id]).kind in kinds
        ]
        return sorted(found, key=lambda atom: (-self.topics.scores[atom.atom_id], atom.atom_id))

    def find_shared_topics(self, minimum: int = MIN_ATOMS) -> list[Topic]:
        most = max(ALWAYS_SHARED, int(MAX_SHARE * len(self.topics.scores)))
        return list(self.topics.find_shared(minimum, most))

    def section(self, section_id: str, atoms: Iterable[AtomRecord]) -> SectionInput:
        return SectionInput(section_id=section_id, picks=[Pick(atoms=[atom]) for atom in atoms])

    def collect_contradictions(self, atoms: Iterable[AtomRecord]) -> SectionInput:
        """Both sides of the open contradictions of these atoms, each atom once."""
        picks: list[Pick] = []
        used: set[str] = set()
        for atom in atoms:
            for one in self.shortlist.contradictions_of(atom.atom_id):
                sides = (one.atom_a_id, one.atom_b_id)
                pair = [self.atoms[side] for side in sides]
                if used.isdisjoint(sides) and pair_text(*pair):
                    used.update(sides)
                    contradictions = self.shortlist.contradictions_of(*sides)
                    picks.append(Pick(atoms=pair, contradictions=contradictions, paired=True))
        return SectionInput(section_id="open_questions", picks=picks)

    def is_contradicted(self, atom: AtomRecord) -> bool:
        return atom.atom_id in self.shortlist.contradictions and bool(
            self.shortlist.contradictions_of(atom.atom_id)
        )


@dataclass(slots=True)
class _Features:
    """One pass; ``used`` are the requirements and decisions that stand in a feature already."""

    material: Material
    standing: frozenset[str] = frozenset()
    modest: bool = False
    least_title: float = GOOD_TITLE
    used: set[str] = field(default_factory=set)

    def find_left(self, topic: Topic) -> list[AtomRecord]:
        """What the topic still has to say; what only says the same again is left out."""
        found: list[AtomRecord] = []
        said: list[tuple[frozenset[str], str]] = []
        for atom in self.material.best(topic.atom_ids - self.used, _BINDING):
            words = content_words(atom.title)
            alike = [it for known, it in said if len(words & known) >= 0.7 * len(words | known)]
            if not any(keep_order(atom.title, title) for title in alike):
                found.append(atom)
                said.append((words, atom.title))
            if len(found) == MAX_CRITERIA:
                break
        return found

    def weight(self, topic: Topic) -> float:
        left, at_home = self.find_left(topic), f"|{topic.key}" in self.standing
        enough, modest = len(left) > 1 or topic.sort == ENTITY, self.modest or at_home
        if not left or len(topic.atom_ids) < MIN_ATOMS or not (enough or modest):
            return 0.0
        named = max(fits_title(atom) for atom in left)
        if named < self.least_title - MODEST_TITLE * (modest and enough):
            return 0.0
        worth = sum(self.material.topics.scores[atom.atom_id] for atom in left)
        return round(worth + named + AT_HOME * at_home + 0.3 * (topic.sort == PHRASE), 6)

    def make(self, topic: Topic) -> ItemInput | None:
        """The cluster with context of other kinds; None when fewer than two atoms are behind."""
        material, binding = self.material, self.find_left(topic)
        area = _area_of(binding)
        calm = [atom for atom in binding if not material.is_contradicted(atom)]
        lead = max(calm or binding, key=lambda atom: _rank_as_title(topic, atom))
        decisions = [atom for atom in calm if atom.kind == "decision"]
        criteria = [atom for atom in calm if atom.kind == "requirement"] or decisions
        told = [atom for atom in decisions if atom not in criteria][:MAX_CONTEXT]
        told += self._context(topic)[:MAX_CONTEXT]
        risks = material.best(topic.atom_ids, frozenset({"risk"}))
        sections = [
            material.section("description", told or criteria[:1]),
            material.section("acceptance_criteria", criteria if told else criteria[1:]),
            material.section(
                "risks", [one for one in risks if not material.is_contradicted(one)][:MAX_RISKS]
            ),
            material.collect_contradictions(binding),
        ]
        item = ItemInput(
            artifact_type="feature",
            area=area,
            anchor=topic.key,
            name=topic.name,
            title=title_of(topic.name, lead),
            standing=f"|{topic.key}" in self.standing,
            sections=[section for section in sections if section.picks],
            themes=material.topics.themes_of(
                (atom.atom_id for atom in binding), int(THEME_SHARE * len(material.topics.scores))
            ),
            about=sorted(material.topics.keys_of(atom.atom_id for atom in binding) - {topic.key}),
        )
        if len(item.atoms) < MIN_ATOMS or not item.atoms_of("acceptance_criteria"):
            return None
        self.used.update(atom.atom_id for atom in binding)
        return item

    def _context(self, topic: Topic) -> list[AtomRecord]:
        """What the topic is and does, sentences that begin with it first."""
        kinds = frozenset({"claim", "entity", "domain_signal"})
        found = self.material.best(topic.atom_ids, kinds)
        about = re.compile(rf"^(?:the |an? |each )?{re.escape(topic.key)}", re.IGNORECASE)
        calm = [atom for atom in found if not self.material.is_contradicted(atom)]
        return sorted(calm, key=lambda atom: not about.match(atom.statement))


def feature_clusters(material: Material, standing: frozenset[str] = frozenset()) -> ListInput:
    """The clusters of features, those with most to say first.

    ``standing`` are the keys of those the last preview had.
    """
    making = _Features(material, standing)
    topics = material.find_shared_topics()
    items = choose(topics, making.weight, making.make)
    if len(items) < FEW:
        making.modest = True
        items += choose(topics, making.weight, making.make)
    if len(items) < TOO_FEW:
        making.least_title = 0.0
        items += choose(areas(material), making.weight, making.make)
    items.sort(key=lambda item: not item.standing and item.is_meagre)
    eligible = len(material.best(material.topics.scores, _BINDING))
    return ListInput(items=items, eligible=eligible, kinds=sorted(_BINDING))


def _rank_as_title(topic: Topic, atom: AtomRecord) -> tuple[bool, float, str, str]:
    """What makes an atom the title of a cluster: one that names the topic, if it is readable."""
    fits = fits_title(atom)
    return fits >= GOOD_TITLE and names_topic(topic.name, atom), fits, atom.kind, atom.atom_id


def choose(
    topics: Iterable[Topic],
    weight: Callable[[Topic], float],
    make: Callable[[Topic], ItemInput | None],
) -> list[ItemInput]:
    """The heaviest topic first, each weighed again when its turn comes; weights never grow."""
    heap = [(-heavy, topic.key, topic) for topic in topics if (heavy := weight(topic)) > 0]
    heapq.heapify(heap)
    items: list[ItemInput] = []
    while heap and len(items) < MAX_ITEMS:
        known, key, topic = heapq.heappop(heap)
        now = weight(topic)
        if now <= 0:
            continue
        if now < -known:
            heapq.heappush(heap, (-now, key, topic))
        elif item := make(topic):
            items.append(item)
    return items


def _area_of(atoms: Iterable[AtomRecord]) -> str:
    """The area most of the atoms are in; a more special one than scope before it."""
    counted = Counter(atom.area for atom in atoms)
    return min(counted, key=lambda area: (-counted[area], area == "scope", area))


def areas(material: Material) -> list[Topic]:
    """Areas as topics, for ledgers in which little is named."""
    by_area: dict[str, set[str]] = {}
    for atom_id, score in material.topics.scores.items():
        if score > 0:
            by_area.setdefault(material.atoms[atom_id].area, set()).add(atom_id)
    return [
        Topic(f"area {area}", ENTITY, AREA_TITLES[area], frozenset(ids))
        for area, ids in sorted(by_area.items())
    ]
