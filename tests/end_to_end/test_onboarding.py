"""A project from its sources to a planned sprint, through a kill and the person it waits for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.process import wait_until
from schemas.events.pipeline import STAGES
from tests.end_to_end.alone import can_reach_others, only_loopback, plant_engines
from tests.parcel import write_to
from tests.service import COMMAND_PATIENCE_S, Service, service

pytestmark = pytest.mark.broker
PATIENCE_S = 280
START = ("--project", "Parcel", "--idempotency-key", "from the start")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("onboarding") / "parcel"
    write_to(path)
    return path


@pytest.fixture(scope="module")
def engines(tmp_path_factory) -> tuple[str, Path]:
    return plant_engines(tmp_path_factory.mktemp("engines"))


@pytest.fixture(scope="module")
def cairn(engines: tuple[str, Path]) -> Iterator[Service]:
    """It has no key of a model, no container engine, and as root no network but loopback."""
    keys = {name: "" for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))}
    with only_loopback() as is_alone, service(PATH=engines[0], **keys) as running:
        assert not (is_alone and can_reach_others())
        running.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        yield running


def look(cairn: Service, pipeline: str) -> dict[str, Any]:
    (shown,) = cairn.json("onboard", "show", pipeline)
    return shown


def stages(shown: dict[str, Any]) -> dict[str, str]:
    return {stage["name"]: stage["status"] for stage in shown["stages"]}


def waits_at(cairn: Service, pipeline: str, stage: str) -> dict[str, Any]:
    """The pipeline as soon as it waits for a person at this stage."""

    def is_there() -> bool:
        shown = look(cairn, pipeline)
        assert shown["status"] not in ("failed", "cancelled"), shown
        return (shown["status"], shown["current_stage"]) == ("waiting_for_human", stage)

    assert wait_until(is_there, timeout_s=PATIENCE_S), look(cairn, pipeline)
    return look(cairn, pipeline)


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
    cairn.kill("jobs")

    at_gate = waits_at(cairn, pipeline, "prd_quality_gate")
    assert stages(at_gate)["prd_generation"] == "completed"
    assert at_gate["actions"][:2] == ["accept", "edit"]
    version = str(at_gate["version"])
    accept = ("onboard", "accept", pipeline, "--expected-version")
    assert "not at 1" in refused(cairn, *accept, "1")
    cairn.run(*accept, version)
    assert "not at" in refused(cairn, *accept, version)

    at_team = waits_at(cairn, pipeline, "team_setup")
    assert stages(at_team)["feature_generation"] == "completed"
    cairn.run("members", "add", "Ana", "--project", "Parcel", "--skill", "backend:4")
    cairn.run("members", "update", "Ana", "--project", "Parcel", "--capacity", "12")
    cairn.run("onboard", "resume", pipeline)

    def is_over() -> bool:
        return bool(look(cairn, pipeline)["status"] in ("completed", "waiting_for_human", "failed"))

    assert wait_until(is_over, timeout_s=PATIENCE_S)
    done = look(cairn, pipeline)
    assert done["status"] == "completed", done
    assert set(stages(done).values()) <= {"completed", "skipped"}
    assert {"prd", "feature", "sprint_plan"} <= {one["artifact_type"] for one in done["artifacts"]}
    assert [stage["attempt"] for stage in done["stages"]] == [1] * len(STAGES)
    assert wait_until(
        lambda: (
            [one["seq"] for one in look(cairn, pipeline)["history"]]
            == list(range(1, done["version"] + 1))
        ),
        timeout_s=PATIENCE_S,
    )
    assert "there is nothing to resume" in refused(cairn, "onboard", "resume", pipeline)
    assert {run["engine"] for run in cairn.json("runs", "--project", "Parcel")} == {"heuristic"}
    assert not engines[1].exists(), engines[1].read_text()


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
    assert stage["status"] == "failed" and str(missing) in stage["error"]

    write_to(missing)
    cairn.run("onboard", "resume", pipeline)

    assert stages(waits_at(cairn, pipeline, "prd_quality_gate"))["ingestion"] == "completed"
    cairn.run("onboard", "cancel", pipeline)
