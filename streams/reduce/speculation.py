"""Writing ahead of a settled position: sections, then features and epics.

A position of its own is the commit of a batch after which a section has its minimum of atoms for
the first time, or the project twice the live atoms of the position before. Both are read off the
ledger at exactly that change set, so two installations write ahead at the same places; and since
the atoms double, all that is written ahead of a run costs less than twice its end. Decided against:
every commit, which costs with the square of the run, and a clock, which decides differently each
time.

What is written ahead is kept apart from what stands (``Guess``) and is judged as a preview: the
settled version is written as if it had never been.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from schemas.envelope import Part
from schemas.events.artifact import ArtifactChanged, SpeculationEnd
from schemas.events.artifact_parts import ArtifactChange, ArtifactSnapshot
from schemas.events.artifact_sections import Section
from schemas.events.team import Team
from schemas.features import DONE
from streams.reduce.artifacts.items import Settled, Synthesise
from streams.reduce.artifacts.states import MIN_SECTION_ATOMS, section_has_minimum
from streams.reduce.plan.backlog import Backlog
from streams.reduce.prd.prd import write_prd
from streams.reduce.prd.selection import ProjectShortlist
from streams.reduce.texts.inputs import DuePosition
from streams.reduce.texts.sections import SECTIONS

GROWTH = 2


class Begun(Part):
    """What the last position of a project had: its live atoms, and which sections had begun."""

    live: int = 0
    sections: list[str] = []


class Guess(Part):
    """An artifact as it was written ahead; ``told`` are the sections nobody has settled yet."""

    snapshot: ArtifactSnapshot
    told: list[str]


def note_progress(before: Begun, shortlist: ProjectShortlist) -> Begun:
    """How far the project has come now; a section that has begun stays begun."""
    able = {
        plan.section_id
        for plan in SECTIONS
        if len(shortlist.own.get(plan.section_id, {})) >= MIN_SECTION_ATOMS[plan.section_id]
    }
    return Begun(live=len(shortlist.live), sections=sorted(able.union(before.sections)))


def is_worth_writing(before: Begun, now: Begun) -> bool:
    """Whether a section has begun or the project has grown enough since the position before."""
    return now.sections != before.sections or now.live >= GROWTH * max(before.live, 1)


@dataclass(slots=True)
class Speculation:
    """One position of one project: what is written ahead, and what of it is gone again."""

    project: str
    guesses: Mapping[str, Guess]
    changes: list[ArtifactChange] = field(default_factory=list)
    ended: list[SpeculationEnd] = field(default_factory=list)

    def write(
        self,
        due: DuePosition,
        prd_id: str,
        known: Mapping[str, ArtifactSnapshot],
        plan_from: date,
        synthesise: Synthesise,
    ) -> None:
        """``known`` are the artifacts as they stand; a guess takes the place of what it guesses."""
        at = Settled(due.ledger_seq, due.run_id or "", "preview", "written_ahead")
        latest = {**known, **{key: guess.snapshot for key, guess in self.guesses.items()}}
        known_prd = latest.get(prd_id)
        prd = write_prd(
            prd_id,
            due.sections,
            known_prd,
            at,
            synthesise,
            due.backings,
            withdrawn=due.withdrawn,
        )
        if prd.outcome == "rejected":
            return
        begun = [
            section.section_id for section in prd.snapshot.sections if section_has_minimum(section)
        ]
        changed = ArtifactChange(
            outcome=prd.outcome,
            snapshot=prd.snapshot,
            recomputed_sections=prd.recomputed_sections,
            reason=at.reason,
        )
        self._take(changed, begun)
        items = {key: one for key, one in latest.items() if key != prd_id}
        lists = Backlog(self.project, at, items, synthesise)
        lists.features(due.features, plan_from, prd.snapshot)
        lists.plan(due.tasks, Team(), plan_from)
        now = {item.artifact_id: item for item in items.values()}
        now |= {change.snapshot.artifact_id: change.snapshot for change in lists.changes}
        epics = _epics_of(begun, now.values())
        for change in lists.changes:
            if change.snapshot.task:
                self._take_task(change, epics, now)
            else:
                self._take_item(change, epics)

    def _take_task(
        self,
        change: ArtifactChange,
        epics: frozenset[str],
        now: Mapping[str, ArtifactSnapshot],
    ) -> None:
        """A task is told when the epic of its feature is told and complete."""
        task = change.snapshot.task
        feature = now.get(task.feature_id or "") if task else None
        epic = now.get(feature.feature.epic_id or "") if feature and feature.feature else None
        complete = epic and epic.epic and epic.epic.completed and epic.artifact_id in epics
        if complete or change.snapshot.artifact_id in self.guesses:
            speaking = [
                section.section_id for section in change.snapshot.sections if section.statements
            ]
            self._take(change, speaking)

    def _take_item(self, change: ArtifactChange, epics: frozenset[str]) -> None:
        """An item is told when its epic is one of a section that has begun, or when it exists."""
        item = change.snapshot
        epic_id = item.feature.epic_id if item.feature else item.artifact_id
        exists = item.feature is not None and item.feature.status == DONE
        if exists or epic_id in epics or item.artifact_id in self.guesses:
            self._take(
                change, [section.section_id for section in item.sections if section.statements]
            )

    def _take(self, change: ArtifactChange, speaking: Sequence[str]) -> None:
        """``speaking`` are the sections that say enough to be told."""
        item = change.snapshot
        guess = self.guesses.get(item.artifact_id)
        if change.outcome != "published":
            return
        recomputed_sections = [
            recomputed_section
            for recomputed_section in change.recomputed_sections
            if recomputed_section in speaking
        ]
        gone = [one for one in guess.told if one not in speaking] if guess else []
        if recomputed_sections:
            self.changes.append(
                change.model_copy(update={"recomputed_sections": recomputed_sections})
            )
        if gone:
            self.ended.append(
                SpeculationEnd(
                    artifact_id=item.artifact_id, artifact_type=item.artifact_type, withdrawn=gone
                )
            )


def _epics_of(begun: Iterable[str], items: Iterable[ArtifactSnapshot]) -> frozenset[str]:
    """The epics whose features stand in a section that has begun."""
    wanted = frozenset(begun)
    return frozenset(
        item.artifact_id for item in items if item.epic and wanted & {*item.epic.prd_section_ids}
    )


def after_guessing(
    guesses: Mapping[str, Guess], changes: Iterable[ArtifactChange], ended: Iterable[SpeculationEnd]
) -> dict[str, Guess]:
    """The guesses after a position; one of which nothing is told any more is dropped."""
    after = dict(guesses)
    for change in changes:
        key = change.snapshot.artifact_id
        told = [*(after[key].told if key in after else ()), *change.recomputed_sections]
        after[key] = Guess(snapshot=change.snapshot, told=sorted(set(told)))
    for end in ended:
        left = [one for one in after[end.artifact_id].told if one not in end.withdrawn]
        after[end.artifact_id] = after[end.artifact_id].model_copy(update={"told": left})
    return {key: guess for key, guess in after.items() if guess.told}


def ends_of(
    guesses: Mapping[str, Guess], answer: ArtifactChanged, items: Mapping[str, ArtifactSnapshot]
) -> list[SpeculationEnd]:
    """What became of each guess at a settled position; ``items`` are those that stand after it."""
    standing = {**items, answer.snapshot.artifact_id: answer.snapshot}
    return [
        _end_of(guess, standing.get(artifact_id)) for artifact_id, guess in sorted(guesses.items())
    ]


def _end_of(guess: Guess, settled: ArtifactSnapshot | None) -> SpeculationEnd:
    ahead = _find_speaking(guess.snapshot)
    now = _find_speaking(settled) if settled else {}
    outcome: dict[str, list[str]] = {"confirmed": [], "recomputed": [], "withdrawn": []}
    for section_id in guess.told:
        if section_id not in now:
            outcome["withdrawn"].append(section_id)
        elif now[section_id].input_hash == ahead[section_id].input_hash:
            outcome["confirmed"].append(section_id)
        else:
            outcome["recomputed"].append(section_id)
    return SpeculationEnd(
        artifact_id=guess.snapshot.artifact_id,
        artifact_type=guess.snapshot.artifact_type,
        **outcome,
    )


def _find_speaking(item: ArtifactSnapshot) -> dict[str, Section]:
    return {section.section_id: section for section in item.sections if section.statements}
