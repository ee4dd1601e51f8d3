"""From a team to a sprint plan and reports at the terminal: what a lead does after an ingest."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agents.tools.box import call_tool
from agents.tools.tool import ToolContext, ToolResult
from infra.runtime.local.process import wait_until
from infra.service.asking.agent_tools import open_tools
from infra.service.jobs.jobs import JobRequest, enqueue_job, read_job
from projections.read.session import reading
from projections.read.streams import list_frames
from tests.end_to_end.conftest import Backbone
from tests.parcel import write_to
from tests.service import COMMAND_PATIENCE_S, Service

pytestmark = pytest.mark.broker
PATIENCE_S = 120
PROJECT = "Planned"


@pytest.fixture(scope="module")
def cairn(backbone: Backbone, tmp_path_factory: pytest.TempPathFactory) -> Service:
    """The project has been ingested, Ben is in its team, and he has a plan."""
    ingest(backbone.cairn, PROJECT, tmp_path_factory.mktemp("planning"))
    project = ("--project", PROJECT)
    backbone.cairn.run("members", "add", "Ben", *project, "--skill", "qa", "--capacity", "8")
    backbone.cairn.run("plan", *project, "--start", "2026-05-04")
    plan_starting(backbone.cairn, PROJECT, "2026-05-04", capacity=8)
    return backbone.cairn


def ingest(cairn: Service, project: str, folder: Path) -> None:
    write_to(folder / "parcel")
    cairn.run("project", "create", project, "--idempotency-key", project)
    cairn.ingest(folder / "parcel", project, project)


def test_a_team_gets_a_plan_that_follows_its_changes(backbone: Backbone, tmp_path: Path):
    cairn, name = backbone.cairn, "Followed"
    ingest(cairn, name, tmp_path)
    project = ("--project", name)
    tasks = cairn.json("show", "tasks", *project)
    assert tasks
    assert all(task["fields"]["solutions"] for task in tasks)
    assert cairn.json("show", "sprint", *project) == []

    skills = ("--skill", "backend:4", "--skill", "security")
    ana = cairn.run("members", "add", "Ana", *project, *skills, "--capacity", "3").strip()
    again = cairn.run("members", "add", "Ana", *project, "--idempotency-key", "k").strip()
    cairn.run("members", "remove", again, *project)
    cairn.run("plan", *project, "--start", "2026-05-04")
    (member,) = cairn.json("members", "list", *project)
    assert (member["member_id"], member["skills"]) == (ana, {"backend": 4, "security": 3})

    slow = plan_starting(cairn, name, "2026-05-04", capacity=3)
    cairn.run("members", "update", "Ana", *project, "--capacity", "30")
    fast = plan_starting(cairn, name, "2026-05-04", capacity=30)

    assert len(fast) < len(slow)
    assert all(one["fields"]["planned_points"] <= one["fields"]["capacity_points"] for one in slow)
    planned = [item for one in fast for item in one["fields"]["items"]]
    assert {item["assignee_id"] for item in planned} == {ana}
    told = cairn.run("show", "sprint", *project)
    assert "## Assumptions" in told
    assert "Ana" in told
    assert "assignee Ana" in cairn.run("show", "tasks", *project)


def test_reports_are_made_on_request_and_stay(cairn: Service):
    project = ("--project", PROJECT)
    kinds = ("standup", "sprint", "forecast", "management", "retro")
    ids = set()

    for kind in kinds:
        (made,) = cairn.json("report", kind, *project, "--as-of", "2026-05-06")
        ids.add(made["artifact_id"])
        assert made["fields"]["report_type"] == kind
        assert made["upstream_artifact_ids"]
        assert all(
            line["citations"] or line["artifact_ids"]
            for section in made["sections"]
            for line in section["statements"]
        )

    assert len(ids) == len(kinds)
    assert ids <= {one["artifact_id"] for one in cairn.json("show", "report", *project)}
    assert "sprints needed" in cairn.run("report", "forecast", *project, "--as-of", "2026-05-06")
    assert "as_of" in refused(cairn, "report", "sprint", *project, "--as-of", "soon")
    assert cairn.run("verify-log")


def test_lists_plans_and_reports_are_made_from_the_queue(cairn: Service):
    features = cairn.json("show", "features", "--project", PROJECT)

    made = do_job(cairn, "feature_generation")
    tasks = do_job(cairn, "task_breakdown")
    plan = do_job(cairn, "sprint_planning", start_day="2026-06-01")
    report = do_job(cairn, "report", report_type="sprint", as_of="2026-06-01")

    assert made["artifact_ids"] == [one["artifact_id"] for one in features] != []
    assert made["phase"] == "feature_generation" and made["stop_reason"]
    assert tasks["artifact_ids"] and tasks["calls_ratio"] > 1
    with reading(cairn.settings_now().conninfo) as tables:
        told = [frame.name for frame in list_frames(tables, made["stream_id"], -1, 100)]
    assert told == ["started", "phase", "phase", "done"], "nothing is made twice"
    sprints = cairn.json("show", "sprint", "--project", PROJECT)
    assert plan["artifact_ids"] == [one["artifact_id"] for one in sprints] != []
    assert sprints[0]["fields"]["start_date"] == "2026-06-01"
    assert report["number"].startswith("report-")


def do_job(cairn: Service, job_type: str, **payload: Any) -> dict[str, Any]:
    """The result of a job as soon as it is done."""
    settings = cairn.settings_now()
    request = JobRequest(job_type, PROJECT, payload)
    job_id = asyncio.run(enqueue_job(settings, request, actor="ana")).job.job_id

    def ended() -> bool:
        job = asyncio.run(read_job(settings, job_id))
        assert job.status not in ("dead", "cancelled"), job.last_error
        return job.status == "succeeded"

    assert wait_until(ended, timeout_s=PATIENCE_S)
    return asyncio.run(read_job(settings, job_id)).result or {}


def refused(cairn: Service, *arguments: str) -> str:
    process = cairn.start(*arguments)
    _, err = process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode == 2
    return err


def plan_starting(cairn: Service, project: str, day: str, capacity: int) -> list[dict[str, Any]]:
    """The sprints as soon as the first begins on ``day`` with this capacity."""
    found: list[dict[str, Any]] = []

    def is_shown() -> bool:
        found[:] = cairn.json("show", "sprint", "--project", project)
        first = found[0]["fields"] if found else {}
        return (first.get("start_date"), first.get("capacity_points")) == (day, capacity)

    assert wait_until(is_shown, timeout_s=PATIENCE_S), f"never shown: {found}"
    return list(found)


def test_the_tools_of_agents_change_what_the_commands_show(cairn: Service):
    (project,) = [one for one in cairn.json("project", "list") if one["name"] == PROJECT]
    tools = open_tools(cairn.settings_now())

    def call(name: str, key: str = "", **arguments: Any) -> ToolResult:
        tool = tools.find(name)
        assert tool
        context = ToolContext(project["project_id"], "ana", "pm", key or f"{name} by a tool")
        result = asyncio.run(call_tool(tool, context, arguments))
        assert not result.is_error, result.text
        return result

    cairn.run("members", "add", "Cal", "--project", PROJECT, "--capacity", "8")
    for _ in range(2):  # the same key: a task that was asked for once is made once
        call("create_task", title="Password reset", assignee="Cal")
    (task,) = [one for one in shown_tasks(cairn) if one["title"] == "Password reset"]
    assert task["version"] == 1
    call("update_task", task=task["number"], status="in_progress")
    (task,) = [one for one in shown_tasks(cairn) if one["title"] == "Password reset"]
    assert task["fields"]["status"] == "in_progress"
    call("create_sprint", goal="Make signing in safe")
    (sprint,) = [one for one in shown(cairn, "sprint") if one["fields"]["user_edited"]]
    call("update_task", key="moves", task="Password reset", sprint=sprint["number"])
    (task,) = [one for one in shown_tasks(cairn) if one["title"] == "Password reset"]
    assert task["plan"]["sprint_id"] == sprint["artifact_id"]
    call("update_sprint", sprint=sprint["number"], closed=True)
    call("delete_sprint", sprint=sprint["number"])
    assert sprint["artifact_id"] not in [one["artifact_id"] for one in shown(cairn, "sprint")]

    call("create_feature", title="Sign in by key", priority="could")
    call("update_feature", feature="Sign in by key", priority="must", reason="The law asks for it")
    (item,) = call("prioritize_features", limit=1).data["items"]
    assert (item["title"].endswith("Sign in by key"), item["decided_by"]) == (True, "ana")
    call("delete_feature", feature="Sign in by key")
    assert "Sign in by key" not in [one["title"] for one in shown(cairn, "features")]
    call("delete_task", task="Password reset")
    assert "Password reset" not in [one["title"] for one in shown_tasks(cairn)]

    for name in ("generate_standup", "generate_sprint_report", "generate_retro"):
        assert call(name, as_of="2026-05-06").citations
    assert "needed: half likely by 2026-" in call("forecast_delivery", as_of="2026-05-06").text
    feature = call("list_features").citations[0].cited_id
    assert call("break_down_feature", reference=feature).citations
    assert "tier" in call("run_quality_check", reference="prd").text
    assert "Scheduled: " in call("schedule_work", request="sprint report every monday at 9").text
    assert cairn.run("verify-log")


def shown_tasks(cairn: Service) -> list[dict[str, Any]]:
    return shown(cairn, "tasks")


def shown(cairn: Service, kind: str) -> list[dict[str, Any]]:
    return cairn.json("show", kind, "--project", PROJECT)
