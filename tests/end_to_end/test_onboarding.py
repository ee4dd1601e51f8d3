"""A project from its sources to a planned sprint, through a kill and the person it waits for."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from infra.platform import postgres
from infra.runtime.local.process import wait_until
from infra.service.planning.section_edits import PrdEdit, edit_prd_section
from infra.service.projects.onboarding import (
    read_onboarding,
    read_onboarding_events,
    resume_onboarding,
)
from infra.service.writing.quality import read_quality_run
from projections.read.quality import QualityRunRow
from schemas.events.pipeline import STAGES
from tests.end_to_end.conftest import Backbone
from tests.parcel import write_to
from tests.service import COMMAND_PATIENCE_S, Service

pytestmark = pytest.mark.broker
PATIENCE_S = 280
PROJECT = "Onboarded"
START = ("--project", PROJECT, "--idempotency-key", "from-the-start")
OWN = "Senders do not know where their shipment is."


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Without its README, or the gate would know enough to let the PRD pass."""
    path: Path = tmp_path_factory.mktemp("onboarding") / "parcel"
    write_to(path)
    (path / "README.md").unlink()
    return path


@pytest.fixture(scope="module")
def cairn(backbone: Backbone) -> Service:
    backbone.cairn.run("project", "create", PROJECT, "--idempotency-key", PROJECT)
    return backbone.cairn


def look(cairn: Service, pipeline: str) -> dict[str, Any]:
    """The pipeline as the command shows it, without the start of a process for each look."""
    settings = cairn.settings_now()
    record = asyncio.run(read_onboarding(settings, pipeline)).record
    history = asyncio.run(read_onboarding_events(settings, pipeline))
    told = {"history": [one.model_dump(include={"seq", "event", "data"}) for one in history]}
    return record.model_dump(mode="json") | told


def stages(shown: dict[str, Any]) -> dict[str, str]:
    return {stage["name"]: stage["status"] for stage in shown["stages"]}


def waits_at(cairn: Service, pipeline: str, stage: str, after: int = 0) -> dict[str, Any]:
    """The pipeline as soon as it waits for a person at this stage, behind version ``after``."""

    def is_there() -> bool:
        shown = look(cairn, pipeline)
        assert shown["status"] not in ("failed", "cancelled"), shown
        waits = (shown["status"], shown["current_stage"]) == ("waiting_for_human", stage)
        return bool(waits and shown["version"] > after)

    assert wait_until(is_there, timeout_s=PATIENCE_S), look(cairn, pipeline)
    return look(cairn, pipeline)


def judgement(cairn: Service, waiting: dict[str, Any]) -> QualityRunRow:
    """The run of the gate that the waiting pipeline names."""
    reasons: list[str] = []

    def is_told() -> bool:
        history = look(cairn, waiting["pipeline_id"])["history"]
        reasons[:] = [one["data"]["reason"] for one in history if one["seq"] == waiting["version"]]
        return bool(reasons)

    assert wait_until(is_told, timeout_s=PATIENCE_S)
    (run_id,) = re.findall(r"qlr_[0-9a-f]+", reasons[0])
    return asyncio.run(read_quality_run(cairn.settings_now(), PROJECT, run_id))[0]


def refused(cairn: Service, *arguments: str) -> str:
    process = cairn.start(*arguments)
    _, err = process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode == 1
    return err


def test_a_project_is_led_from_its_sources_to_a_sprint_plan(
    cairn: Service, folder: Path, engines: tuple[str, Path]
):
    pipeline = cairn.run("onboard", "start", str(folder), *START).strip()
    assert cairn.run("onboard", "start", str(folder), *START).strip() == pipeline
    assert wait_until(
        lambda: stages(look(cairn, pipeline))["ingestion"] != "pending", timeout_s=PATIENCE_S
    )
    cairn.kill_jobs()

    at_gate = waits_at(cairn, pipeline, "prd_quality_gate")
    assert stages(at_gate)["prd_generation"] == "completed"
    assert at_gate["actions"] == ["accept", "edit", "resume", "cancel"]
    at_gate = edit_and_judge_again(cairn, at_gate)
    version = str(at_gate["version"])
    accept = ("onboard", "accept", pipeline, "--expected-version")
    assert "not at 1" in refused(cairn, *accept, "1")
    in_stage_6 = kill_in_stage_6(cairn, pipeline, *accept, version)
    assert "not at" in refused(cairn, *accept, version)

    at_team = waits_at(cairn, pipeline, "team_setup")
    assert_it_went_on_where_it_was(cairn, in_stage_6, at_team)
    cairn.run("members", "add", "Ana", "--project", PROJECT, "--skill", "backend:4")
    cairn.run("members", "update", "Ana", "--project", PROJECT, "--capacity", "12")
    cairn.run("onboard", "resume", pipeline)

    def is_over() -> bool:
        return bool(look(cairn, pipeline)["status"] in ("completed", "waiting_for_human", "failed"))

    assert wait_until(is_over, timeout_s=PATIENCE_S)
    done = look(cairn, pipeline)
    assert done["status"] == "completed", done
    assert set(stages(done).values()) <= {"completed", "skipped"}
    made = {one["artifact_type"]: one["artifact_ids"] for one in done["artifacts"]}
    assert {"insight", "prd", "feature", "sprint_plan"} <= set(made)
    insights = cairn.json("show", "insights", "--project", PROJECT)
    standing = {one["artifact_id"] for one in insights if one["artifact_state"] != "draft"}
    assert standing == set(made["insight"])
    said = [line for one in insights for part in one["sections"] for line in part["statements"]]
    assert said and all(line["citations"] for line in said)
    assert [stage["attempt"] for stage in done["stages"]] == [1] * len(STAGES)
    assert wait_until(
        lambda: (
            [one["seq"] for one in look(cairn, pipeline)["history"]]
            == list(range(1, done["version"] + 1))
        ),
        timeout_s=PATIENCE_S,
    )
    assert "there is nothing to resume" in refused(cairn, "onboard", "resume", pipeline)
    assert {run["engine"] for run in cairn.json("runs", "--project", PROJECT)} == {"heuristic"}
    assert not engines[1].exists(), engines[1].read_text()


def edit_and_judge_again(cairn: Service, waiting: dict[str, Any]) -> dict[str, Any]:
    """A person edits a section and has the PRD judged again, twice; the pipeline as it waits."""
    settings, pipeline = cairn.settings_now(), waiting["pipeline_id"]
    first = judgement(cairn, waiting)
    edit = PrdEdit(PROJECT, "problem", text=OWN)
    edited = asyncio.run(edit_prd_section(settings, edit, editor="ana"))

    asyncio.run(resume_onboarding(settings, pipeline, actor="ana"))
    waiting = waits_at(cairn, pipeline, "prd_quality_gate", after=waiting["version"])
    second = judgement(cairn, waiting)
    asyncio.run(resume_onboarding(settings, pipeline, actor="ana"))
    waiting = waits_at(cairn, pipeline, "prd_quality_gate", after=waiting["version"])
    third = judgement(cairn, waiting)

    assert len({first.quality_run_id, second.quality_run_id, third.quality_run_id}) == 3
    # What the owner wrote is read as a source, too, which may give a later version meanwhile.
    assert first.artifact_version < edited.version <= second.artifact_version
    assert third.artifact_version >= second.artifact_version
    assert stages(waiting)["prd_quality_gate"] == "running"
    return waiting


def kill_in_stage_6(cairn: Service, pipeline: str, *accept: str) -> dict[str, Any]:
    """The worker dies while it looks for features, and another starts; the pipeline then.

    A lock on the table of the features holds the stage where it is until the worker is dead.
    """
    with postgres.connect(cairn.settings_now().conninfo) as held:
        held.execute("LOCK TABLE artifacts IN ACCESS EXCLUSIVE MODE")
        cairn.run(*accept)

        def is_looking() -> bool:
            return stages(look(cairn, pipeline))["feature_generation"] == "running"

        assert wait_until(is_looking, timeout_s=PATIENCE_S), look(cairn, pipeline)
        killed = cairn.kill_jobs()
        assert wait_until(lambda: cairn.runs_again("jobs", killed), timeout_s=PATIENCE_S)
        assert is_looking()
        runs = cairn.json("runs", "--project", PROJECT)
        return look(cairn, pipeline) | {"runs": [each["run_id"] for each in runs]}


def assert_it_went_on_where_it_was(
    cairn: Service, killed: dict[str, Any], after: dict[str, Any]
) -> None:
    """Stages 1 to 5 stand as they stood, times included, and stage 6 was entered once."""
    assert [each["name"] for each in after["stages"][:5]] == list(STAGES[:5])
    assert after["stages"][:5] == killed["stages"][:5]
    before, sixth = killed["stages"][5], after["stages"][5]
    assert (before["name"], before["finished_at"]) == ("feature_generation", None)
    ended = {"status": "completed", "finished_at": sixth["finished_at"]}
    assert sixth == before | ended and sixth["finished_at"]
    moves = [
        (one["data"]["stage"], one["data"]["after"])
        for one in look(cairn, after["pipeline_id"])["history"]
        if "before" in one["data"]
    ]
    assert len(moves) == len(set(moves)), moves
    assert [each["run_id"] for each in cairn.json("runs", "--project", PROJECT)] == killed["runs"]
    jobs = cairn.json("jobs", "list", "--project", PROJECT, "--type", "onboarding")
    assert sorted(each["attempt_count"] for each in jobs)[-2:] == [
        2,
        2,
    ]  # of stage 2 and of stage 6
    (features,) = [
        each["artifact_ids"] for each in after["artifacts"] if each["artifact_type"] == "feature"
    ]
    shown = {each["artifact_id"] for each in cairn.json("show", "features", "--project", PROJECT)}
    assert len(features) == len(set(features)) and set(features) <= shown


def test_a_draft_completes_no_stage(cairn: Service, tmp_path: Path):
    """One requirement is not enough for a PRD that anybody could use."""
    (tmp_path / "README.md").write_text("# Sorter\n\nThe sorter must weigh each crate.\n")
    cairn.run("project", "create", "Thin", "--idempotency-key", "thin")
    pipeline = cairn.run("onboard", "start", str(tmp_path), "--project", "Thin").strip()

    waiting = waits_at(cairn, pipeline, "prd_generation")

    assert (stages(waiting)["ingestion"], stages(waiting)["prd_generation"]) == (
        "completed",
        "running",
    )
    assert "prd" not in {one["artifact_type"] for one in waiting["artifacts"]}
    assert "accept" not in waiting["actions"]
    (prd,) = cairn.json("show", "prd", "--project", "Thin", "--format", "json")
    assert prd["artifact_state"] == "draft"
    cairn.run("onboard", "cancel", pipeline)


def test_a_stage_that_waits_can_be_left_out_with_a_reason(cairn: Service):
    cairn.run("project", "create", "Bare", "--idempotency-key", "bare")
    pipeline = cairn.run("onboard", "start", "--project", "Bare").strip()

    waiting = waits_at(cairn, pipeline, "sources")

    assert "skip" not in waiting["actions"]
    assert "cannot be skipped" in refused(
        cairn, "onboard", "skip", pipeline, "--reason", "no sources at all"
    )
    cairn.run("onboard", "cancel", pipeline)
    assert look(cairn, pipeline)["status"] == "cancelled"


def test_a_stage_that_fails_says_why_and_runs_again_when_it_is_resumed(
    cairn: Service, tmp_path: Path
):
    cairn.run("project", "create", "Later", "--idempotency-key", "later")
    missing = tmp_path / "later"
    pipeline = cairn.run("onboard", "start", str(missing), "--project", "Later").strip()
    assert wait_until(lambda: look(cairn, pipeline)["status"] == "failed", timeout_s=PATIENCE_S)
    (stage,) = [one for one in look(cairn, pipeline)["stages"] if one["name"] == "sources"]
    assert stage["status"] == "failed" and f"…/{missing.name}" in stage["error"]

    write_to(missing)
    cairn.run("onboard", "resume", pipeline)

    assert stages(waits_at(cairn, pipeline, "prd_quality_gate"))["ingestion"] == "completed"
    cairn.run("onboard", "cancel", pipeline)
