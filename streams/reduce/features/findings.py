"""Insights: what several documents say together and none of them says alone.

Each category is a rule over kinds, names and sources. Every insight rests on two sources at least,
and its title states what was found. Decided against: gathering all risks or questions that share a
word, whose titles told no finding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from schemas.events.ledger import AtomRecord
from schemas.features import DONE, FEATURE
from schemas.shortening import shorten
from streams.ledger.likeness.agreement import keep_order
from streams.lexicons import Wording
from streams.reduce.features.candidates import Candidate
from streams.reduce.features.clusters import AT_HOME
from streams.reduce.features.material import Material
from streams.reduce.texts.inputs import ItemInput, ListInput, Pick
from streams.reduce.texts.titles import capitalize, lower
from streams.reduce.texts.topics import ENTITY, NAME, Topic
from streams.reduce.texts.wording import content_words, position

MAX_TITLE = 140
MAX_SHOWN = 5
MOST = {"conflict": 10, "risk": 8, "gap": 8, "opportunity": 6, "trend": 5, "pattern": 5}
ALIKE = 0.5  # of the words of two statements that say the same
ANSWERS = 0.5  # of the words of a question that its answer has
LEAST_SHARED = 3
MANY_SOURCES = 3
NEAR = 16  # characters, such as those of «will no longer be»
COPIED = 0.9  # of the words: copies of one text agree with themselves
_COUNTED = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}
_SAYING = frozenset({"claim", "decision", "requirement", "risk", "domain_signal"})
_BINDING = frozenset({"decision", "requirement", "risk"})
_ANSWERING = frozenset({"decision", "requirement", "claim"})
KINDS = _SAYING | {"unknown"}
_MOVING = Wording("reduce", "moving")


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing, the leading statements first."""

    category: str
    anchor: str
    name: str
    title: str
    picks: Sequence[Pick]
    worth: float

    @property
    def key(self) -> str:
        return f"{self.category}|{self.anchor}"

    @property
    def atoms(self) -> list[AtomRecord]:
        return [atom for pick in self.picks for atom in pick.atoms]


@dataclass(frozen=True, slots=True)
class _Search:
    """One position's search; ``named`` are its features."""

    material: Material
    named: Sequence[Candidate]

    def find(self) -> Iterator[Finding]:
        yield from self._disagreements()
        for one in self.named:
            yield from self._of_feature(one)
        for topic in self.material.find_shared_topics():
            yield from self._of_topic(topic)

    def _disagreements(self) -> Iterator[Finding]:
        """Open contradictions between documents."""
        for contradiction in self.material.shortlist.open_contradictions():
            sides = [
                self.material.atoms[side]
                for side in (contradiction.atom_a_id, contradiction.atom_b_id)
            ]
            found = self.material.collect_contradictions(sides[:1])
            if found.picks and len(sources_of(sides)) > 1:
                text = lower(position(sides[0], in_context=False))
                title = f"Documents disagree whether {text}"
                shared = content_words(sides[0].title) & content_words(sides[1].title)
                anchor = " ".join(sorted(shared)[:LEAST_SHARED]) or contradiction.contradiction_id
                yield Finding("conflict", anchor, anchor, title, found.picks, 1.0)

    def _of_feature(self, candidate: Candidate) -> Iterator[Finding]:
        """What other documents than its own say of a feature."""
        lead = candidate.introducing[0]
        foreign = [
            atom
            for atom in self.material.best((it.atom_id for it in candidate.speaking_atoms), KINDS)
            if not sources_of([atom]) & sources_of(candidate.introducing)
            and not self.material.is_contradicted(atom)
        ]
        by_kind = {kind: [it for it in foreign if it.kind == kind] for kind in KINDS}
        if risks := [it for it in by_kind["risk"] if it.impact]:
            title = f"Another document sees a risk for {candidate.name}: {_said(risks[0])}"
            yield self._finding("risk", candidate, title, [lead, *risks])
        if asked := [it for it in by_kind["unknown"] if _is_asked(it)]:
            title = f"Open in another document about {candidate.name}: {_said(asked[0])}"
            yield self._finding("gap", candidate, title, [lead, *asked])
        if candidate.state == DONE:
            return
        if denied := [it for it in by_kind["claim"] if it.polarity == "negate"]:
            title = f"{candidate.name} is planned, and another document says what is missing today"
            yield self._finding("gap", candidate, title, [lead, *denied])
        if wishes := by_kind["domain_signal"]:
            title = f"{candidate.name} is planned, and users ask for it"
            yield self._finding("opportunity", candidate, title, [lead, *wishes])

    def _finding(
        self, category: str, candidate: Candidate, title: str, atoms: Sequence[AtomRecord]
    ) -> Finding:
        shown = self.material.section("description", atoms[:MAX_SHOWN]).picks
        return Finding(
            category, candidate.key, candidate.name, title, shown, 1.0 + candidate.weight / 10
        )

    def _of_topic(self, topic: Topic) -> Iterator[Finding]:
        atoms = [
            atom
            for atom in self.material.best(topic.atom_ids, KINDS)
            if not self.material.is_contradicted(atom)
        ]
        if len(sources_of(atoms)) < 2:
            return
        yield from self._questions(topic, atoms)
        yield from self._agreement(topic, atoms)
        if topic.sort in (ENTITY, NAME):
            yield from self._changes(topic, atoms)

    def _questions(self, topic: Topic, atoms: Sequence[AtomRecord]) -> Iterator[Finding]:
        """Questions of one document that another asks too, or that it answers."""
        for question in filter(_is_asked, atoms):
            words = content_words(question.title)
            near = [
                atom
                for atom in atoms
                if atom.kind in _ANSWERING | {"unknown"}
                and not sources_of([atom]) & sources_of([question])
                and len(words & content_words(atom.title))
                >= max(LEAST_SHARED, ANSWERS * len(words))
            ]
            answers = [atom for atom in near if atom.kind != "unknown"]
            if answers or near:
                text = "is answered elsewhere" if answers else "is open in several documents"
                title = f"A question {text}: {_said(question)}"
                yield self._about(topic, "gap", title, [question, *(answers or near)])

    def _agreement(self, topic: Topic, atoms: Sequence[AtomRecord]) -> Iterator[Finding]:
        """The same said by several documents in words of their own."""
        said = [atom for atom in atoms if atom.kind in _SAYING and FEATURE not in atom.attributes]
        best: list[AtomRecord] = []
        for lead in said:
            alike = [lead, *(atom for atom in said if atom is not lead and _is_alike(lead, atom))]
            if len(sources_of(alike)) > len(sources_of(best)) and len(alike) > 1:
                best = alike
        count = len(sources_of(best))
        if count > 1:
            counted = _COUNTED.get(count, "Many")
            title = f"{counted} documents agree: {_said(best[0])}"
            yield self._about(topic, "pattern", title, best)

    def _changes(self, topic: Topic, atoms: Sequence[AtomRecord]) -> Iterator[Finding]:
        """A thing that one document takes away and others still build on."""
        moving = [it for it in atoms if it.kind in ("decision", "claim") and _MOVING.says(it.title)]
        moving = [it for it in moving if _is_of(topic, it)]
        if not moving:
            return
        still = [
            it
            for it in atoms
            if it.kind in ("requirement", "decision", "claim")
            and not _MOVING.says(it.title)
            and not sources_of([it]) & sources_of(moving)
        ]
        if len(sources_of(still)) >= MANY_SOURCES - 1:
            title = f"Other documents still build on {topic.name}: {_said(moving[0])}"
            yield self._about(topic, "trend", title, [moving[0], *still])

    def _about(
        self, topic: Topic, category: str, title: str, atoms: Sequence[AtomRecord]
    ) -> Finding:
        shown = list(atoms[:MAX_SHOWN])
        worth = sum(self.material.topics.scores[it.atom_id] for it in shown) / len(shown)
        worth += 0.1 * len(sources_of(atoms)) + 0.3 * (shown[0].kind in _BINDING)
        picks = self.material.section("description", shown).picks
        return Finding(category, topic.key, topic.name, title, picks, round(worth, 6))


def insight_clusters(
    material: Material, named: Sequence[Candidate], standing: frozenset[str] = frozenset()
) -> ListInput:
    """The insights, category by category, those of most worth first.

    ``standing`` are the keys of those the last preview had. No statement stands in two insights of
    one category.
    """
    by_category: dict[str, list[Finding]] = defaultdict(list)
    for one in _Search(material, named).find():
        by_category[one.category].append(one)
    items = [
        _insight(one)
        for category, most in MOST.items()
        for one in _choose(by_category[category], most, standing)
    ]
    eligible = len(material.best(material.topics.scores, KINDS))
    return ListInput(items=items, eligible=eligible, kinds=sorted(KINDS))


def _choose(findings: Iterable[Finding], most: int, standing: frozenset[str]) -> list[Finding]:
    ranked = sorted(
        findings, key=lambda one: (-one.worth - AT_HOME * (one.key in standing), one.key, one.title)
    )
    used: set[str] = set()
    anchors: set[str] = set()
    chosen: list[Finding] = []
    for one in ranked:
        atom_ids = {atom.atom_id for atom in one.atoms[1:]} or {one.atoms[0].atom_id}
        if one.anchor in anchors or used & atom_ids or len(chosen) == most:
            continue
        anchors.add(one.anchor)
        used.update(atom_ids)
        chosen.append(one)
    return chosen


def _insight(finding: Finding) -> ItemInput:
    section_id = "open_questions" if finding.category == "conflict" else "description"
    section = {"section_id": section_id, "picks": list(finding.picks)}
    return ItemInput.model_validate(
        {
            "artifact_type": "insight",
            "area": min(atom.area for atom in finding.atoms),
            "anchor": finding.anchor,
            "name": finding.name,
            "title": shorten(capitalize(finding.title), MAX_TITLE),
            "category": finding.category,
            "sections": [section],
        }
    )


def _is_of(topic: Topic, atom: AtomRecord) -> bool:
    """Whether what moves in the atom is the topic: its name stands close before the verb."""
    text = atom.statement.lower()
    at, verb = text.find(topic.key), _MOVING.search(text)
    if verb is None or not 0 <= at < verb.start() <= at + len(topic.key) + NEAR:
        return False
    return not {"it", "they", "this", "we"} & {*text[at : verb.start()].split()}


def _is_asked(atom: AtomRecord) -> bool:
    return atom.kind == "unknown" and atom.title.endswith("?")


def _said(atom: AtomRecord) -> str:
    return lower(position(atom, in_context=False))


def _is_alike(one: AtomRecord, other: AtomRecord) -> bool:
    """Whether two documents say the same of one thing, in the same sense."""
    if sources_of([one]) & sources_of([other]) or one.polarity != other.polarity:
        return False
    ours, theirs = content_words(one.statement), content_words(other.statement)
    shared, all_words = len(ours & theirs), len(ours | theirs)
    enough = max(LEAST_SHARED, ALIKE * all_words) <= shared < COPIED * all_words
    return enough and keep_order(one.statement, other.statement)


def sources_of(atoms: Iterable[AtomRecord]) -> set[str]:
    """The sources that the atoms were first or last read from."""
    return {
        provenance.source_id
        for atom in atoms
        for provenance in (atom.first_provenance, atom.latest_provenance)
    }
