"""The insights, features and epics of one settled position, made item by item in the loop.

By rule the next item is the next cluster; whether to go on is told by how much of what could stand
in the list is covered, and by whether the next cluster still has enough to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, NamedTuple

from schemas.events.artifact_items import EpicFields, FeatureFields
from schemas.events.artifact_loops import LoopRecord, StopReason
from schemas.events.artifact_parts import ArtifactChange, ArtifactSnapshot, ArtifactType
from schemas.events.artifact_quality import QualityRun
from schemas.events.artifact_sections import ReviewFinding
from schemas.features import DONE
from schemas.ids import artifact_id as derive_artifact_id
from streams.reduce.artifacts.items import (
    ENGINE,
    PREFIXES,
    Settled,
    Synthesise,
    WrittenSections,
    atoms_behind,
    attempt,
    blank,
    is_withdrawn,
    item_change,
    item_titled,
    next_version,
    reject,
    withdraw,
)
from streams.reduce.artifacts.loop import run_loop
from streams.reduce.artifacts.making import Made, RuleMaker
from streams.reduce.artifacts.states import derive_item_state, derive_lane
from streams.reduce.artifacts.validator import errors
from streams.reduce.features.epics import Group, group_features
from streams.reduce.features.features import estimate_effort, feature_fields, insight_fields
from streams.reduce.features.planning import Work, order, schedule
from streams.reduce.features.user_edited import is_deleted, withdraw_deleted
from streams.reduce.features.user_edited_features import (
    NOT_PLANNED,
    OwnFeature,
    apply_user_edited_feature,
    find_edited_feature,
    is_ahead,
)
from streams.reduce.prd.gate import assess
from streams.reduce.texts.inputs import Grounds, ItemInput, ListInput, Pick, SectionInput, Withdrawn

MAX_EPIC_STATEMENTS = 5
MIN_EPIC_ATOMS = 3
SELF_ENDED = frozenset({"coverage_confident", "should_continue_false"})
ItemType = Literal["insight", "feature"]


class PlannedFeature(NamedTuple):
    """A feature's fields with its place in the plan, and the keys of what it needs."""

    key: str
    fields: FeatureFields
    needs: tuple[str, ...] = ()


@dataclass(slots=True)
class Lists:
    """One position's lists of one project; ``known`` are its items as they were, by id.

    ``velocity`` are the points a sprint of its team: without one nothing has points or dates.
    ``drafts`` are items that a model has worded or a person changes, by id; ``withdrawn`` are atoms
    that were live at the position before.
    """

    project: str
    at: Settled
    known: Mapping[str, ArtifactSnapshot]
    synthesise: Synthesise
    velocity: int | None = None
    drafts: Mapping[str, ArtifactSnapshot] = field(default_factory=dict)
    withdrawn: Mapping[str, Withdrawn] = field(default_factory=dict)
    changes: list[ArtifactChange] = field(default_factory=list)
    loops: list[LoopRecord] = field(default_factory=list)
    quality_runs: list[QualityRun] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _made: list[ArtifactSnapshot] = field(default_factory=list)

    def insights(self, given: ListInput) -> None:
        """The insights, and the end of those that are gone."""
        made, _ = self._loop("insight", "insight_generation", given)
        for place, one in enumerate(made, 1):
            fresh = self._blank(one, "insight", place).model_copy(
                update={"insight": insight_fields(one.item)}
            )
            self._take(fresh, one.grounds, one.attempt.objections)
        self._withdraw("insight")

    def features(self, given: ListInput, plan_from: date, prd: ArtifactSnapshot) -> None:
        """Features with their plan, then the epics that gather them."""
        wanted = [item for item in given.items if not is_deleted(self._before(self._item_id(item)))]
        given = given.model_copy(update={"items": wanted})
        made, stop = self._loop("feature", "feature_generation", given)
        own = self._list_own_features({one.artifact_id for one in made})
        by_key = {one.item.key: one for one in made}
        groups = [
            group
            for group in group_features([m.item for m in made])
            if len(group.atoms) >= MIN_EPIC_ATOMS
        ]
        epic_of = {item.key: self._epic_id(group) for group in groups for item in group.features}
        for place, planned in enumerate(self._plan(made, own, plan_from), 1):
            if planned.key in own:
                self._take_own_feature(own[planned.key].write(self.at, place, planned.fields))
                continue
            one = by_key[planned.key]
            fields = planned.fields.model_copy(
                update={
                    "epic_id": epic_of.get(planned.key),
                    "depends_on": [by_key[need].artifact_id for need in planned.needs],
                }
            )
            update = {"feature": fields} | self._tell_owner(one.artifact_id)
            fresh = self._blank(one, "feature", place).model_copy(update=update)
            self._take(fresh, one.grounds, one.attempt.objections)
        self._withdraw_deleted("feature")
        self._withdraw("feature")
        self._epics(groups, by_key, prd, completed=stop in SELF_ENDED)

    def _plan(
        self, made: Sequence[Made], own: Mapping[str, OwnFeature], plan_from: date
    ) -> Iterator[PlannedFeature]:
        """What exists as it came, then what is to be made, in the order in which it can be."""
        fields = {one.item.key: self._feature_fields(one) for one in made}
        fields |= {key: one.fields for key, one in own.items()}
        for key, one in fields.items():
            if one.status == DONE:
                yield PlannedFeature(key, one)
        works = [*_work(made, fields), *(own_feature.work for own_feature in own.values())]
        plan = order([work for work in works if fields[work.key].status != DONE])
        ahead = {one.key for one in plan if is_ahead(fields[one.key])}
        dated = [
            replace(one, needs=tuple(need for need in one.needs if need in ahead))
            for one in plan
            if one.key in ahead
        ]
        dates = schedule(dated, plan_from, self.velocity) if self.velocity else {}
        for work in plan:
            one = fields[work.key]
            update: dict[str, object] = {}
            if when := dates.get(work.key):
                update = {
                    "status": "planned" if one.status == NOT_PLANNED else one.status,
                    "effort_points": work.points,
                    "start_date": when.start.isoformat(),
                    "end_date": when.end.isoformat(),
                }
            yield PlannedFeature(work.key, one.model_copy(update=update), work.needs)

    def _feature_fields(self, made: Made) -> FeatureFields:
        by_rule = feature_fields(made.item)
        if made.item.state == DONE:
            by_rule = by_rule.model_copy(update={"status": DONE})
        return apply_user_edited_feature(
            by_rule, find_edited_feature(self._before(made.artifact_id))
        )

    def _list_own_features(self, made: Set[str]) -> dict[str, OwnFeature]:
        """The features that people have written and that no cluster is behind, by id."""
        drafted = self._drafted
        found = {key: OwnFeature.of(drafted[key]) for key in sorted(drafted) if key not in made}
        return {key: one for key, one in found.items() if one}

    def _take_own_feature(self, fresh: ArtifactSnapshot) -> None:
        """No gate judges what nothing in the ledger is behind."""
        self._made.append(fresh)
        before = self.known.get(fresh.artifact_id)
        lane = derive_lane(self.at.lane, before, next_version(fresh, before))
        state = derive_item_state(fresh, Grounds(()), lane)
        self._note(item_change(fresh, before, self.at, state, []))

    def _tell_owner(self, artifact_id: str) -> dict[str, object]:
        """The title that a person has given, and who changed the item last."""
        before = self._before(artifact_id)
        user_edited = find_edited_feature(before)
        title = {"title": user_edited.title} if user_edited and user_edited.title else {}
        return title | {"edited_by": before.edited_by if before else None}

    def _epics(
        self,
        groups: Sequence[Group],
        made: Mapping[str, Made],
        prd: ArtifactSnapshot,
        *,
        completed: bool,
    ) -> None:
        """The epics of these groups; ``completed``: the loop of their features ended by itself."""
        for place, group in enumerate(groups, 1):
            artifact_id = self._epic_id(group)
            members = [made[item.key] for item in group.features]
            given = SectionInput(
                section_id="description",
                picks=[_pick_first(member.item) for member in members[:MAX_EPIC_STATEMENTS]],
            )
            grounds = Grounds.of([given, *(s for member in members for s in member.item.sections)])
            written = self._attempt(artifact_id, [given], grounds)
            fields = EpicFields(
                prd_section_ids=_list_citing(prd, group.atoms),
                atom_ids=sorted(group.atoms),
                feature_ids=[member.artifact_id for member in members],
                completed=completed,
            )
            fresh = blank(artifact_id, "epic", group.title, self.at, written.sections).model_copy(
                update={
                    "number": f"{PREFIXES['epic']}-{place:03d}",
                    "epic": fields,
                    "upstream_artifact_ids": fields.feature_ids,
                }
            )
            if errors(written.findings):
                self._note(reject(fresh, self.known.get(artifact_id), self.at, written))
            else:
                self._take(fresh, grounds, written.objections)
        self._withdraw("epic")

    def _loop(
        self, artifact_type: ItemType, phase: str, given: ListInput
    ) -> tuple[list[Made], StopReason]:
        def refuse(made: Made) -> None:
            fresh = blank(made.artifact_id, artifact_type, made.item.title, self.at, [])
            self._note(reject(fresh, self.known.get(made.artifact_id), self.at, made.attempt))

        maker = RuleMaker(
            given,
            self._item_id,
            self._attempt,
            refuse,
        )
        loop = run_loop(phase, maker)
        made: list[Made] = []
        while True:
            try:
                made.append(next(loop))
            except StopIteration as ended:
                record: LoopRecord = ended.value
                self.loops.append(record)
                return made, record.stop_reason

    def _attempt(
        self, artifact_id: str, inputs: Sequence[SectionInput], grounds: Grounds
    ) -> WrittenSections:
        before = self._before(artifact_id)
        return attempt(
            artifact_id,
            inputs,
            before,
            grounds,
            self.at.lane,
            self.synthesise,
            item_titled,
            self.withdrawn,
        )

    @property
    def _drafted(self) -> dict[str, ArtifactSnapshot]:
        """All items as they were, or as they are wanted now, by id."""
        return {**self.known, **self.drafts}

    def _before(self, artifact_id: str) -> ArtifactSnapshot | None:
        return self.drafts.get(artifact_id) or self.known.get(artifact_id)

    def _item_id(self, item: ItemInput) -> str:
        return derive_artifact_id(self.project, item.artifact_type, item.key)

    def _blank(self, made: Made, artifact_type: ItemType, place: int) -> ArtifactSnapshot:
        fresh = blank(
            made.artifact_id, artifact_type, made.item.title, self.at, made.attempt.sections
        )
        return fresh.model_copy(update={"number": f"{PREFIXES[artifact_type]}-{place:03d}"})

    def _take(
        self, fresh: ArtifactSnapshot, grounds: Grounds, objections: list[ReviewFinding]
    ) -> None:
        """The item as it stands now; a feature is judged by the gate in the deep lane."""
        before = self.known.get(fresh.artifact_id)
        version = next_version(fresh, before)
        lane = derive_lane(self.at.lane, before, version)
        if lane == "deep" and fresh.artifact_type == "feature":
            run = assess(fresh.artifact_id, version, "light", fresh.sections, grounds, ENGINE)
            if before is None or before.quality_run_id != run.quality_run_id:
                self.quality_runs.append(run)
            judged = {"quality_tier": run.final_tier, "quality_run_id": run.quality_run_id}
            fresh = fresh.model_copy(update=judged)
        self._made.append(fresh)
        standing = derive_item_state(fresh, grounds, lane)
        self._note(item_change(fresh, before, self.at, standing, objections))

    def _withdraw_deleted(self, artifact_type: ArtifactType) -> None:
        """What a person has deleted just now."""
        for draft in self.drafts.values():
            if draft.artifact_type == artifact_type and is_deleted(draft):
                self._note(withdraw_deleted(draft, self.at))

    def _withdraw(self, artifact_type: ArtifactType) -> None:
        """Items of the type that this position has no cluster for any more."""
        for artifact_id, before in sorted(self.known.items()):
            alike = before.artifact_type == artifact_type and artifact_id not in self._seen
            if alike and not is_withdrawn(before):
                self._note(withdraw(before, self.at, self._successors(before)))

    def _successors(self, before: ArtifactSnapshot) -> list[str]:
        """The titles of this position's items that share most with ``before``, those first."""
        held = atoms_behind(before)
        shared = [
            (-len(held & atoms_behind(artifact_snapshot)), artifact_snapshot.title)
            for artifact_snapshot in self._made
            if artifact_snapshot.artifact_type == before.artifact_type
        ]
        return [title for share, title in sorted(shared) if share]

    def _note(self, change: ArtifactChange) -> None:
        self._seen.add(change.snapshot.artifact_id)
        if change.outcome != "unchanged":
            self.changes.append(change)

    def _epic_id(self, group: Group) -> str:
        return derive_artifact_id(self.project, "epic", group.key)


def _work(made: Sequence[Made], fields: Mapping[str, FeatureFields]) -> list[Work]:
    """What is to be planned: a feature needs those whose topic its leading atoms speak of."""
    by_anchor = {one.item.anchor: one.item for one in made}
    return [
        Work(
            one.item.key,
            _points_of(one, fields[one.item.key]),
            fields[one.item.key].priority_score,
            tuple(
                other.key
                for anchor in one.item.about
                if (other := by_anchor.get(anchor)) and one.item.anchor not in other.about
            ),
        )
        for one in made
    ]


def _points_of(made: Made, fields: FeatureFields) -> int:
    effort_points = fields.user_edited.effort_points if fields.user_edited else None
    return estimate_effort(made.item) if effort_points is None else effort_points


def _pick_first(item: ItemInput) -> Pick:
    """What an epic says of a feature: what introduces it, else the first thing to fulfil."""
    wanted = "description" if item.state else "acceptance_criteria"
    return next(section for section in item.sections if section.section_id == wanted).picks[0]


def _list_citing(prd: ArtifactSnapshot, atom_ids: Iterable[str]) -> list[str]:
    """The sections of the PRD that cite one of the atoms, in its order."""
    wanted = frozenset(atom_ids)
    return [
        section.section_id
        for section in prd.sections
        if any(
            citation.atom_id in wanted
            for statement in section.statements
            for citation in statement.citations
        )
    ]
