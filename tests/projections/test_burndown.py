"""The burndown of a sprint: what was left at the end of each day, whatever came or went."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from infra.cli.show import document_of
from infra.client.models.shared import Item
from infra.client.models.views import ArtifactView
from infra.platform.errors import NotFound
from projections.read.burndown import Burndown, BurndownDay, read_burndown
from projections.read.views import read_view
from schemas.envelope import outside_fact
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.change import (
    ChangeRequested,
    EditedStatement,
    SectionEdit,
    SprintEdit,
    TaskEdit,
)
from schemas.events.project import ProjectCreated
from schemas.ids import artifact_id
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log
from tests.projections.test_team import records_of
from tests.reduce.ledgers import AT, PROJECT, Play
from tests.reduce.teams import a_member, ask, joins, standing, starts
from tests.web import as_client

ZONE = "America/Los_Angeles"  # seven hours behind
SPRINT = artifact_id(PROJECT, "sprint_plan", "1")
HOW = "Write the seal with the key of the depot, and compare it on arrival."
FIRST, LAST = "2026-05-04", "2026-05-17"


class Plan(Play):
    """A sprint from Monday the 4th of May to the 17th, whose tasks are those of a test."""

    def __init__(self) -> None:
        super().__init__()
        self.given([])
        self.ends()
        for fact in (joins(a_member("Ana", points=30)), starts("2026-05-04")):
            ask(self, fact, at=noon(1))

    def tell_task(self, name: str, at: datetime, **told: object) -> None:
        steps = SectionEdit(section_id="solutions", statements=[EditedStatement(text=HOW)])
        known = self.find(artifact_id(PROJECT, "task", name))
        more = {"task": TaskEdit.model_validate(told if known else {"title": name} | told)}
        sections = [] if known else [steps]
        self._change(artifact_id(PROJECT, "task", name), at, sections=sections, **more)

    def close(self, at: datetime, *, is_closed: bool = True) -> None:
        told = SprintEdit(is_closed=is_closed)
        self._change(SPRINT, at, changed_type="sprint_plan", sprint=told, sections=[])

    def find(self, item_id: str) -> ArtifactSnapshot | None:
        items = [*standing(self, "task"), *standing(self, "sprint_plan")]
        return next((it for it in items if it.artifact_id == item_id), None)

    def _change(self, item_id: str, at: datetime, **more: object) -> None:
        known = self.find(item_id)
        asked = {
            "artifact_id": item_id,
            "op": "update" if known else "create",
            "expected_version": known.version if known else 0,
            "editor": "ana",
        }
        (answer,) = ask(self, ChangeRequested.model_validate(asked | more), at=at)
        assert answer.edit and not answer.edit.refusal


def noon(day: int, hour: int = 19) -> datetime:
    """In May, at noon of the project unless said otherwise."""
    return datetime(2026, 5, day, hour, tzinfo=UTC)


def read(model: ReadModel, plan: Plan, times: int = 1, at: datetime | None = None) -> Burndown:
    log = Log()
    created = ProjectCreated(name="Parcel", timezone=ZONE)
    log.write(outside_fact(created, project_id=PROJECT, occurred_at=AT, actor=PERSON))
    model.fold([*log.records, *records_of(plan, times)])
    return read_burndown(model.connection, PROJECT, SPRINT, at or noon(30))


def figures(found: Burndown) -> list[tuple[int | None, ...]]:
    """Of each day that is known: the day, what is left, and what came and went."""
    return [
        (int(it.day[-2:]), it.remaining, it.done, it.added, it.dropped)
        for it in found.days
        if it.remaining is not None
    ]


@pytest.fixture
def plan() -> Plan:
    """Eleven points on the first day, one task of which is done before it begins."""
    plan = Plan()
    plan.tell_task("early", noon(3), estimate_points=2)
    plan.tell_task("early", noon(3, 20), status="done")
    for name, points in (("seal", 3), ("lock", 5), ("hinge", 3)):
        plan.tell_task(name, noon(4), estimate_points=points)
    return plan


@pytest.mark.parametrize("times", [1, 2])
def test_each_day_tells_what_is_left_and_what_came_and_went(
    model: ReadModel, plan: Plan, times: int
):
    plan.tell_task("seal", datetime(2026, 5, 6, 3, tzinfo=UTC), status="done")  # still the 5th
    plan.tell_task("paint", noon(6), estimate_points=2)
    plan.tell_task("lock", noon(7), status="dropped")
    plan.tell_task("paint", noon(7, 20), estimate_points=4)
    plan.tell_task("seal", noon(8), status="in_progress")  # done too early

    found = read(model, plan, times, at=noon(9))

    assert (found.committed, found.first_day, found.last_day) == (11, FIRST, LAST)
    assert figures(found) == [
        (4, 11, 2, 0, 0),
        (5, 8, 5, 0, 0),
        (6, 10, 5, 2, 0),
        (7, 7, 5, 2, 5),
        (8, 10, 2, 0, 0),
        (9, 10, 2, 0, 0),
    ]
    assert (found.days[0].ideal, found.days[6].ideal, found.days[-1].ideal) == (10.2, 5.5, 0)


def test_a_sprint_that_is_closed_early_ends_with_what_it_left(model: ReadModel, plan: Plan):
    plan.tell_task("seal", noon(5), status="done")
    plan.close(noon(6))

    found = read(model, plan)

    assert (found.closed_on, found.committed) == ("2026-05-06", 11)
    assert figures(found)[1:] == [(5, 8, 5, 0, 0), (6, 8, 5, 0, 0)]
    assert len(found.days) == 14 and found.days[2].scope == 13
    told = read_view(model.connection, PROJECT, "sprint_plan", noon(7))
    assert (
        "burndown: 8 of 11 points left on 2026-05-06 (an even pace: 8.6), 0 added, 0 dropped,"
        " closed on 2026-05-06"
    ) in document_of(as_client(Item, told.items[0]), as_client(ArtifactView, told))


def test_a_sprint_that_is_opened_again_goes_on(model: ReadModel, plan: Plan):
    plan.close(noon(5))
    plan.close(noon(6), is_closed=False)
    plan.tell_task("seal", noon(7), status="done")

    found = read(model, plan, at=noon(7))

    assert found.closed_on is None
    assert [it[:3] for it in figures(found)] == [(4, 11, 2), (5, 0, 2), (6, 11, 2), (7, 8, 5)]


def test_nothing_is_told_of_days_before_there_are_tasks_or_a_sprint_begins(model: ReadModel):
    plan = Plan()
    plan.tell_task("seal", noon(6), estimate_points=3)

    found = read(model, plan, at=noon(7))

    assert found.committed == 3
    assert figures(found) == [(6, 3, 0, 0, 0), (7, 3, 0, 0, 0)]
    ahead = read_burndown(model.connection, PROJECT, SPRINT, noon(1))
    assert (ahead.committed, len(ahead.days)) == (None, 14)
    assert ahead.days[0] == BurndownDay(day=FIRST, ideal=None)
    with pytest.raises(NotFound, match="There is no sprint"):
        read_burndown(model.connection, PROJECT, "art_elsewhere", noon(1))
