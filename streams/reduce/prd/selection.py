"""Which atoms stand in which section: the best of each, spread over sources, none twice.

The shortlist is an index in memory, kept up with every change set, so that a settled position costs
what it selects and not what the ledger holds. It is made anew from the ledger's tables.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from schemas.events.ledger import LIVE, AtomRecord, ContradictionRecord, EvidenceRow
from schemas.worth import worth
from streams.ledger.atoms.document_status import is_over, is_unquoted
from streams.ledger.likeness.agreement import keep_order
from streams.reduce.prd.placed_atoms import SectionFit
from streams.reduce.prd.placement import places
from streams.reduce.prd.use import WORTH_PRINTING, use_of
from streams.reduce.texts.inputs import Pick, SectionInput
from streams.reduce.texts.sections import SECTIONS, SHOWN, SectionPlan, says_no
from streams.reduce.texts.wording import content_words, numbers, pair_text

POOL = 240  # atoms looked at per section; far above any section's limit, so that sources can spread
SHORT_OF = 4  # a section with fewer statements takes atoms that fit it second
HEADED = frozenset({"problem", "goals", "users", "risks"})  # what documents have headings for
SHORT_OF_HEADED = 8
FEW = 12  # statements of a whole document; below it what a reader would hardly print stands there
MAX_CITED = 4
MAX_PAIRS = 8
SHOWN_PAIRS = 2
SAME_TITLE = 0.8
ENOUGH_WORDS = 6  # of a statement that a longer one repeats
PER_SOURCE = 0.12
OFTEN = 4  # atoms of a source; one more counts no less than this one did
CONTRADICTED = 0.1
_SEVERITY = {"high": 0, "medium": 1, "low": 2}
_OPEN = frozenset({"open", "escalated"})


@dataclass(frozen=True, slots=True)
class Entry:
    """An atom among a section's candidates."""

    score: float
    source_id: str


@dataclass(slots=True)
class ProjectShortlist:
    """The live atoms of a project by section, and its open contradictions by atom; ``spare`` are
    those that a reader would hardly print, ``use`` how likely he would print the others.
    """

    own: dict[str, dict[str, Entry]] = field(default_factory=dict)
    others: dict[str, dict[str, Entry]] = field(default_factory=dict)
    spare: dict[str, dict[str, Entry]] = field(default_factory=dict)
    use: dict[str, float] = field(default_factory=dict)
    held: dict[str, list[dict[str, Entry]]] = field(default_factory=dict)
    live: set[str] = field(default_factory=set)
    contradictions: dict[str, dict[str, ContradictionRecord]] = field(default_factory=dict)

    def put(self, atom: AtomRecord, rows: Iterable[EvidenceRow]) -> None:
        """Take the atom as it stands now, with its evidence, if it is live, quoted and not over."""
        for entries in self.held.pop(atom.atom_id, []):
            entries.pop(atom.atom_id, None)
        self.live.discard(atom.atom_id)
        self.use.pop(atom.atom_id, None)
        if atom.status not in LIVE or atom.ledger != "pkl" or is_over(atom) or is_unquoted(atom):
            return
        self.live.add(atom.atom_id)
        evidence = list(rows)
        fits = places(atom, evidence)
        if not fits.own and not fits.others:
            return
        use, score = use_of(atom, evidence, fits), worth(atom)
        if use < WORTH_PRINTING:
            if fits.own:
                self._enter(self.spare, fits.own, atom, score)
            return
        self.use[atom.atom_id] = use
        if fits.own:
            self._enter(self.own, fits.own, atom, score)
        for place in fits.others:
            if place.fit > 0.0:
                self._enter(self.others, place, atom, score)

    def _enter(
        self, lists: dict[str, dict[str, Entry]], place: SectionFit, atom: AtomRecord, score: float
    ) -> None:
        entries = lists.setdefault(place.section_id, {})
        entries[atom.atom_id] = Entry(round(score + place.fit, 6), atom.latest_provenance.source_id)
        self.held.setdefault(atom.atom_id, []).append(entries)

    def put_contradiction(self, contradiction_record: ContradictionRecord) -> None:
        for atom_id in (contradiction_record.atom_a_id, contradiction_record.atom_b_id):
            known = self.contradictions.setdefault(atom_id, {})
            if contradiction_record.status in _OPEN:
                known[contradiction_record.contradiction_id] = contradiction_record
            else:
                known.pop(contradiction_record.contradiction_id, None)
            if not known:
                del self.contradictions[atom_id]

    def contradictions_of(self, *atom_ids: str) -> list[ContradictionRecord]:
        """The open contradictions between live atoms that touch one of ``atom_ids``, by id."""
        found = {
            key: one
            for atom_id in atom_ids
            for key, one in self.contradictions.get(atom_id, {}).items()
            if self.live.issuperset((one.atom_a_id, one.atom_b_id))
        }
        return [found[key] for key in sorted(found)]

    def open_contradictions(self) -> list[ContradictionRecord]:
        """All open contradictions between live atoms, the severest first."""
        found = {
            contradiction.contradiction_id: contradiction
            for contradiction in self.contradictions_of(*self.contradictions)
        }
        return sorted(
            found.values(), key=lambda one: (_SEVERITY[one.severity], one.contradiction_id)
        )


@dataclass(frozen=True, slots=True)
class Atoms:
    """The atoms of one project by id, read from the ledger's table."""

    table: Mapping[str, AtomRecord]
    project: str

    def __getitem__(self, atom_id: str) -> AtomRecord:
        return self.table[f"{self.project}|{atom_id}"]


@dataclass(slots=True)
class _Selection:
    """One pass over all sections; ``used`` are the atoms that stand somewhere already."""

    shortlist: ProjectShortlist
    atoms: Atoms
    picks: dict[str, list[Pick]]
    used: set[str] = field(default_factory=set)
    spoken: list[tuple[frozenset[str], frozenset[str], str, int]] = field(default_factory=list)

    def fill(self, plan: SectionPlan, entries: dict[str, Entry], limit: int) -> None:
        """Add the best of ``entries`` until ``limit``; each next atom of a source counts less."""
        chosen = self.picks[plan.section_id]
        pool = heapq.nsmallest(POOL, entries.items(), key=lambda item: (-item[1].score, item[0]))
        taken: dict[str, int] = {}
        while pool and len(chosen) < limit:
            best = min(pool, key=lambda item: (-self._present(item, taken), item[0]))
            pool.remove(best)
            if self._add(plan.section_id, best[0]):
                taken[best[1].source_id] = taken.get(best[1].source_id, 0) + 1

    def _present(self, item: tuple[str, Entry], taken: dict[str, int]) -> float:
        atom_id, entry = item
        less = PER_SOURCE * min(taken.get(entry.source_id, 0), OFTEN)
        return round(
            entry.score - less - CONTRADICTED * (atom_id in self.shortlist.contradictions), 6
        )

    def _add(self, section_id: str, atom_id: str) -> bool:
        """Whether the atom became a statement of the section."""
        if atom_id in self.used:
            return False
        atom = self.atoms[atom_id]
        contradictions = self.shortlist.contradictions_of(atom_id)
        if contradictions:
            return section_id != "open_questions" and self._add_pair(
                section_id, atom, contradictions
            )
        if self._repeats(section_id, atom):
            return False
        self._speak(section_id, Pick(atoms=[atom]))
        return True

    def _repeats(self, section_id: str, atom: AtomRecord) -> bool:
        """Whether a statement says the same; in the same section it then cites this atom too."""
        words, figures = content_words(atom.compared_title), numbers(atom.compared_title)
        for known, known_figures, known_section, at in self.spoken:
            shared = len(words & known)
            whole = shared >= SAME_TITLE * len(words | known)
            part = ENOUGH_WORDS <= shared == min(len(words), len(known))
            if not shared or not (whole or part):
                continue
            pick = self.picks[known_section][at]
            same = (
                figures == known_figures
                if whole
                else figures & known_figures in (figures, known_figures)
            )
            alike = same and atom.polarity == pick.lead.polarity
            if not alike or pick.contradictions or not keep_order(atom.title, pick.lead.title):
                continue
            if known_section == section_id and len(pick.atoms) < MAX_CITED:
                cited = [*pick.atoms, atom]
                self.picks[known_section][at] = pick.model_copy(update={"atoms": cited})
            self.used.add(atom.atom_id)
            return True
        return False

    def _add_pair(
        self, section_id: str, atom: AtomRecord, contradictions: list[ContradictionRecord]
    ) -> bool:
        """Both positions as one statement, when neither is in a further contradiction."""
        (one, *more) = contradictions
        other_id = one.atom_b_id if one.atom_a_id == atom.atom_id else one.atom_a_id
        if more or other_id in self.used or len(self.shortlist.contradictions_of(other_id)) > 1:
            return False
        return self._pair(section_id, atom, self.atoms[other_id], contradictions)

    def _pair(
        self,
        section_id: str,
        atom: AtomRecord,
        other: AtomRecord,
        contradictions: list[ContradictionRecord],
    ) -> bool:
        if not pair_text(atom, other):
            return False
        self._speak(
            section_id, Pick(atoms=[atom, other], contradictions=contradictions, paired=True)
        )
        return True

    def _speak(self, section_id: str, pick: Pick) -> None:
        self.used.update(atom.atom_id for atom in pick.atoms)
        title = pick.lead.compared_title
        at = len(self.picks[section_id])
        self.spoken.append((content_words(title), numbers(title), section_id, at))
        self.picks[section_id].append(pick)

    def ask_contradictions(self) -> None:
        """Contradictions that no statement names become open questions, each atom once."""
        asked = self.picks["open_questions"]
        for contradiction in self.shortlist.open_contradictions():
            if len(asked) >= MAX_PAIRS:
                return
            pair = (contradiction.atom_a_id, contradiction.atom_b_id)
            if not self.used.intersection(pair) and self.shortlist.held.keys() >= set(pair):
                first, second = (self.atoms[atom_id] for atom_id in pair)
                touching = self.shortlist.contradictions_of(*pair)
                self._pair("open_questions", first, second, touching)


def select(shortlist: ProjectShortlist, atoms: Atoms) -> list[SectionInput]:
    """The atoms of every section, in the order of the PRD; a function of the ledger alone."""
    selection = _Selection(shortlist, atoms, {plan.section_id: [] for plan in SECTIONS})
    *content, questions = SECTIONS
    for plan in content:
        selection.fill(plan, shortlist.own.get(plan.section_id, {}), plan.limit)
    for plan in content:
        wanted = min(plan.limit, SHORT_OF_HEADED if plan.section_id in HEADED else SHORT_OF)
        selection.fill(plan, shortlist.others.get(plan.section_id, {}), wanted)
    is_thin = sum(map(len, selection.picks.values())) < FEW
    if is_thin:
        for plan in content:
            selection.fill(plan, shortlist.spare.get(plan.section_id, {}), SHOWN)
    selection.ask_contradictions()
    selection.fill(questions, shortlist.own.get(questions.section_id, {}), questions.limit)
    if is_thin:
        selection.fill(questions, shortlist.spare.get(questions.section_id, {}), SHOWN)
    return [
        SectionInput(
            section_id=plan.section_id, picks=list(_order(plan, selection.picks, shortlist.use))
        )
        for plan in SECTIONS
    ]


def _order(
    plan: SectionPlan, picks: dict[str, list[Pick]], use: Mapping[str, float]
) -> Iterator[Pick]:
    """What a reader would likeliest print first; under scope what is in before what is out, some of
    both among those shown.
    """
    chosen = picks[plan.section_id]
    if plan.section_id == "open_questions":  # what the team asks itself before what disagrees
        asked = [pick for pick in chosen if not pick.paired]
        pairs = [pick for pick in chosen if pick.paired]
        first = asked[: SHOWN - min(len(pairs), SHOWN_PAIRS)]
        return iter([*first, *pairs, *asked[len(first) :]])
    if plan.section_id != "scope":
        return iter(
            sorted(chosen, key=lambda pick: -max(use.get(it.atom_id, 0.0) for it in pick.atoms))
        )
    inside = [pick for pick in chosen if not says_no(pick.lead)]
    outside = [pick for pick in chosen if says_no(pick.lead)]
    first_in = inside[: max(SHOWN - len(outside), SHOWN // 2)]
    first_out = outside[: SHOWN - len(first_in)]
    rest = [*inside[len(first_in) :], *outside[len(first_out) :]]
    return iter([*first_in, *first_out, *rest])
