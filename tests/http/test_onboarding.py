"""From an upload to a sprint plan over HTTP alone, live, as a client does it."""

from __future__ import annotations

import secrets
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from schemas.events.pipeline import STAGES
from tests.http.conftest import Called
from tests.http.console import CONSOLE, Browser
from tests.http.listening import Following, Heard, listen
from tests.parcel import FILES

pytestmark = pytest.mark.broker
PATIENCE_S = 240


@pytest.fixture(scope="module")
def project(owner: httpx.Client) -> str:
    made = owner.post("/v1/projects", json={"name": f"Led {secrets.token_hex(4)}"})
    return str(made.json()["project_id"])


def done(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json()


def test_a_client_leads_a_project_from_an_upload_to_a_sprint_plan(
    called: Called, owner: httpx.Client, project: str
):
    root = f"/v1/projects/{project}"
    following = Following(called, project)
    following.start()
    assert following.is_open.wait(PATIENCE_S)
    documents = [
        {"path": path, "text": text} for path, text in FILES.items() if isinstance(text, str)
    ]
    uploaded = {"kind": "documents", "root": "parcel", "documents": documents}
    done(owner.post(f"{root}/sources", json=uploaded))
    key = {"idempotency-key": secrets.token_hex(8)}
    pipelines = f"{root}/onboarding/pipelines"
    started = done(owner.post(pipelines, json={}, headers=key))
    assert done(owner.post(pipelines, json={}, headers=key)) == started
    pipeline = f"{pipelines}/{started['pipeline_id']}"

    def look() -> dict[str, Any]:
        shown: dict[str, Any] = done(owner.get(pipeline))
        assert shown["status"] not in ("failed", "cancelled"), shown
        return shown

    def waits_at(stage: str) -> int:
        assert wait_until(
            lambda: (look()["status"], look()["current_stage"]) == ("waiting_for_human", stage),
            timeout_s=PATIENCE_S,
        ), look()
        return int(look()["version"])

    version = waits_at("prd_quality_gate")
    stale = owner.post(f"{pipeline}/accept", json={"expected_version": version - 1})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_version")
    done(owner.post(f"{pipeline}/accept", json={"expected_version": version}))
    waits_at("team_setup")
    member = {"name": "Ana", "skills": {"backend": 4}, "capacity_points": 12}
    assert done(owner.post(f"{root}/members", json=member))["name"] == "Ana"
    done(owner.post(f"{pipeline}/resume", json={}))
    assert wait_until(lambda: look()["status"] == "completed", timeout_s=PATIENCE_S), look()

    types = {each["artifact_type"] for each in look()["artifacts"]}
    assert {"prd", "feature", "sprint_plan"} <= types
    assert wait_until(lambda: following.has("done", status="completed"), timeout_s=PATIENCE_S)
    following.stop = True
    told = {frame.name for frame in following.heard}
    assert {"run", "progress", "prd_section", "feature", "waiting_for_human", "phase"} <= told
    seqs = [frame.seq for frame in following.heard]
    assert seqs == sorted(set(seqs))
    assert_each_stage_was_told(following.heard)
    with called.client() as client:
        whole = list(listen(client, started["pipeline_id"]))
        half = len(whole) // 2
        rest = list(listen(client, started["pipeline_id"], last_id=whole[half].id))
    assert rest == whole[half + 1 :]
    assert (whole[0].name, whole[-1].name) == ("pipeline_started", "done")
    assert_each_stage_was_told(whole)
    # Its own stream tells what the stages make, too: the gate's scores, and the plan at the end.
    assert {"dimension_score", "final_tier", "artifacts"} <= {frame.name for frame in whole}


def assert_each_stage_was_told(heard: list[Heard]) -> None:
    """A stage is told when it begins, and behind that when it is over."""
    phases = [
        (frame.data["name"], frame.data["status"])
        for frame in heard
        if frame.name == "phase" and "pipeline_id" in frame.data
    ]
    assert [name for name, status in phases if status == "running"] == list(STAGES)
    over = [name for name, status in phases if status in ("complete", "skipped")]
    assert over == list(STAGES)


def test_what_runs_in_the_background_is_seen_and_only_by_its_project(
    called: Called, owner: httpx.Client, project: str
):
    root = f"/v1/projects/{project}"
    jobs = done(owner.get(f"{root}/jobs", params={"job_type": "onboarding"}))["items"]
    assert {job["status"] for job in jobs} == {"succeeded"}
    history = f"{root}/jobs/{jobs[0]['job_id']}/history"  # of events, which come after the row
    assert wait_until(
        lambda: done(owner.get(history))[-1]["event_type"] == "job.succeeded",
        timeout_s=PATIENCE_S,
    )
    stranger = called.make_token("owner", called.other)
    with called.client(stranger) as client:
        theirs = client.get(f"/v1/projects/{called.other}/jobs/{jobs[0]['job_id']}")
    assert theirs.status_code == 404


def test_a_judgement_names_what_the_prd_lacks(owner: httpx.Client, project: str):
    root = f"/v1/projects/{project}"
    job = done(owner.post(f"{root}/quality-runs", json={}))
    path = f"{root}/jobs/{job['job_id']}"
    assert wait_until(lambda: done(owner.get(path))["status"] == "succeeded", timeout_s=PATIENCE_S)
    run_id = done(owner.get(path))["result"]["quality_run_id"]

    judged = done(owner.get(f"{root}/quality-runs/{run_id}"))

    assert judged["run"]["status"] == "needs_attention"
    assert any(each["critique"] for each in judged["run"]["dimensions"])
    assert [event["seq"] for event in judged["events"]] == list(range(1, len(judged["events"]) + 1))
    graph = done(owner.get("/v1/agents/graphs/quality_gate"))
    assert {"evaluator", "reviser"} <= set(graph["nodes"])


def test_a_report_and_an_edit_cite_what_they_say(owner: httpx.Client, project: str):
    root = f"/v1/projects/{project}"
    report = done(owner.post(f"{root}/reports", json={"report_type": "standup"}))
    assert any(section["statements"] for section in report["sections"])
    text = {"text": "- Parcels must be weighed before they are sorted.\n"}
    edited = done(owner.put(f"{root}/prd/sections/functional_requirements", json=text))
    assert edited["refusal"] is None
    assert edited["section_ids"] == ["functional_requirements"]


def test_the_console_shows_the_plan_as_a_board_on_which_tasks_move(called: Called, project: str):
    home = f"{CONSOLE}/projects/{project}"
    team = f"{home}/team"
    with Browser(called) as browser:
        assert "Start another one" in browser.open(f"{home}/onboarding").text
        forms = browser.open(team).all("form")
        move = next(it["action"] for it in forms if it.get("action", "").endswith("/status"))
        moved = browser.send(team, move, status="in_progress")
        assert "is in progress." in moved.text, moved.text
        stale = browser.send(team, move, status="done", version="1")
        assert stale.status_code == 409
        assert browser.send(team, move, status="lost").status_code == 422
        report = browser.send(team, f"{home}/reports", type="standup")
        assert "/documents/art_" in report.url.path, report.text


def test_a_person_accepts_and_skips_in_the_console(
    called: Called, owner: httpx.Client, project: str
):
    root = f"/v1/projects/{project}"
    for each in done(owner.get(f"{root}/members")):
        assert owner.delete(f"{root}/members/{each['member_id']}").status_code == 204
    page = f"{CONSOLE}/projects/{project}/onboarding"

    with Browser(called) as browser:

        def waits_at(stage: str) -> bool:
            shown = " ".join(browser.open(pipeline).text.split())
            assert "has failed" not in shown, shown
            return f"{stage} waits for you" in shown

        pipeline = browser.send(page, page, sources="").url.path
        assert wait_until(lambda: waits_at("PRD quality gate"), timeout_s=PATIENCE_S)
        accepted = browser.send(pipeline, f"{pipeline}/accept")
        assert "The PRD is accepted." in accepted.text
        assert wait_until(lambda: waits_at("Team setup"), timeout_s=PATIENCE_S)
        skipped = browser.send(pipeline, f"{pipeline}/skip", reason="We <b>hire</b> later")
        assert "Skipped." in skipped.text
        assert "We <b>hire</b> later" in browser.open(pipeline).text
        assert "We <b>hire</b> later" in browser.open(f"{CONSOLE}/projects/{project}/audit").text
