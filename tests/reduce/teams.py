"""Teams in a few words, and a ledger with a feature that is planned."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from schemas.envelope import SYSTEM, Event, outside_fact
from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_items import TaskFields
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_plans import SprintPlanFields
from schemas.events.team import Member, MemberAdded, PlanSet
from schemas.features import FEATURE, FEATURE_PLACE, FEATURE_STATE, PAGE, PLANNED
from tests.reduce.ledgers import AT, PROJECT, Play, a_requirement, an_atom, as_record

PAGE_OF_SEALS = "src_seals"
SEALS = an_atom(
    "claim",
    "Crate seals are tags that show whether a crate was opened on its way",
    source=PAGE_OF_SEALS,
    attributes={FEATURE: "Crate seals", FEATURE_STATE: PLANNED, FEATURE_PLACE: PAGE},
)
BREAK = a_requirement(
    "A broken seal must be shown to the sender within a minute",
    source=PAGE_OF_SEALS,
    area="integrations",
)
SIGNED = a_requirement(
    "Every seal must carry a signature of the depot", source=PAGE_OF_SEALS, area="security"
)
NUMBERS = an_atom(
    "decision",
    "We will print the number of a seal as a bar code",
    source=PAGE_OF_SEALS,
    area="integrations",
)
FORGED = an_atom(
    "risk", "A forged seal hides a theft", severity="high", source=PAGE_OF_SEALS, area="security"
)
PLANNED_FEATURE = (SEALS, BREAK, SIGNED, NUMBERS, FORGED)


def a_member(name: str, *skills: str, points: int = 10, **more: Any) -> Member:
    known = dict.fromkeys(skills, 3)
    return Member(member_id=f"mem_{name}", name=name, skills=known, capacity_points=points, **more)


def joins(member: Member) -> MemberAdded:
    return MemberAdded(**member.model_dump())


def starts(day: str, velocity: int | None = None) -> PlanSet:
    return PlanSet(start_day=day, velocity=velocity)


def ask(play: Play, event: Event, key: str = "", at: datetime = AT) -> list[ArtifactChanged]:
    """The event reaches the writer; its answers to that."""
    before = len(play.answers())
    tell(play, event, key, at)
    play.decide()
    return play.answers()[before:]


def tell(play: Play, event: Event, key: str = "", at: datetime = AT) -> None:
    """The event reaches the writer, which is not asked."""
    name = key or event.model_dump_json()
    fact = outside_fact(event, project_id=PROJECT, occurred_at=at, actor=SYSTEM, natural_key=name)
    play.asked.append(as_record(event.topic, len(play.asked), fact))
    play.writer.evolve(play.state, play.asked[-1])


def standing(play: Play, artifact_type: str) -> list[ArtifactSnapshot]:
    """What there is of a type after all answers, by number."""
    found = {
        change.snapshot.artifact_id: change.snapshot
        for answer in play.answers()
        for change in answer.items
        if change.snapshot.artifact_type == artifact_type and change.outcome != "rejected"
    }
    return sorted((one for one in found.values() if one.number), key=lambda one: one.number)


def task_of(item: ArtifactSnapshot) -> TaskFields:
    assert item.task
    return item.task


def plan_of(item: ArtifactSnapshot) -> SprintPlanFields:
    assert item.sprint_plan
    return item.sprint_plan


def said(item: ArtifactSnapshot, section_id: str) -> list[str]:
    return [
        statement.text
        for section in item.sections
        if section.section_id == section_id
        for statement in section.statements
    ]
