"""Reports: figures by rule, lines that cite, and the ledger's changes since the report before."""

from __future__ import annotations

from datetime import date

import pytest

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_reports import ReportFields
from schemas.events.team import ReportRequested, ReportType, Team
from streams.reduce.plan.forecast import forecast
from tests.reduce.ledgers import ENOUGH, LOSS, Play, a_requirement, an_atom
from tests.reduce.teams import (
    FORGED,
    PLANNED_FEATURE,
    a_member,
    ask,
    joins,
    plan_of,
    said,
    standing,
    starts,
    task_of,
)

ANA = a_member("Ana", "security", "integration")
NEWS = a_requirement("A depot must see the seals of its crates on one page", source="src_news")


def report(play: Play, report_type: ReportType, as_of: str = "2026-05-06") -> ArtifactSnapshot:
    """The report as asked for; refused when the answer has none."""
    (answer,) = ask(
        play, ReportRequested(report_type=report_type, as_of=as_of), key=report_type + as_of
    )
    (change,) = answer.items
    assert change.outcome == "published", change.findings
    return change.snapshot


def fields_of(item: ArtifactSnapshot) -> ReportFields:
    assert item.report
    return item.report


@pytest.fixture
def play() -> Play:
    play = Play().given((*PLANNED_FEATURE, *ENOUGH))
    play.ends()
    ask(play, joins(ANA))
    ask(play, starts("2026-05-04"))
    return play


def test_a_stand_up_says_what_each_member_has_next(play: Play):
    made = report(play, "standup")
    (sprint,) = standing(play, "sprint_plan")
    first = plan_of(sprint).items[0].task_id

    summary = fields_of(made).standup
    assert summary and summary.date == "2026-05-06"
    assert [one.member_id for one in summary.per_member] == ["mem_Ana"]
    assert "Ana, next: Implement crate seals." in summary.highlights
    assert first in summary.citations
    assert any(FORGED.title in one for one in summary.risks)
    assert made.artifact_state == "stable"


def test_a_sprint_report_compares_with_the_plan(play: Play):
    (sprint,) = standing(play, "sprint_plan")

    during = fields_of(report(play, "sprint")).sprint
    after = fields_of(report(play, "sprint", "2026-07-01")).sprint

    assert during and after
    planned = [one.task_id for one in plan_of(sprint).items]
    assert (during.sprint_id, during.completed_points) == (sprint.artifact_id, 0)
    assert during.planned_points == plan_of(sprint).planned_points
    assert (during.carried_over, after.carried_over) == ([], planned)


def test_a_forecast_counts_what_is_open(play: Play):
    told = fields_of(report(play, "forecast")).forecast
    points = sum(task_of(one).estimate_points for one in standing(play, "task"))

    assert told
    assert (told.remaining_points, told.velocity_mean, told.confidence) == (points, 10, "low")
    assert told.sprints_needed == -(-points // 10)
    assert told.p50_date <= told.p85_date


@pytest.mark.parametrize(
    ("points", "velocity", "sprints", "p50", "p85"),
    [
        (40, 20, 2, "2026-03-29", "2026-04-12"),
        (40, 40, 1, "2026-03-15", "2026-03-29"),
        (0, 20, 0, "2026-03-02", "2026-03-02"),
        (41, None, 3, "2026-04-12", "2026-04-12"),
    ],
)
def test_a_forecast_is_points_over_velocity(points, velocity, sprints, p50, p85):
    day = date(2026, 3, 2)

    told = forecast(points, Team(velocity=velocity), day, day, [])

    assert (told.sprints_needed, told.p50_date, told.p85_date) == (sprints, p50, p85)


def test_a_report_for_the_management_tells_what_changed_since_the_one_before(play: Play):
    first = report(play, "management", "2026-05-06")
    gone = LOSS.model_copy(update={"status": "obsolete", "revision": 2})
    play.tells(NEWS, gone)
    play.ends()

    second = report(play, "management", "2026-06-03")

    assert fields_of(first).since_ledger_seq == 0
    assert fields_of(second).since_ledger_seq == first.input_ledger_seq
    assert said(second, "new_since_the_last_report") == [f"{NEWS.title}."]
    assert "1 added, 1 removed" in second.rendered_markdown
    assert "[art:art_" in second.rendered_markdown
    assert f"[[{NEWS.atom_id}]]" in second.rendered_markdown


def test_the_same_report_asked_for_again_tells_the_same_time(play: Play):
    report(play, "management", "2026-05-06")
    wanted = ReportRequested(report_type="management", as_of="2026-05-06")

    (answer,) = ask(play, wanted, key="again")

    assert answer.items == []


def test_without_a_plan_there_is_nothing_to_report():
    play = Play().given(ENOUGH)
    play.ends()

    (answer,) = ask(play, ReportRequested(report_type="standup", as_of="2026-05-06"))

    (change,) = answer.items
    assert (change.outcome, change.findings[0].code) == ("rejected", "nothing_cited")


def test_a_report_stays_as_it_was_when_the_ledger_goes_on(play: Play):
    made = report(play, "forecast")

    play.given((an_atom("claim", "Depots are open at night"),)).ends()

    assert standing(play, "report") == [made]
