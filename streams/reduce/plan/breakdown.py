"""What tasks are cut from: features that are not there yet, and work that the sources list.

A feature becomes a task, or one for each discipline its requirements ask for where they are many.
An action item that orders work is a task of its own. The approach of a task is told by decisions,
else by claims, about the same, and never by what only says its title again. That of an action item
is told by what was decided, required or claimed near it, else in other sources about the same, else
by the part of itself that says by what means; where nothing tells it, it is an open question. A
feature without an approach is no task, and the reason is kept.
Decided against: a task for each requirement, half of which only describe.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.events.ledger import AtomRecord
from schemas.features import DONE, FEATURE
from schemas.shortening import shorten
from schemas.worth import worth
from streams.reduce.features.candidates import Candidate
from streams.reduce.features.features import SKILLS
from streams.reduce.features.material import Material
from streams.reduce.plan.members import GENERAL_SKILL
from streams.reduce.texts.action_items import begins_with_order, is_criterion, is_work
from streams.reduce.texts.approach import choose_telling
from streams.reduce.texts.inputs import ENOUGH_TO_SAY, ItemInput, ListInput, SectionInput
from streams.reduce.texts.means import split_means
from streams.reduce.texts.sections import is_excluded, says_no
from streams.reduce.texts.titles import AREA_TITLES, capitalize, lower
from streams.reduce.texts.topics import key_of
from streams.reduce.texts.wording import content_words, plain, position

MOST_READ = 24
MAX_REQUIREMENTS = 12
MAX_DECISIONS = 12
MAX_CLAIMS = 8
MAX_SOLUTIONS = 5
MAX_DESCRIBED = 2
MAX_RISKS = 3
MAX_SLICES = 4
MANY = 5  # requirements; a feature with fewer is one task
MAX_TITLE = 110
MAX_ACTIONS = 60
SHARED = 2  # words that an approach has in common with what it is for
MAX_NEAR = 2
MOST_ELSEWHERE = 200
SHARED_ELSEWHERE = 3  # words in common with what another source decides
TELLING = 4  # words of an action item that says by itself what is to be done
NO_APPROACH = "no decision, claim or requirement says how"
TOO_SHORT = "it says too little, and nothing near it says how"


def skill_of(atom: AtomRecord) -> str:
    return SKILLS.get(atom.area, GENERAL_SKILL)


@dataclass(slots=True)
class _Breakdown:
    """One position's breakdown; ``told`` are the atoms that are tasks or belong to what exists.

    ``deciding`` is what is decided or required anywhere, as soon as somebody has asked.
    """

    material: Material
    items: list[ItemInput] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    deciding: list[AtomRecord] | None = None

    def cut_feature(self, item: ItemInput, candidate: Candidate | None) -> None:
        slices = _slice(self.material, item, candidate)
        if not slices:
            self.left_out[item.title] = NO_APPROACH
        for one in slices:
            self.items.append(self._task_of(item, one, alone=len(slices) == 1))

    def _task_of(self, item: ItemInput, part: _Slice, *, alone: bool) -> ItemInput:
        area = _area_of(part.requirements or part.solutions)
        return ItemInput(
            artifact_type="task",
            area=area,
            anchor="whole" if alone else f"skill {part.skill}",
            name=item.name,
            title=_title_of(item, area, alone=alone),
            category=item.anchor,
            state="planned",
            sections=_sections(self.material, part),
            about=[part.skill],
        )

    def cut_actions(
        self, atoms: Iterable[AtomRecord], feature: ItemInput | None, sources: Sequence[AtomRecord]
    ) -> None:
        """Tasks of the action items; ``sources`` are what may tell how, by rank."""
        for atom in atoms:
            if atom.atom_id in self.told:
                continue
            self.told.add(atom.atom_id)
            means = split_means(plain(atom.statement))
            order = means or plain(atom.statement).rstrip(" .,;:")
            title = shorten(capitalize(order), MAX_TITLE)
            near = choose_telling(_find_related([atom], sources, self.material), title)
            decided = [one for one in near if one.kind != "claim"][:MAX_NEAR]
            if len(content_words(atom.statement)) < TELLING and not decided:
                self.left_out[title] = TOO_SHORT
                continue
            said = [one for one in near if one.kind == "claim"][:MAX_NEAR]
            how = (
                [atom, *decided] if means else decided or said or self._find_elsewhere(atom, title)
            )
            part = _Slice(skill_of(atom), [], how or [atom], [atom, *said], [], [])
            self.items.append(
                ItemInput(
                    artifact_type="task",
                    area=atom.area,
                    anchor=atom.atom_id,
                    name=title,
                    title=title,
                    category=feature.anchor if feature else "",
                    state="planned",
                    sections=_sections(self.material, part),
                    about=[part.skill],
                )
            )

    def _find_elsewhere(self, atom: AtomRecord, title: str) -> list[AtomRecord]:
        """What other sources decide or require about the same."""
        if self.deciding is None:
            live, kinds = sorted(self.material.shortlist.live), ("decision", "requirement")
            self.deciding = self.material.best(live, frozenset(kinds))[:MOST_ELSEWHERE]
        wanted = _words([atom])
        telling = [
            atom_record
            for atom_record in choose_telling(self.deciding, title)
            if len(_words([atom_record]) & wanted) >= SHARED_ELSEWHERE
        ]
        return _find_related([atom], telling, self.material)[:MAX_NEAR]


@dataclass(slots=True)
class _Slice:
    """The part of a feature that asks for one discipline."""

    skill: str
    requirements: list[AtomRecord]
    solutions: list[AtomRecord]
    introducing: list[AtomRecord]
    risks: list[AtomRecord]
    questions: list[SectionInput]


def break_down(material: Material, features: ListInput, named: Sequence[Candidate]) -> ListInput:
    """The tasks of one position: those of features in their order, then those that stand alone."""
    candidates = {candidate.key: candidate for candidate in named}
    work = _Breakdown(material)
    by_source = _gather_by_source(material)
    actions = by_source.actions
    for item in features.items:
        candidate = candidates.get(item.anchor) if item.state else None
        own = (
            {atom.first_provenance.source_id for atom in candidate.introducing} if candidate else ()
        )
        listed = [atom for source in sorted(own) for atom in actions.get(source, ())]
        if item.state == DONE:
            work.told.update(atom.atom_id for atom in listed)
            continue
        work.cut_feature(item, candidate)
        telling = [
            atom_record
            for source in sorted(own)
            for atom_record in by_source.telling.get(source, ())
        ]
        work.cut_actions(listed, item, telling)
    for source in sorted(actions):
        work.cut_actions(actions[source], None, by_source.telling.get(source, ()))
    items = _without_repeats(work.items)
    kinds: list[str] = sorted({atom.kind for item in items for atom in item.atoms})
    eligible = len({atom.atom_id for item in items for atom in item.atoms})
    return ListInput(items=items, eligible=eligible, kinds=kinds, left_out=work.left_out)


@dataclass(slots=True)
class _BySource:
    """The action items and what may tell how, of each source, the best first."""

    actions: dict[str, list[AtomRecord]] = field(default_factory=dict)
    telling: dict[str, list[AtomRecord]] = field(default_factory=dict)


def _gather_by_source(material: Material) -> _BySource:
    by_source = _BySource()
    live = sorted(material.shortlist.live)
    actions = [atom for one in live if (atom := material.atoms[one]).kind == "action_item"]
    actions = sorted(filter(is_work, actions), key=lambda one: (-worth(one), one.atom_id))
    actions = actions[:MAX_ACTIONS]
    wanted = {atom.first_provenance.source_id for atom in actions}
    for atom in actions:
        by_source.actions.setdefault(atom.first_provenance.source_id, []).append(atom)
    near = [one for one in live if material.atoms[one].first_provenance.source_id in wanted]
    for atom in material.best(near, frozenset({"decision", "requirement", "claim"})):
        by_source.telling.setdefault(atom.first_provenance.source_id, []).append(atom)
    return by_source


def _slice(material: Material, item: ItemInput, candidate: Candidate | None) -> list[_Slice]:
    """The parts of a feature, those that others build on first; none without an approach."""
    requirements = _choose_criteria(_collect(material, item, candidate, "requirement", MOST_READ))
    decided = _collect(material, item, candidate, "decision", MAX_DECISIONS)
    decisions = [one for one in decided if not says_no(one)] or decided
    said = _collect(material, item, candidate, "claim", MAX_CLAIMS)
    claims = [one for one in said if FEATURE not in one.attributes]
    parts = []
    groups = _group(requirements)
    shared = _spread(decisions, groups)
    biggest = max(groups, key=lambda one: len(groups[one]))
    introducing = _introduce(item)
    for skill, wanted in groups.items():
        how = shared.get(skill) or _find_related(wanted or introducing, claims, material)
        how = how or decisions[:2] or (claims[:3] if len(groups) == 1 else [])
        how = how or [requirement for requirement in requirements if requirement not in wanted][:2]
        how = choose_telling(how, item.title)
        if not how:
            continue
        main = skill == biggest
        questions = [section for section in item.sections if section.section_id == "open_questions"]
        parts.append(
            _Slice(
                skill,
                wanted,
                how[:MAX_SOLUTIONS],
                introducing,
                _risks_for(item, skill, main=main),
                questions if main else [],
            )
        )
    return parts


def _collect(
    material: Material, item: ItemInput, candidate: Candidate | None, kind: str, most: int
) -> list[AtomRecord]:
    """The feature's atoms of a kind: those it shows, then others of its page or name."""
    shown = [atom_record for atom_record in _ordered(item) if atom_record.kind == kind]
    more = candidate.others if candidate else []
    others = material.best((atom.atom_id for atom in more), frozenset({kind}))
    found = {one.atom_id: one for one in (*shown, *others) if not material.is_contradicted(one)}
    return list(found.values())[:most]


def _ordered(item: ItemInput) -> list[AtomRecord]:
    wanted = ("description", "acceptance_criteria")
    return [atom for section_id in wanted for atom in item.atoms_of(section_id)]


def _choose_criteria(requirements: Iterable[AtomRecord]) -> list[AtomRecord]:
    """What can be checked: what obliges or allows; the rest only where that is little."""
    wanted = [requirement for requirement in requirements if not is_excluded(requirement)]
    binding = [one for one in wanted if is_criterion(one.statement)]
    return (binding if len(binding) >= ENOUGH_TO_SAY else wanted)[:MAX_REQUIREMENTS]


def _introduce(item: ItemInput) -> list[AtomRecord]:
    """What says best what the feature is: not that it is only planned."""
    atoms = [
        atom
        for atom in item.atoms_of("description")
        if atom.kind in ("claim", "entity", "domain_signal")
        and not atom.title.endswith(f": {item.name}")
    ]
    told = [atom for atom in atoms if not says_no(atom)] or atoms
    return (told or item.atoms_of("description") or item.atoms_of("acceptance_criteria"))[:1]


def _group(requirements: Sequence[AtomRecord]) -> dict[str, list[AtomRecord]]:
    """Requirements by discipline; what is little on its own goes to the largest group."""
    groups: dict[str, list[AtomRecord]] = defaultdict(list)
    for atom in requirements:
        groups[skill_of(atom)].append(atom)
    if not groups:
        return {GENERAL_SKILL: []}
    ranked = sorted(groups, key=lambda one: (-len(groups[one]), one))
    kept = ranked[:1]
    if len(requirements) >= MANY:
        kept += [one for one in ranked[1:MAX_SLICES] if len(groups[one]) > 1]
    rest = [atom for one in ranked if one not in kept for atom in groups[one]]
    return {one: [*groups[one], *(rest if one == kept[0] else [])] for one in kept}


def _spread(
    decisions: Iterable[AtomRecord], groups: Mapping[str, list[AtomRecord]]
) -> dict[str, list[AtomRecord]]:
    """Each decision to the group of its discipline, else to the one it shares most words with."""
    found: dict[str, list[AtomRecord]] = defaultdict(list)
    words = {skill: _words(atoms) for skill, atoms in groups.items()}
    for atom in decisions:
        skill = skill_of(atom)
        if skill not in groups:
            own = _words([atom])
            skill = max(groups, key=lambda one: (len(own & words[one]), len(groups[one]), one))
        found[skill].append(atom)
    return found


def _find_related(
    wanted: Sequence[AtomRecord], sources: Sequence[AtomRecord], material: Material
) -> list[AtomRecord]:
    """Those of ``sources`` that share enough words with ``wanted``, most of them first."""
    words, ids = _words(wanted), {atom_record.atom_id for atom_record in wanted}
    spread = Counter(word for source in sources for word in _words([source]))
    everywhere = {word for word, seen in spread.items() if 2 * seen > len(sources) > 3}
    least = min(SHARED, len(words - everywhere))
    ranked = [
        (-len(shared), place, one)
        for place, one in enumerate(sources)
        if one.atom_id not in ids
        and not is_excluded(one)
        and not material.is_contradicted(one)
        and len(shared := (_words([one]) & words) - everywhere) >= max(1, least)
    ]
    return [one for _, _, one in sorted(ranked, key=lambda it: it[:2])]


def _words(atoms: Iterable[AtomRecord]) -> frozenset[str]:
    return frozenset(key_of(word) for atom in atoms for word in content_words(atom.statement))


def _risks_for(item: ItemInput, skill: str, *, main: bool) -> list[AtomRecord]:
    risks = item.atoms_of("risks")
    return [risk for risk in risks if skill_of(risk) == skill or main][:MAX_RISKS]


def _sections(material: Material, part: _Slice) -> list[SectionInput]:
    used = {solution.atom_id for solution in part.solutions}
    described = [atom_record for atom_record in part.introducing if atom_record.atom_id not in used]
    described = described or part.requirements[:1] or part.introducing
    wanted = [requirement for requirement in part.requirements if requirement.atom_id not in used]
    sections = [
        material.section("description", described[:MAX_DESCRIBED]),
        material.section("solutions", part.solutions),
        material.section("acceptance_criteria", wanted),
        material.section("risks", part.risks),
        *part.questions,
    ]
    return [section for section in sections if any(position(pick.lead) for pick in section.picks)]


def _area_of(atoms: Sequence[AtomRecord]) -> str:
    return Counter(sorted(atom.area for atom in atoms)).most_common(1)[0][0]


def _title_of(item: ItemInput, area: str, *, alone: bool) -> str:
    name = item.name if begins_with_order(item.name) else f"Implement {lower(item.name)}"
    return shorten(name if alone else f"{name}: {lower(AREA_TITLES[area])}", MAX_TITLE)


def _without_repeats(items: Iterable[ItemInput]) -> list[ItemInput]:
    """Each title once, its first place."""
    found: dict[str, ItemInput] = {}
    for item in items:
        found.setdefault(" ".join(item.title.lower().split()), item)
    return list(found.values())
