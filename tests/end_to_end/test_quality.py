"""The quality gate as a person runs it: it says no to a thin PRD, and says what is missing."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from infra.runtime.local.process import wait_until
from schemas.codec import decode
from tests.end_to_end.looking import records

pytestmark = pytest.mark.broker


def test_a_prd_is_judged_by_itself_and_not_changed(backbone):
    """Nobody asks for it; the project's first PRD was written before this test began."""
    cairn, project = backbone.cairn, backbone.project
    found = ("jobs", "list", "--project", project, "--type", "quality_run", "--status", "succeeded")

    def judged() -> list[dict[str, Any]]:
        jobs = [job for job in cairn.json(*found) if job["created_by"] == "agent:quality_gate"]
        return [job["result"] for job in jobs if job["result"]["status"] != "superseded"]

    assert wait_until(lambda: judged() != [], timeout_s=120)
    (result, *_) = judged()
    assert (result["status"], result["iteration"]) == ("needs_attention", 1)
    assert result["revised_sections"] == []
    shown = cairn.run("quality", "show", result["quality_run_id"], "--project", project)
    assert "missing: " in shown


def test_a_thin_prd_needs_attention_and_each_weak_section_is_named(backbone):
    cairn, project = backbone.cairn, backbone.project

    (run,) = cairn.json("quality", "run", "--project", project, "--idempotency-key", "one")

    assert (run["status"], run["mode"]) == ("needs_attention", "full")
    failing = [one for one in run["dimensions"] if one["tier"] < 2]
    assert failing
    for one in failing:
        assert [said["section_id"] for said in one["critiques"]] == one["failing_sections"]
        assert all(said["critique"] for said in one["critiques"])
    shown = cairn.run("quality", "show", run["quality_run_id"], "--project", project)
    assert "Needs attention" in shown and "missing: " in shown
    (prd,) = cairn.json("show", "prd", "--project", project, "--format", "json")
    assert prd["artifact_state"] != "stable"


def test_a_run_is_made_once_for_a_key_and_its_rows_are_its_events(backbone):
    cairn, project = backbone.cairn, backbone.project
    ask = ("quality", "run", "--project", project, "--idempotency-key", "two")
    first, again = cairn.json(*ask), cairn.json(*ask)

    assert first == again
    run_id = first[0]["quality_run_id"]
    on_topic = [
        event
        for _, value in records(cairn, "quality.v1")
        if getattr(event := decode(value).event, "quality_run_id", "") == run_id
    ]
    rows = cairn.json("quality", "show", run_id, "--project", project, "--events")
    assert [row["seq"] for row in rows] == list(range(1, len(on_topic) + 1))
    assert [row["event_type"] for row in rows] == [event.type_name for event in on_topic]
    assert rows[0]["event_type"] == "quality.run_started"
    assert rows[-1]["event_type"] == "quality.run_finished"
    evaluations = [row for row in rows if row["event_type"] == "quality.iteration_completed"]
    assert len(evaluations) == 2, "full mode: two evaluations, one revision between them"


def test_only_failing_sections_are_revised(backbone):
    cairn, project = backbone.cairn, backbone.project
    (run,) = cairn.json("quality", "run", "--project", project, "--idempotency-key", "three")
    rows = cairn.json("quality", "show", run["quality_run_id"], "--project", project, "--events")

    failing = next(
        row["payload"]["failing_sections"]
        for row in rows
        if row["event_type"] == "quality.iteration_completed"
    )
    revised = [
        row["payload"]["section"]["section_id"]
        for row in rows
        if row["event_type"] == "quality.section_revised"
    ]
    assert set(revised) <= set(failing)
    assert revised == run["revised_sections"]
    (prd,) = cairn.json("show", "prd", "--project", project, "--format", "json")
    written = {one["section_id"]: one["content_hash"] for one in prd["sections"]}
    for row in rows:
        if row["event_type"] == "quality.section_revised":
            section = row["payload"]["section"]
            assert written[section["section_id"]] == section["content_hash"]
    shown = cairn.run("quality", "show", run["quality_run_id"], "--project", project)
    for one in run["removed"]:
        assert one["text"] in shown
        assert one["atom_ids"]


def test_a_feature_is_judged_lightly(backbone):
    cairn, project = backbone.cairn, backbone.project
    feature = cairn.json("show", "features", "--project", project)[0]

    (run,) = cairn.json("quality", "run", feature["number"], "--project", project)

    assert (run["mode"], run["iteration"], run["max_iterations"]) == ("light", 1, 1)
    assert [one["name"] for one in run["dimensions"]] == ["Scoping", "Overall"]
    assert run["revised_sections"] == []
    listed = cairn.json("quality", "list", "--project", project, "--artifact", feature["number"])
    assert run["quality_run_id"] in {one["quality_run_id"] for one in listed}


@pytest.mark.parametrize(
    "arguments",
    [("prd", "--mode", "light"), ("epic-001",)],
    ids=["a mode of another type", "an epic"],
)
def test_what_the_gate_does_not_judge_is_wrong_use(backbone, arguments):
    backbone.cairn.run("quality", "run", *arguments, "--project", backbone.project, exit_code=2)


def test_the_audit_trail_refuses_every_change(backbone):
    conninfo = backbone.cairn.settings_now().conninfo
    with psycopg.connect(conninfo) as connection, pytest.raises(psycopg.errors.RestrictViolation):
        connection.execute("DELETE FROM cairn.quality_run_events")


def test_a_job_judges_and_its_stream_shows_every_step(backbone):
    cairn, project = backbone.cairn, backbone.project
    (job,) = cairn.json("jobs", "enqueue", "quality_run", "--project", project)

    def ended() -> bool:
        (now,) = cairn.json("jobs", "show", job["job_id"])
        return bool(now["status"] == "succeeded")

    assert wait_until(ended, timeout_s=120)
    (done,) = cairn.json("jobs", "show", job["job_id"])
    run_id = done["result"]["quality_run_id"]
    assert done["result"]["status"] == "needs_attention"
    conninfo = cairn.settings_now().conninfo
    with psycopg.connect(conninfo) as connection:

        def frames() -> list[str]:
            found = connection.execute(
                "SELECT name FROM cairn.stream_frames WHERE stream_id = %s ORDER BY seq", (run_id,)
            ).fetchall()
            connection.rollback()
            return [name for (name,) in found]

        assert wait_until(lambda: frames()[-1:] == ["done"], timeout_s=60)
        shown = frames()
    assert shown[0] == "quality_started" and shown[-2] == "final_tier"
    assert {"assessment_progress", "dimension_score", "iteration_feedback"} <= set(shown)
