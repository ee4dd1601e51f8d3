"""What the specialists answer over the tables of a project: structured, cited, by rules."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import pytest

from agents.models.call import ChatModel
from agents.project import analyst, assigner, planner, reporter
from agents.project.outputs import (
    REPORTS,
    AnalysisResult,
    BreakdownResponse,
    FeatureListResponse,
    MarkdownReport,
    MemberLoad,
    PrioritizationResponse,
    SprintPlanResponse,
    WorkloadRebalanceResponse,
)
from agents.project.specialist import SpecialistContext, Work, do_work
from agents.project.state import AgentResult, AgentState
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from agents.tools.tool import ToolContext, ToolRole
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import ServicePorts
from projections.read.rebalances import list_rebalances, read_rebalance
from schemas.envelope import Event, outside_fact
from schemas.events.artifact_loops import LoopRecord
from schemas.events.artifact_reports import DeliveryForecast
from schemas.events.change import (
    ChangeRequested,
    GenerationRequested,
    ListPhase,
    SprintEdit,
)
from schemas.events.project import ProjectCreated
from schemas.events.team import RebalanceProposed, ReportRequested, ReportType
from schemas.features import FEATURE, FEATURE_PLACE, FEATURE_STATE, PAGE, PLANNED
from tests.agents.talks import Topic, a_state, accept_after, run
from tests.extraction.asking import AnsweringModel
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log
from tests.projections.test_team import play, records_of
from tests.reduce.ledgers import PROJECT, Play, an_atom, items_of
from tests.reduce.teams import PLANNED_FEATURE, ask, standing

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


class WrittenAlready(ServicePorts):
    """The tables of a project whose lists are written: asked for again they stay as they are."""

    def __init__(
        self,
        settings: Settings,
        write: Callable[[str, str, str], str],
        tell: Callable[[Event], None],
        generate: Callable[[str, str], None],
    ) -> None:
        super().__init__(settings, can_research=False)
        self._tell, self._generate = tell, generate
        self.asked: list[tuple[str, str]] = []
        self._write = write
        self.crowd = 0

    async def list_items(self, project: str, artifact_type: str) -> Sequence[Json]:
        """With a ``crowd`` that many others come first, and sprints hold that many more tasks."""
        found = await super().list_items(project, artifact_type)
        if not self.crowd:
            return found
        fields = found[0]["fields"] | {"feature_id": "art_other", "priority_score": "-1.0"}
        others = [
            {**found[0], "artifact_id": f"art_{at}", "number": f"x-{at + 900}", "fields": fields}
            for at in range(self.crowd)
        ]
        if artifact_type != "sprint_plan":
            return [*others, *found]
        first = found[0]["fields"]["items"][0]
        more = [first | {"task_id": f"art_{at}"} for at in range(self.crowd)]
        return [
            {**one, "fields": one["fields"] | {"items": [*more, *one["fields"]["items"]]}}
            for one in found
        ]

    async def request_report(
        self, context: ToolContext, report_type: str, as_of: str | None
    ) -> Json:
        artifact_id = self._write(report_type, as_of or "", context.idempotency_key)
        return await self.read_artifact(context.project_id, artifact_id)

    async def propose_rebalance(self, context: ToolContext, proposal: Json) -> Json:
        fact = RebalanceProposed(
            rebalance_id="reb_1",
            sprint_id=proposal["sprint_id"],
            imbalance_before=proposal["imbalance"],
            moves=proposal["moves"],
        )
        self._tell(fact)
        return {"rebalance_id": fact.rebalance_id}

    async def request_generation(self, context: ToolContext, phase: str) -> Json:
        self.asked.append((phase, context.idempotency_key))
        self._generate(phase, context.idempotency_key)
        return {"artifact_ids": []}


class Office:
    """Specialists at work over the tables."""

    def __init__(self, model: ReadModel, play: Play) -> None:
        self.model, self.play = model, play
        self.told: list[Event] = []
        self.ports = WrittenAlready(
            Settings(database_url=model.conninfo, reader=False),
            self._write_report,
            self._tell,
            self._generate,
        )
        self.loops: list[LoopRecord] = []
        self.topic = Topic()
        self.fold()

    def fold(self) -> None:
        log = Log()
        created = ProjectCreated(name="Parcel")
        log.write(outside_fact(created, project_id=PROJECT, occurred_at=NOW, actor=PERSON))
        for event in self.told:
            log.write(outside_fact(event, project_id=PROJECT, occurred_at=NOW, actor=PERSON))
        self.model.emptied().fold([*log.records, *records_of(self.play)])

    def _tell(self, event: Event) -> None:
        self.told.append(event)
        self.fold()

    def _write_report(self, report_type: str, as_of: str, key: str) -> str:
        wanted = ReportRequested(report_type=cast("ReportType", report_type), as_of=as_of)
        (answer,) = ask(self.play, wanted, key=key)
        self.fold()
        (report,) = items_of(answer, "report")
        return report.artifact_id

    def _generate(self, phase: str, key: str) -> None:
        wanted = GenerationRequested(phase=cast("ListPhase", phase))
        for answer in ask(self.play, wanted, key=key):  # one, or none where it was asked before
            self.loops = answer.loops
        self.fold()

    def have(
        self, work: Work, request: str, model: ChatModel | None = None, role: ToolRole = "pm"
    ) -> AgentResult:
        return asyncio.run(do_work(self.specialist(request, model, role), work))

    def specialist(
        self, request: str, model: ChatModel | None = None, role: ToolRole = "pm"
    ) -> SpecialistContext:
        state = a_state(request)
        state["project"] = state["project"].model_copy(update={"project_id": PROJECT})
        return SpecialistContext(
            name="specialist",
            request=request,
            task=request,
            state=state,
            effects=RunEffects(self.topic.open_log(), "trn_1", PROJECT, "specialist", 2),
            ports=self.ports,
            model=model,
            actor="ana",
            role=role,
            now=lambda: NOW,
        )


@pytest.fixture
def office(model: ReadModel, play: Play) -> Office:
    return Office(model, play)


def test_the_analyst_names_insights_gaps_and_what_several_sources_say(office: Office):
    result = office.have(analyst.analyse, "Analyse the sources")

    analysis = AnalysisResult.model_validate(result.output)
    assert result.requires_review
    assert (result.result_type, result.engine) == ("AnalysisResult", "rules")
    assert all(len(pattern.source_ids) > 1 for pattern in analysis.patterns)
    assert {each for one in analysis.insights for each in one.atom_ids} == set(analysis.atom_ids)
    assert analysis.research == []


def test_a_specialist_counts_all_of_a_list_of_which_it_looks_at_the_first(office: Office):
    before = asyncio.run(office.ports.list_items(PROJECT, "feature"))
    office.ports.crowd = 300

    said = office.have(planner.plan, "Derive features").response

    there = len(before) + 300
    assert f"{there} features" in said and f"… and {there - 10} more" in said, said


def test_the_most_important_features_come_first_however_many_there_are(office: Office):
    few = office.have(planner.plan, "Prioritise the features").output["items"]
    office.ports.crowd, office.topic = 160, Topic()
    many = office.have(planner.plan, "Prioritise the features").output["items"]
    assert few and [(one["feature_id"], one["rank"]) for one in many[: len(few)]] == [
        (one["feature_id"], one["rank"]) for one in few
    ]


def test_a_model_words_the_summary_over_numbered_facts_and_nothing_else(office: Office):
    told: list[str] = []

    def words(request: Any) -> Any:
        told.append(request.messages[1].content)
        sound = {"text": "Exports are asked for.", "facts": [1]}
        made_up = {"text": "The moon is made of cheese.", "facts": [99]}
        return {"sentences": [sound, made_up]}

    by_rule = office.have(planner.plan, "Derive features")
    office.topic = Topic()
    worded = office.have(planner.plan, "Derive features", AnsweringModel(words))

    assert "1. Feature" in told[0]
    assert worded.output["coverage_assessment"] == "Exports are asked for."
    assert (worded.engine, by_rule.engine) == ("model", "rules")
    assert worded.output["features"] == by_rule.output["features"]


def test_the_planner_answers_in_four_forms(office: Office):
    wanted: dict[str, Any] = {
        "Derive features from the insights": FeatureListResponse,
        "Prioritise the features": PrioritizationResponse,
        "Break down feature 1 into tasks": BreakdownResponse,
        "Plan the next sprint": SprintPlanResponse,
    }
    found: dict[str, Any] = {}
    for request, kind in wanted.items():
        office.topic = Topic()
        result = office.have(planner.plan, request.replace("feature 1", "feature feat-001"))
        assert result.error is None, result.response
        found[kind.__name__] = kind.model_validate(result.output)
        assert result.citations
    ranked = found["PrioritizationResponse"].items
    assert [one.rank for one in ranked] == list(range(1, len(ranked) + 1))
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert all(task.solutions for task in found["BreakdownResponse"].tasks)
    assert found["SprintPlanResponse"].items
    assert [phase for phase, _ in office.ports.asked] == [
        "feature_generation",
        "task_breakdown",
        "sprint_planning",
    ]


def test_a_loop_over_many_features_is_one_step_of_the_graph(model: ReadModel):
    pages = [
        [
            an_atom(
                "claim",
                f"{name} are a part of the depot",
                source=f"src_{at}",
                attributes=planned(name),
            )
        ]
        for at, name in enumerate(("Crate seals", "Night shifts", "Label printers"))
    ]
    play = Play().given([*PLANNED_FEATURE, *(atom for page in pages for atom in page)])
    play.ends()
    office, request, topic = Office(model, play), "Derive features from the insights", Topic()

    async def perform(state: AgentState) -> AgentResult:
        return await do_work(office.specialist(request), planner.plan)

    parts = {"decide": accept_after("planner"), "planner": perform}
    turn = asyncio.run(run(topic.open_log(), parts, request))

    assert topic.types.count("result_produced") == 1
    assert len(turn["results"]) == 1
    (loop,) = [one for one in office.loops if one.phase == "feature_generation"]
    features = turn["results"][0].output["features"]
    assert loop.items == len(features) == len(standing(play, "feature")) >= 3


def planned(name: str) -> dict[str, str]:
    return {FEATURE: name, FEATURE_STATE: PLANNED, FEATURE_PLACE: PAGE}


def test_the_plan_that_is_told_is_that_of_the_sprint_after_a_closed_one(office: Office):
    (first,) = standing(office.play, "sprint_plan")
    closing = ChangeRequested(
        artifact_id=first.artifact_id,
        op="update",
        expected_version=first.version,
        editor="ana",
        changed_type="sprint_plan",
        sections=[],
        sprint=SprintEdit(is_closed=True),
    )
    (answer,) = ask(office.play, closing)
    assert answer.edit and answer.edit.refusal is None
    office.fold()

    result = office.have(planner.plan, "Plan the next sprint")

    (closed, coming) = standing(office.play, "sprint_plan")
    assert closed.artifact_id == first.artifact_id
    assert result.output["sprint"] == coming.artifact_id
    assert result.output["items"]


def test_a_plan_of_any_length_is_told_and_looked_at_whole(office: Office):
    look = partial(assigner.look_at_workload, propose=office.ports.propose_rebalance)
    asked: dict[str, tuple[Work, ToolRole]] = {
        "Break down feature feat-001": (planner.plan, "pm"),
        "Plan the next sprint": (planner.plan, "pm"),
        "Rebalance the workload": (look, "viewer"),
    }

    def have(crowd: int) -> list[Json]:
        office.ports.crowd = crowd
        found: list[AgentResult] = []
        for request, (work, role) in asked.items():
            office.topic = Topic()
            found.append(office.have(work, request, role=role))
        assert [one.error for one in found] == [None] * len(asked)
        return [one.output for one in found]

    tasks, plan, _ = have(0)
    same_tasks, longer, workload = have(160)

    assert same_tasks == tasks
    assert len(longer["items"]) == len(plan["items"]) + 160
    (over,) = workload["overloaded"]
    assert over["load"] >= 160 * plan["items"][0]["points"]


def test_a_viewer_has_nothing_made_and_an_unknown_feature_is_named(office: Office):
    refused = office.have(planner.plan, "Plan the next sprint", role="viewer")
    office.topic = Topic()
    unknown = office.have(planner.plan, "Break down feature feat-999")

    assert (refused.error, office.ports.asked) == ("forbidden", [])
    assert unknown.error == "feature_unknown"
    assert "feat-001" in unknown.response
    assert not unknown.requires_review


def test_the_assigner_tells_who_has_how_much_to_do_and_records_what_would_help(office: Office):
    work = partial(assigner.look_at_workload, propose=office.ports.propose_rebalance)
    result = office.have(work, "Rebalance the workload")

    told = WorkloadRebalanceResponse.model_validate(result.output)
    assert "Ana: 3 of" in result.response
    assert told.rebalance_id and told.recommendations == []
    recorded = read_rebalance(office.model.connection, PROJECT, told.rebalance_id)
    (sprint,) = standing(office.play, "sprint_plan")
    assert (recorded.sprint_id, recorded.state) == (sprint.artifact_id, "proposed")
    assert (recorded.imbalance_before, recorded.moves) == (2.0, [])

    office.topic, office.told = Topic(), []
    looked = office.have(work, "Rebalance the workload", role="viewer")
    assert "Ana: 3 of" in looked.response
    assert (looked.output["rebalance_id"], office.told) == (None, [])


def test_proposals_are_listed_from_either_end(office: Office):
    log = Log()
    for name in ("reb_1", "reb_2"):
        proposed = RebalanceProposed(rebalance_id=name, sprint_id="art_1", imbalance_before=1.5)
        log.write(
            outside_fact(
                proposed, project_id=PROJECT, occurred_at=NOW, actor=PERSON, natural_key=name
            )
        )
    office.model.emptied().fold(log.records)

    def list_ids(newest_first: bool) -> list[str]:
        page = partial(list_rebalances, office.model.connection, PROJECT, newest_first=newest_first)
        first = page(limit=1)
        return [one.rebalance_id for one in (*first.items, *page(cursor=first.next_cursor).items)]

    assert list_ids(newest_first=False) == ["reb_1", "reb_2"]
    assert list_ids(newest_first=True) == ["reb_2", "reb_1"]


def test_a_task_moves_from_who_has_too_much_to_the_best_who_has_room():
    def load(member_id: str, points: int) -> MemberLoad:
        return MemberLoad(
            member_id=member_id, name=member_id.title(), load=points, capacity=10, ratio=points / 10
        )

    left = [assigner.Assigned(f"task_{points}", "ana", points) for points in (8, 5, 1)]
    able = {"task_8": ["ana", "ben"], "task_5": ["ana", "ben", "cleo"]}

    moves = assigner.find_moves([load("ana", 14), load("ben", 6), load("cleo", 1)], left, able)

    (move,) = moves
    assert (move.task_id, move.to_member_id, move.points) == ("task_5", "cleo", 5)
    assert move.score_delta == round(2.0 - 9 / 7, 4)
    assert move.reason == "Ana has 14 of 10 points; Cleo has the skills, and 1 of 10"


def test_an_uneven_load_is_moved_as_far_as_that_makes_it_even():
    def load(member_id: str, points: int) -> MemberLoad:
        return MemberLoad(
            member_id=member_id, name=member_id.title(), load=points, capacity=10, ratio=points / 10
        )

    left = [assigner.Assigned(f"task_{points}", "ana", points) for points in (5, 3, 1)]
    able = {one.task_id: ["ben"] for one in left}

    moves = assigner.find_moves([load("ana", 9), load("ben", 0)], left, able)
    none = assigner.find_moves([load("ana", 5), load("ben", 5)], left, able)

    assert [one.task_id for one in moves] == ["task_5"]
    assert (moves[0].score_delta, none) == (round(2.0 - 5 / 4.5, 4), [])


__all__ = ["play"]


@pytest.mark.parametrize(
    ("request_text", "kind"),
    [
        ("Write the standup", "standup"),
        ("Report on the sprint", "sprint"),
        ("Forecast the delivery", "forecast"),
    ],
)
def test_the_reporter_answers_in_the_form_of_its_report(
    office: Office, request_text: str, kind: str
):
    result = office.have(reporter.report, request_text)

    assert result.error is None, result.response
    report = REPORTS[kind].model_validate(result.output)
    assert result.result_type == type(report).__name__
    assert result.citations
    if isinstance(report, DeliveryForecast):
        assert report.confidence == "low"  # nothing is known of a velocity yet


def test_other_reports_are_markdown_with_what_they_rest_on(office: Office):
    for request, title in (("Write a management report", "#"), ("Let us have a retro", "# Retro")):
        office.topic = Topic()
        result = office.have(reporter.report, request)

        report = MarkdownReport.model_validate(result.output)
        assert report.markdown.startswith(title)
        assert report.artifact_id.startswith("art_")
        assert result.citations
