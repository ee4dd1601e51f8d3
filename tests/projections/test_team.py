"""Members, tasks and sprints in the tables: as the last fact left them, whole after a repeat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from agents.tools.box import call_tool
from agents.tools.tool import ToolContext
from infra.cli.show import render_item
from infra.client.models.shared import Item
from infra.platform.errors import Conflict, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import open_tools
from infra.service.foundation.producer import Send, one_producer
from infra.service.planning.planning import request_generation, request_report
from projections.checkpoint import Record
from projections.read import artifacts, team
from schemas.envelope import Envelope, outside_fact
from schemas.events.change import ChangeRequested, SprintEdit, TaskEdit
from schemas.events.project import ProjectCreated
from schemas.events.team import Absence, MemberRemoved, MemberUpdated, PlanSet
from schemas.ids import artifact_id
from streams.publishing import PUBLISH
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log
from tests.reduce.ledgers import AT, PROJECT, Play, as_record
from tests.reduce.teams import PLANNED_FEATURE, a_member, ask, joins, standing, starts
from tests.troubles import a_trouble
from tests.web import as_client

ANA = a_member("Ana", "security", "integration")
AWAY = Absence(first_day="2026-05-04", last_day="2026-05-10")


def records_of(play: Play, times: int = 1) -> list[Record]:
    """What was asked, decided and published, each ``times`` times."""
    return log_of(play, times).records


def log_of(play: Play, times: int = 1) -> Log:
    log = Log()
    facts = [record.envelope for record in (*play.ledger, *play.asked)]
    for record in play.written:
        answer = record.envelope
        facts += [answer, *(answer.caused(event) for event in PUBLISH.handle(answer, None))]
    for fact in facts:
        for _ in range(times):
            log.write(fact)
    return log


@pytest.fixture
def play() -> Play:
    play = Play().given(PLANNED_FEATURE)
    play.ends()
    for fact in (joins(ANA), joins(a_member("Ben", "testing")), starts("2026-05-04")):
        ask(play, fact)
    return play


@pytest.mark.parametrize("times", [1, 2])
def test_members_are_as_the_last_fact_left_them(model: ReadModel, play: Play, times: int):
    ask(play, MemberUpdated(member_id="mem_Ana", capacity_points=7, availability=[AWAY]))
    ask(play, MemberRemoved(member_id="mem_Ben"))
    ask(play, PlanSet(velocity=12))

    model.fold(records_of(play, times))

    (ana,) = team.list_members(model.connection, PROJECT)
    assert (ana.name, ana.capacity_points, set(ana.skills)) == (
        "Ana",
        7,
        {"security", "integration"},
    )
    assert ana.availability == [AWAY.model_dump()]
    settings = team.read_plan(model.connection, PROJECT)
    assert (settings.start_day, settings.velocity) == ("2026-05-04", 12)
    assert model.value("SELECT count(*) FROM member_availability") == 1


def test_a_member_is_found_by_name_or_id_and_nobody_else(model: ReadModel, play: Play):
    model.fold(records_of(play))

    assert team.read_member(model.connection, PROJECT, "Ana").member_id == "mem_Ana"
    assert team.read_member(model.connection, PROJECT, "mem_Ana").name == "Ana"
    with pytest.raises(Invalid, match="No member is named: give the name or id of one"):
        team.read_member(model.connection, PROJECT, "")
    with pytest.raises(NotFound, match="There is no member Eve"):
        team.read_member(model.connection, PROJECT, "Eve")


def test_tasks_and_sprints_have_views_with_their_fields(model: ReadModel, play: Play):
    model.fold(records_of(play))

    assert model.value("SELECT assignee_id FROM tasks") == "mem_Ana"
    assert model.value("SELECT status FROM tasks") == "todo"
    assert model.value("SELECT planned_points FROM sprint_plans") == 3
    assert model.value("SELECT start_date FROM sprint_plans") == "2026-05-04"
    assert model.value("SELECT count(*) FROM reports") == 0


def test_a_reader_sees_who_does_what_and_what_the_plan_assumes(model: ReadModel, play: Play):
    model.fold(records_of(play))
    names = team.read_names(model.connection, PROJECT)

    (task,) = artifacts.list_items(model.connection, PROJECT, "task").items
    (sprint,) = artifacts.list_items(model.connection, PROJECT, "sprint_plan").items

    shown = render_item(as_client(Item, task), names)
    assert "estimate points 3" in shown
    assert "assignee Ana" in shown
    assert "in sprint-001 Sprint 1" in shown
    assert "needs integration" in shown
    assert "## Technical approach" in shown
    assert "## Assumptions" in render_item(as_client(Item, sprint), names)


def test_a_change_that_was_made_before_is_told_again_with_names_and_not_made_twice(
    model: ReadModel, play: Play
):
    (task, *_), (sprint, *_) = standing(play, "task"), standing(play, "sprint_plan")
    of_task = {"artifact_id": task.artifact_id, "op": "update", "expected_version": task.version}
    of_sprint = {"artifact_id": artifact_id(PROJECT, "sprint_plan", "2"), "op": "create"}
    dated: dict[str, Any] = {"goal": "Rest", "start_date": "2026-05-18"}
    told: dict[str, dict[str, Any]] = {
        "update_task": of_task | {"task": TaskEdit(assignee_id="mem_Ana")},
        "create_sprint": of_sprint
        | {"sprint": SprintEdit(sprint_number=2, **dated), "changed_type": "sprint_plan"},
    }
    usual = {"sections": [], "editor": "ana", "expected_version": 0}
    for name, asked in told.items():
        (done,) = ask(play, ChangeRequested.model_validate(usual | asked), key=f"key of {name}")
        assert done.edit and not done.edit.refusal
    log = Log()
    created = ProjectCreated(name="Parcel")
    log.write(outside_fact(created, project_id=PROJECT, occurred_at=AT, actor=PERSON))
    model.fold([*log.records, *records_of(play)])
    tools = open_tools(Settings(database_url=model.conninfo, reader=False))

    def call(name: str, **arguments: Any) -> str:
        context = ToolContext(PROJECT, "ana", "pm", f"key of {name}")
        tool = tools.find(name)
        assert tool
        return asyncio.run(call_tool(tool, context, arguments)).text

    changed = call("update_task", task=task.artifact_id, assignee="Ana")
    assert changed.startswith(f"Changed: {task.number} ")
    assert call("create_sprint", **dated).startswith("Created: sprint-002 Sprint 2")
    for shown in (changed, call("get_artifact", reference=task.artifact_id)):
        first = shown.splitlines()[0]
        assert "assignee: Ana" in first
        assert sprint.title in first and sprint.artifact_id not in first


@pytest.mark.parametrize("wanted", ["report", "list"])
def test_what_the_writer_gave_up_is_told_with_its_reason_and_not_shown_as_done(
    model: ReadModel, play: Play, wanted: str
):
    settings = Settings(database_url=model.conninfo, reader=False)
    log = log_of(play)
    created = ProjectCreated(name="Parcel")
    log.write(outside_fact(created, project_id=PROJECT, occurred_at=AT, actor=PERSON))
    known = len(log.records)

    @asynccontextmanager
    async def open_broken() -> AsyncIterator[Send]:
        """A log whose writer fails at every request."""

        async def send(facts: Sequence[Envelope]) -> None:
            (fact,) = facts
            play.writer.evolve(play.state, as_record(fact.event.topic, 0, fact))
            before = [one for one in log.records if one.topic == "reduce.v1"]
            at = before[-1]
            trouble = replace(
                a_trouble("reduce", "ValueError"), partition=at.partition, offset=at.offset + 1
            )
            given_up = play.writer.give_up(play.state, trouble, whole=False)
            for envelope in given_up.envelopes:
                log.write(envelope)
            await asyncio.to_thread(model.fold, log.records[known:])

        yield send

    async def ask_for() -> object:
        by = {"actor": "ada", "key": "given up"}
        async with one_producer(settings, open_broken):
            if wanted == "report":
                return await request_report(settings, PROJECT, "sprint", **by)
            return await request_generation(settings, PROJECT, "task_breakdown", **by)

    model.fold(log.records)
    with pytest.raises(Conflict, match=r"given up.*ValueError: ValueError at x") as told:
        asyncio.run(ask_for())
    assert told.value.code == "request_given_up"
