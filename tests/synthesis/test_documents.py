"""A model words sprint plans and reports: cited and checked line by line, or as the rules say."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Section
from schemas.events.change import EditedStatement
from schemas.events.team import ReportRequested, ReportType
from tests.models.provider import Request
from tests.reduce.ledgers import ENOUGH, Play, an_atom
from tests.reduce.teams import PLANNED_FEATURE, a_member, ask, joins, plan_of, starts
from tests.reduce.test_edits import edit_of
from tests.reduce.test_model_texts import words_for
from tests.synthesis.chat import Project, wanted, words_of

DAY = "2026-05-06"


@pytest.fixture
def planned() -> Project:
    play = Play().given((*PLANNED_FEATURE, *ENOUGH))
    play.ends()
    ask(play, joins(a_member("Ana", "security", "integration")))
    ask(play, starts("2026-05-04"))
    return Project(play)


def section_of(item: ArtifactSnapshot, section_id: str) -> Section:
    return next(one for one in item.sections if one.section_id == section_id)


def engines(item: ArtifactSnapshot) -> dict[str, str]:
    return {one.section_id: one.engine for one in item.sections if one.statements}


def texts(section: Section) -> list[str]:
    return [one.text for one in section.statements]


def sprint(project: Project) -> ArtifactSnapshot:
    (found,) = project.items("sprint_plan")
    return found


def report(project: Project, report_type: ReportType) -> ArtifactSnapshot:
    wanted_one = ReportRequested(report_type=report_type, as_of=DAY)
    (answer,) = ask(project.play, wanted_one, key=report_type)
    (change,) = answer.items
    return change.snapshot


def test_a_model_words_goal_and_risks_of_a_sprint_and_no_table_of_tasks(planned, served):
    model, provider = served(words_of)
    before = sprint(planned)

    report = asyncio.run(planned.document_worded_by(model, before.artifact_id))

    after = sprint(planned)
    assert engines(after) == {"goal": "model", "items": "heuristic", "risks": "model"}
    assert (after.version, after.engine, report.kept) == (before.version + 2, "model", {})
    goal = section_of(after, "goal")
    assert plan_of(after).goal == " ".join(texts(goal))
    assert all(one.text.startswith("In short: ") for one in goal.statements)
    assert {it for one in goal.statements for it in one.artifact_ids} == {
        it for one in section_of(before, "goal").statements for it in one.artifact_ids
    }
    assert section_of(after, "items") == section_of(before, "items")
    asked = [one for one in provider.requests if "goal" in wanted(one)]
    assert section_of(before, "goal").statements[0].text in asked[0].text


def test_a_line_may_rest_on_no_other_artifact_than_the_rules_have_chosen(planned):
    goal = section_of(sprint(planned), "goal")
    foreign = EditedStatement(text=goal.statements[0].text, artifact_ids=[planned.prd.artifact_id])

    answer = planned.play.asks(words_for(sprint(planned), goal, foreign))

    assert edit_of(answer).refusal == "not_valid"
    assert "unknown_artifact" in [one.code for one in edit_of(answer).findings]


def test_words_of_a_sprint_stay_until_its_section_is_made_from_something_else(planned, scripted):
    model, _ = scripted(words_of)
    asyncio.run(planned.document_worded_by(model, sprint(planned).artifact_id))
    worded = sprint(planned)

    planned.play.given([an_atom("claim", "Depots are open at night")]).ends()
    assert sprint(planned) == worded

    risk = next(one for one in PLANNED_FEATURE if one.kind == "risk")
    planned.play.given([risk.model_copy(update={"revision": 2, "confidence": 0.91})]).ends()
    assert engines(sprint(planned))["risks"] == "heuristic"


def test_the_log_alone_says_what_a_model_has_worded_of_a_sprint_and_a_report(planned, scripted):
    model, _ = scripted(words_of)
    made = report(planned, "sprint")
    for one in (sprint(planned).artifact_id, made.artifact_id):
        asyncio.run(planned.document_worded_by(model, one))

    again = Play()
    for record in (*planned.play.ledger, *planned.play.asked):
        again.writer.evolve(again.state, record)
        again.decide()

    assert again.answers()[-1] == planned.play.answers()[-1]
    assert Project(again).items("report") == planned.items("report")
    assert sprint(Project(again)) == sprint(planned)


def test_the_fields_of_a_report_say_what_its_sections_say(planned, scripted):
    made = report(planned, "sprint")
    model, _ = scripted(words_of)

    asyncio.run(planned.document_worded_by(model, made.artifact_id))

    (now,) = planned.items("report")
    assert now.report and now.report.sprint and made.report and made.report.sprint
    assert now.report.sprint.goal == " ".join(texts(section_of(now, "goal")))
    assert now.report.sprint.risks == texts(section_of(now, "risks"))
    assert engines(now)["open"] == "heuristic"
    assert now.report.sprint.planned_points == made.report.sprint.planned_points
    assert (now.input_ledger_seq, now.number) == (made.input_ledger_seq, made.number)


def test_a_section_that_is_worded_badly_twice_keeps_the_words_of_the_rules(planned, served):
    def badly(request: Request) -> dict[str, Any]:
        said = words_of(request)
        for one in said.get("risks", ()):
            one["text"] += " It costs 4711 euros."
        return said

    made = report(planned, "management")
    model, provider = served(badly)

    told = asyncio.run(planned.document_worded_by(model, made.artifact_id))

    (now,) = planned.items("report")
    assert section_of(now, "risks") == section_of(made, "risks")
    assert list(told.kept.values()) == [["unsupported_number"]]
    assert len([one for one in provider.requests if "risks" in wanted(one)]) == 2
    others = {name: engine for name, engine in engines(now).items() if name != "risks"}
    assert set(others.values()) == {"model"}
    assert "[art:art_" in now.rendered_markdown


def test_a_report_that_is_asked_for_again_keeps_the_words_of_the_model(planned, scripted):
    made = report(planned, "management")
    model, _ = scripted(words_of)
    asyncio.run(planned.document_worded_by(model, made.artifact_id))
    (worded,) = planned.items("report")

    ask(planned.play, ReportRequested(report_type="management", as_of=DAY), key="again")

    assert planned.items("report") == [worded]
