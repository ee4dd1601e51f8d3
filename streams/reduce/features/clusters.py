"""Features' clusters: those the sources name, or else atoms that share a topic.

Where no source names a feature, a cluster is built around an entity, a name or a phrase; when a
ledger is too small for those, around an area. Each next one is that which has most left to say
(greedy with late re-evaluation: what a topic has left only shrinks), so that the first items are
the ones to read; no requirement twice. Its title is the topic's name.
Decided against: titles made of a requirement («must» said as «is»), which told what nobody said.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from schemas.events.atom import ORIGIN
from schemas.events.ledger import AtomRecord
from streams.headings import find_heading
from streams.ledger.likeness.agreement import keep_order
from streams.lexicons import Wording
from streams.reduce.features.candidates import Candidate, named_features
from streams.reduce.features.material import MIN_ATOMS, Material
from streams.reduce.texts.inputs import ItemInput, ListInput
from streams.reduce.texts.titles import AREA_TITLES, capitalize
from streams.reduce.texts.topics import ENTITY, HEADING, PHRASE, Topic, key_of, widen
from streams.reduce.texts.wording import content_words

MAX_ITEMS = 60
MAX_CRITERIA = 6
MAX_CONTEXT = 2
MAX_RISKS = 3
FEW = 12  # with fewer features than that, topics that say less give some too
TOO_FEW = 3  # and then areas
UNTITLED = 2  # outermost headings in a document that has no title of its own
AT_HOME = 1.0  # weighs for a topic that the preview made an item of
THEME_SHARE = 0.06  # for what may gather features into an epic
_BINDING = frozenset({"requirement", "decision"})
_HEADED = frozenset({"readme", "overview", "product", "doc", "plan", "minutes", "talk"})
_SPOKEN = frozenset({"plan", "minutes", "talk"})
_NAME = re.compile(r"[A-Z][\w.+#-]*(?:[ /][\w.+#&-]+){0,5}")
_OF_MEETINGS = Wording("reduce", "of_meetings")
_OF_MAKING = Wording("reduce", "of_making")
_NO_NAME = Wording("reduce", "no_name")


@dataclass(slots=True)
class _Features:
    """One pass; ``used`` are the requirements and decisions that stand in a feature already."""

    material: Material
    standing: frozenset[str] = frozenset()
    modest: bool = False
    used: set[str] = field(default_factory=set)

    def find_left(self, topic: Topic) -> list[AtomRecord]:
        """What the topic still has to say; what only says the same again is left out."""
        atom_records: list[AtomRecord] = []
        said: list[tuple[frozenset[str], str]] = []
        for atom in self.material.best(topic.atom_ids - self.used, _BINDING):
            words = content_words(atom.title)
            alike = [it for known, it in said if len(words & known) >= 0.7 * len(words | known)]
            if not any(keep_order(atom.title, title) for title in alike):
                atom_records.append(atom)
                said.append((words, atom.title))
            if len(atom_records) == MAX_CRITERIA:
                break
        return atom_records

    def weigh_headed(self, topic: Topic) -> float:
        """How much stands below a heading; what is said there counts as what is demanded does."""
        if len(topic.atom_ids) < MIN_ATOMS:
            return 0.0
        scores = self.material.topics.scores
        return round(sum(scores[atom_id] for atom_id in topic.atom_ids), 6)

    def weight(self, topic: Topic) -> float:
        left, at_home = self.find_left(topic), f"|{topic.key}" in self.standing
        enough, modest = len(left) > 1 or topic.sort == ENTITY, self.modest or at_home
        if not left or len(topic.atom_ids) < MIN_ATOMS or not (enough or modest):
            return 0.0
        worth = sum(self.material.topics.scores[atom.atom_id] for atom in left)
        return round(worth + AT_HOME * at_home + 0.3 * (topic.sort == PHRASE), 6)

    def make(self, topic: Topic) -> ItemInput | None:
        """The cluster with context of other kinds; None when fewer than two atoms are behind."""
        material, binding = self.material, self.find_left(topic)
        area = _area_of(binding or self._context(topic))
        calm = [atom for atom in binding if not material.is_contradicted(atom)]
        decisions = [atom for atom in calm if atom.kind == "decision"]
        criteria = [atom for atom in calm if atom.kind == "requirement"] or decisions
        atoms = [atom for atom in decisions if atom not in criteria][:MAX_CONTEXT]
        atoms += self._context(topic)[:MAX_CONTEXT]
        risks = material.best(topic.atom_ids, frozenset({"risk"}))
        sections = [
            material.section("description", atoms or criteria[:1]),
            material.section("acceptance_criteria", criteria if atoms else criteria[1:]),
            material.section(
                "risks", [risk for risk in risks if not material.is_contradicted(risk)][:MAX_RISKS]
            ),
            material.collect_contradictions(binding),
        ]
        item = ItemInput(
            artifact_type="feature",
            area=area,
            anchor=topic.key,
            name=topic.name,
            title=capitalize(self._title_of(topic, binding)),
            state=self._state_of(topic),
            standing=f"|{topic.key}" in self.standing,
            sections=[section for section in sections if section.picks],
            themes=material.topics.themes_of(
                (atom.atom_id for atom in binding), int(THEME_SHARE * len(material.topics.scores))
            ),
            about=sorted(material.topics.keys_of(atom.atom_id for atom in binding) - {topic.key}),
        )
        bare = topic.sort != HEADING and not item.atoms_of("acceptance_criteria")
        if len(item.atoms) < MIN_ATOMS or bare or _OF_MAKING.says(item.title):
            return None
        self.used.update(atom.atom_id for atom in binding)
        return item

    def _title_of(self, topic: Topic, binding: Sequence[AtomRecord]) -> str:
        """The topic's name; two words that stand together with those that belong to them."""
        if topic.sort != PHRASE:
            return topic.name
        titles = (atom.statement for atom in binding)
        return next((it for title in titles if (it := widen(topic.name, title))), topic.name)

    def _state_of(self, topic: Topic) -> Literal["", "done", "planned"]:
        """Of what a heading names: planned where people only spoke of it."""
        if topic.sort != HEADING:
            return ""
        atoms = (self.material.atoms[atom_id] for atom_id in topic.atom_ids)
        spoken = all(atom.attributes.get(ORIGIN) in _SPOKEN for atom in atoms)
        return "planned" if spoken else "done"

    def _context(self, topic: Topic) -> list[AtomRecord]:
        """What the topic is and does, sentences that begin with it first."""
        kinds = frozenset({"claim", "entity", "domain_signal"})
        best = self.material.best(topic.atom_ids, kinds)
        about = re.compile(rf"^(?:the |an? |each )?{re.escape(topic.key)}", re.IGNORECASE)
        calm = [atom for atom in best if not self.material.is_contradicted(atom)]
        return sorted(calm, key=lambda atom: not about.match(atom.statement))


def feature_clusters(
    material: Material, candidates: Sequence[Candidate], standing: frozenset[str] = frozenset()
) -> ListInput:
    """The features that the sources name, else clusters, those with most to say first.

    ``standing`` are the keys of those the last preview had.
    """
    if (named := named_features(material, candidates, standing)).items:
        return named
    making = _Features(material, standing)
    items = choose(headed_topics(material), making.weigh_headed, making.make)
    if len(items) < FEW:
        topics = _shared_topics(material)
        most = FEW - len(items) if items else MAX_ITEMS
        items += choose(topics, making.weight, making.make, most=most)
        if len(items) < FEW:
            making.modest = True
            items += choose(topics, making.weight, making.make)
    if len(items) < TOO_FEW:
        items += choose(areas(material), making.weight, making.make)
    items.sort(key=lambda item: not item.standing and item.is_meagre)
    eligible = len(material.best(material.topics.scores, _BINDING))
    return ListInput(items=items, eligible=eligible, kinds=sorted(_BINDING))


def choose(
    topics: Iterable[Topic],
    weight: Callable[[Topic], float],
    make: Callable[[Topic], ItemInput | None],
    *,
    most: int = MAX_ITEMS,
) -> list[ItemInput]:
    """The heaviest topic first, each weighed again when its turn comes; weights never grow."""
    heap = [(-heavy, topic.key, topic) for topic in topics if (heavy := weight(topic)) > 0]
    heapq.heapify(heap)
    items: list[ItemInput] = []
    while heap and len(items) < most:
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


def _shared_topics(material: Material) -> list[Topic]:
    """What atoms have in common, without names of speakers and of meetings."""
    return [
        it
        for it in material.find_shared_topics()
        if not (_is_speaker(material, it) or _OF_MAKING.says(it.name))
        and (it.sort == ENTITY or not _OF_MEETINGS.says(it.name))
    ]


def _is_speaker(material: Material, topic: Topic) -> bool:
    """Whether half of what is of it begins as what somebody of that name said: «LW: we have …»."""
    begins = re.compile(rf"{re.escape(topic.name)}(?: [A-Z][\w.-]*)?: ", re.IGNORECASE)
    spoken = sum(
        bool(begins.match(material.atoms[atom_id].statement)) for atom_id in topic.atom_ids
    )
    return 2 * spoken >= len(topic.atom_ids)


def headed_topics(material: Material) -> list[Topic]:
    """What headings name in documents about the product, where several statements stand below."""
    named: dict[str, tuple[str, set[str]]] = {}
    headed = {
        atom_id: atom
        for atom_id, score in sorted(material.topics.scores.items())
        if score > 0 and (atom := material.atoms[atom_id]).attributes.get(ORIGIN) in _HEADED
    }
    untitled = _untitled_sources(headed.values())
    for atom_id, atom in headed.items():
        titled = atom.first_provenance.source_id not in untitled
        for part in atom.context.split(", ")[titled:]:
            if _NO_NAME.says(part) or _OF_MAKING.says(part):
                continue
            if _NAME.fullmatch(part) and not find_heading(part):
                named.setdefault(key_of(part), (part, set()))[1].add(atom_id)
    return [
        Topic(key, HEADING, name, frozenset(ids))
        for key, (name, ids) in sorted(named.items())
        if len(ids) >= MIN_ATOMS
    ]


def _untitled_sources(atoms: Iterable[AtomRecord]) -> set[str]:
    """The documents whose outermost headings are those of sections: they have no title."""
    outermost: dict[str, set[str]] = {}
    for atom in atoms:
        first = atom.context.partition(", ")[0]
        if first:
            outermost.setdefault(atom.first_provenance.source_id, set()).add(first)
    return {source_id for source_id, firsts in outermost.items() if len(firsts) >= UNTITLED}


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
