"""Profiles, the oracle and the brainstormer through the running service and its commands."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from agents.development.ports import ToolOutcome
from infra.http.writes import HEADER
from infra.runtime import supervisor
from infra.runtime.local.process import wait_until
from infra.service.development.brainstorms import BrainstormPayload, answer_message
from infra.service.development.oracle import AskingRun, open_oracle_tools
from infra.service.development.profile_checks import TINY
from infra.service.foundation.job_kind import Workplace
from infra.service.models.models import open_model
from infra.store.jobs.keeper import RunningJob
from infra.store.jobs.lease import Lease
from schemas.envelope import SERVICE_WIDE
from tests.http.conftest import Called
from tests.models.provider import (
    KEY,
    Failure,
    Hang,
    Request,
    ScriptedProvider,
    scripted_provider,
    write_models,
)

pytestmark = pytest.mark.broker
CONSULTATIONS, BRAINSTORMS, PROFILES = (
    "/v1/dev/consultations",
    "/v1/dev/brainstorms",
    "/v1/dev/profiles",
)
WITHIN_S = 120.0
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ADVICE = "Close the file in `run`."
ORACLE, BRAINSTORMER = "a senior engineer", "to turn an idea into a design"
DOCUMENT = "# Late parcels\n\n- R1: Whoever waits for a late parcel is told.\n"


def say(request: Request) -> Any:
    """What the model answers, by the last words it was given."""
    last = str(request.messages[-1]["content"])
    if ORACLE in request.text:
        return ADVICE
    if "refused, and nothing was written" in last:
        return write("late-parcels.md")
    match last:
        case "Tell people of late parcels":
            return {"reply": "Who is told?"}
        case "Write it down":
            return write("late-parcels.sh")
        case "Break":
            return Failure(401)
        case _:
            return {"reply": f"You wrote: {last}"}


def write(name: str) -> dict[str, Any]:
    arguments = {"file_name": name, "markdown": DOCUMENT}
    return {"reply": "It is written.", "tool": "write_design_doc", "arguments": arguments}


class Script:
    """Answers by `say`; while ``hangs``, not at all."""

    hangs = False

    def __call__(self, request: Request) -> Any:
        return Hang() if self.hangs else say(request)


@pytest.fixture(scope="module")
def script() -> Script:
    return Script()


@pytest.fixture(scope="module")
def provider(called: Called, script: Script) -> Iterator[ScriptedProvider]:
    models = called.cairn.settings.models_file
    ready = supervisor.ready_file(called.cairn.settings, "model-worker")
    with scripted_provider(script) as model:
        write_models(
            models,
            {"draft": ["first/claude-scripted"], "review": ["second/gemini-scripted"]},
            openai=model,
            first=one_of(model, "claude-scripted"),
            second=one_of(model, "gemini-scripted"),
        )
        try:
            assert wait_until(ready.exists, timeout_s=WITHIN_S)
            yield model
        finally:
            models.unlink()


def one_of(provider: ScriptedProvider, name: str) -> dict[str, Any]:
    """The provider under another name, with this one model."""
    return {"base_url": provider.base_url, "api_key": KEY, "models": [name]}


def post(client: httpx.Client, path: str, key: str = "", **body: Any) -> dict[str, Any]:
    headers = {HEADER: key or secrets.token_hex(8)}
    answer = client.post(path, json=body or None, headers=headers)
    assert answer.status_code < 300, answer.text
    return dict(answer.json())


def refuse(client: httpx.Client, path: str, **body: Any) -> tuple[int, str]:
    answer = client.post(path, json=body or None)
    assert answer.status_code >= 400, answer.text
    return answer.status_code, answer.json()["code"]


def get(client: httpx.Client, path: str) -> dict[str, Any]:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def await_session(client: httpx.Client, session: str) -> dict[str, Any]:
    """The session when nothing of it is under way."""
    path = f"{BRAINSTORMS}/{session}"

    def is_idle() -> bool:
        return all(it["status"] != "running" for it in get(client, path)["pending"])

    assert wait_until(is_idle, timeout_s=WITHIN_S)
    return get(client, path)


def texts(state: dict[str, Any]) -> list[tuple[int, str, str]]:
    return [(it["number"], it["role"], it["text"]) for it in state["messages"]]


def asked(provider: ScriptedProvider, words: str) -> list[Request]:
    """The requests with these words: artifacts are worded at the same time."""
    return [request for request in provider.requests if words in request.text]


def count_jobs(called: Called) -> int:
    query = (
        "SELECT count(*) FROM cairn.orchestration_jobs"
        " WHERE job_type IN ('consultation', 'brainstorm')"
    )
    with psycopg.connect(called.cairn.settings_now().conninfo) as connection:
        row = connection.execute(query).fetchone()
    assert row
    return int(row[0])


def test_without_a_model_nobody_is_asked_and_the_way_to_one_is_told(
    called: Called, owner: httpx.Client
):
    assert refuse(owner, CONSULTATIONS, problem="It hangs.") == (409, "no_model")
    assert refuse(owner, BRAINSTORMS, message="An idea") == (409, "no_model")
    assert count_jobs(called) == 0
    process = called.cairn.start("oracle", "ask", "It hangs.")
    _, told = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 1
    assert "No language model is configured" in told and "cairn models add" in told


def test_profiles_are_kept_in_a_file_and_chosen_by_command(called: Called, owner: httpx.Client):
    (built_in,) = called.cairn.json("profiles", "list")
    assert built_in["is_used"] and built_in["is_built_in"]
    called.cairn.run(
        *("profiles", "add", "shop", "--tracker", "github", "--allow", "git", "--allow", "pytest"),
        *("--validator", "python3 -m pytest -q"),
    )
    called.cairn.run("profiles", "use", "shop")
    _, shop = called.cairn.json("profiles", "list")
    assert shop["is_used"] and shop["profile"]["allowlist"] == ["git", "pytest"]
    file = called.cairn.home / "profiles.toml"
    assert file.stat().st_mode & 0o777 == 0o600
    wrong = {"name": "work", "driver": "claude", "sandbox": "docker"}
    assert refuse(owner, PROFILES, **wrong) == (422, "driver_not_sandboxable")
    assert refuse(owner, PROFILES, name="shop") == (409, "profile_exists")
    assert refuse(owner, f"{PROFILES}/nobody/use") == (404, "unknown_profile")
    with called.client(called.make_token("owner", called.project)) as other:
        assert other.get(PROFILES).status_code == 403
    with called.client(called.make_token("owner")) as other:
        assert refuse(other, PROFILES, name="mine") == (403, "token_of_home_needed")


def test_a_consultation_is_answered_recorded_listed_and_shown(
    called: Called, owner: httpx.Client, provider: ScriptedProvider, tmp_path: Path
):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/app.py").write_text(f"TOKEN = '{TOKEN}'\ndef run(): ...\n")
    body = {"problem": "It hangs.", "repository": str(tmp_path), "context_files": ["src/app.py"]}
    key = secrets.token_hex(8)
    begun = post(owner, CONSULTATIONS, key, **body)
    again = post(owner, CONSULTATIONS, key, **body)
    assert again["id"] == begun["id"]
    path = f"{CONSULTATIONS}/{begun['id']}"
    assert wait_until(lambda: get(owner, path)["status"] != "running", timeout_s=WITHIN_S)
    state = get(owner, path)
    found = state["consultation"]
    assert (state["status"], found["advice"]) == ("answered", ADVICE)
    assert (found["problem"], found["context_files"]) == ("It hangs.", ["src/app.py"])
    assert found["model"].startswith("openai/") and found["tokens"] > 0
    (request,) = asked(provider, ORACLE)
    assert "def run" in request.text and TOKEN not in request.text
    listed = called.cairn.json("oracle", "list")
    assert [it["id"] for it in listed] == [begun["id"]]
    assert called.cairn.run("oracle", "show", begun["id"]).strip() == ADVICE


def test_the_oracle_is_asked_by_command_with_files_of_the_folder(
    called: Called, provider: ScriptedProvider, tmp_path: Path
):
    (tmp_path / "app.py").write_text("def run_by_command(): ...\n")
    shown = called.cairn.run(
        *("oracle", "ask", "It still hangs.", "--context", str(tmp_path / "app.py")),
        *("--repository", str(tmp_path)),
    )
    assert shown.strip() == ADVICE
    assert len(asked(provider, "run_by_command")) == 1


def test_files_with_secrets_or_from_outside_are_refused_before_anything_is_asked(
    called: Called, owner: httpx.Client, provider: ScriptedProvider, tmp_path: Path
):
    (tmp_path / ".env").write_text("planted")
    before = count_jobs(called), len(asked(provider, ORACLE))
    for name in (".env", "../outside", "missing.py"):
        body = {"problem": "It hangs.", "repository": str(tmp_path), "context_files": [name]}
        assert refuse(owner, CONSULTATIONS, **body) == (422, "context_file_refused")
    with called.client(called.make_token("owner")) as other:  # files of the machine
        assert refuse(other, CONSULTATIONS, problem="x") == (403, "token_of_home_needed")
    assert (count_jobs(called), len(asked(provider, ORACLE))) == before


def test_an_idea_becomes_a_design_that_is_handed_on(
    called: Called, owner: httpx.Client, provider: ScriptedProvider
):
    session = post(owner, BRAINSTORMS, message="Tell people of late parcels")["id"]
    state = await_session(owner, session)
    assert texts(state) == [
        (1, "person", "Tell people of late parcels"),
        (1, "brainstormer", "Who is told?"),
    ]
    assert state["session"]["title"] == "Tell people of late parcels"
    path = f"{BRAINSTORMS}/{session}"
    assert refuse(owner, f"{path}/handoff") == (409, "no_design")
    post(owner, f"{path}/messages", message="Whoever waits")
    post(owner, f"{path}/messages", message="Write it down")
    state = await_session(owner, session)
    assert [it[0] for it in texts(state)] == [1, 1, 2, 2, 3, 3]
    assert texts(state)[-1] == (3, "brainstormer", "It is written.")
    assert state["design"]["file_name"] == "late-parcels.md"
    assert state["design"]["markdown"] == DOCUMENT
    assert len(asked(provider, "a design document ends with")) == 1
    assert called.cairn.run("brainstorm", "show", session, "--design").strip() == DOCUMENT.strip()
    key = secrets.token_hex(8)
    handed = post(owner, f"{path}/handoff", key)
    assert post(owner, f"{path}/handoff", key) == handed
    assert handed["design"] == DOCUMENT and handed["idea"] == "Tell people of late parcels"
    assert handed["workflow_id"] == ""
    state = get(owner, path)
    assert state["handoffs"] == [handed]
    assert state["session"]["handed_off_at"] == handed["created_at"]
    listed = called.cairn.json("brainstorm", "list")
    assert listed[0]["id"] == session and listed[0]["design"] == "late-parcels.md"


def test_a_workflow_begins_with_the_design(
    called: Called, owner: httpx.Client, provider: ScriptedProvider, tmp_path: Path
):
    for command in ("init -q", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m A"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    session = post(owner, BRAINSTORMS, message="Write it down")["id"]
    await_session(owner, session)
    path, key = f"{BRAINSTORMS}/{session}/handoff", secrets.token_hex(8)
    body: dict[str, Any] = {"workflow_type": "issue", "issue": 7, "repository": str(tmp_path)}
    handed = post(owner, path, key, **body)
    assert handed["workflow_id"].startswith("wfl_")
    assert post(owner, path, key, **body) == handed
    (asked_for,) = list_workflows(called, handed["workflow_id"])
    assert asked_for["issue"]["number"] == 7
    assert asked_for["issue"]["title"] == "Write it down"
    assert asked_for["issue"]["text"] == DOCUMENT.strip()
    handed = post(owner, path, **(body | {"workflow_type": "requirements"}))
    (asked_for,) = list_workflows(called, handed["workflow_id"])
    assert asked_for["input"]["text"] == DOCUMENT
    with called.client(called.make_token("pm")) as leader:  # a folder of the machine
        assert refuse(leader, path, **body) == (403, "token_of_home_needed")


def list_workflows(called: Called, workflow_id: str) -> list[dict[str, Any]]:
    """What the jobs of a workflow were asked for."""
    query = (
        "SELECT payload -> 'asked' FROM cairn.orchestration_jobs"
        " WHERE payload ->> 'workflow_id' = %s AND payload ? 'asked'"
    )
    with psycopg.connect(called.cairn.settings_now().conninfo) as connection:
        return [row[0] for row in connection.execute(query, (workflow_id,)).fetchall()]


def test_questions_and_answers_outlive_a_kill_and_the_open_one_is_answered_behind_it(
    called: Called, owner: httpx.Client, provider: ScriptedProvider, script: Script
):
    session = called.cairn.json("brainstorm", "start", "Before the kill")[0]["id"]
    before = texts(get(owner, f"{BRAINSTORMS}/{session}"))
    script.hangs = True
    try:
        post(owner, f"{BRAINSTORMS}/{session}/messages", message="Behind the kill")
        assert wait_until(lambda: bool(asked(provider, "Behind the kill")), timeout_s=WITHIN_S)
    finally:
        script.hangs = False
    killed = called.cairn.kill_jobs()
    assert wait_until(lambda: called.cairn.runs_again("jobs", killed), timeout_s=WITHIN_S)
    state = await_session(owner, session)
    assert texts(state) == [
        *before,
        (2, "person", "Behind the kill"),
        (2, "brainstormer", "You wrote: Behind the kill"),
    ]


def test_a_job_that_is_done_again_asks_nobody_and_changes_nothing(
    called: Called, owner: httpx.Client, provider: ScriptedProvider
):
    key = secrets.token_hex(8)
    session = post(owner, BRAINSTORMS, key, message="Write it down")["id"]
    before = await_session(owner, session)
    count = len(asked(provider, BRAINSTORMER))
    settings = called.cairn.settings_now()
    payload = BrainstormPayload(
        brainstorm_id=session, request_key=key, text="Write it down", is_first=True
    )
    project = before["session"]["project_id"]
    lease = Lease(
        *("job_again", 1, "tests", project, "brainstorm", f"{session}|{key}", 1, 3),
        *(f"human:{before['session']['started_by']}", session, {}),
    )
    place = Workplace(settings, os.environ)
    asyncio.run(answer_message(place, RunningJob(lease), payload))
    assert len(asked(provider, BRAINSTORMER)) == count
    assert get(owner, f"{BRAINSTORMS}/{session}") == before


def test_a_message_whose_answer_fails_is_told_and_the_session_goes_on(
    called: Called, owner: httpx.Client, provider: ScriptedProvider
):
    session = post(owner, BRAINSTORMS, message="Break")["id"]
    state = await_session(owner, session)
    (failed,) = state["pending"]
    assert failed["status"] == "failed" and failed["error"]
    answered = called.cairn.run("brainstorm", "say", session, "Go on")
    assert answered.strip() == "You wrote: Go on"
    state = get(owner, f"{BRAINSTORMS}/{session}")
    assert state["pending"] == []
    assert [it[:2] for it in texts(state)] == [(1, "person"), (1, "person"), (1, "brainstormer")]


def test_an_agent_asks_the_oracle_in_its_run_once_for_the_same_question(
    called: Called, owner: httpx.Client, provider: ScriptedProvider, tmp_path: Path
):
    (tmp_path / "app.py").write_text("def asked_by_an_agent(): ...\n")
    (tmp_path / ".env").write_text("planted")
    settings = called.cairn.settings_now()
    run = AskingRun("wfl_of_an_agent", SERVICE_WIDE, "developer", tmp_path)

    async def ask() -> list[ToolOutcome]:
        async with open_model(settings) as model:
            assert model
            tools = open_oracle_tools(settings, model, run)
            given = {"problem": "What is wrong?", "context_files": ["app.py"]}
            return [
                await tools.call("ask_oracle", given),
                await tools.call("ask_oracle", given),
                await tools.call("ask_oracle", {"problem": "x", "context_files": [".env"]}),
            ]

    first, again, refused = asyncio.run(ask())
    assert first == again == ToolOutcome(ADVICE)
    assert refused.is_error and "may hold secrets" in refused.text
    assert len(asked(provider, "asked_by_an_agent")) == 1

    def find() -> list[Any]:
        items = owner.get(CONSULTATIONS).json()["items"]
        return [it for it in items if it["workflow_id"] == "wfl_of_an_agent"]

    assert wait_until(lambda: bool(find()), timeout_s=WITHIN_S)
    (consultation,) = find()
    assert (consultation["asked_by"], consultation["advice"]) == ("developer", ADVICE)


def test_brainstorms_are_for_those_who_lead_all_projects(
    called: Called, owner: httpx.Client, provider: ScriptedProvider
):
    with called.client(called.make_token("pm")) as leader:
        session = post(leader, BRAINSTORMS, message="Of a leader")["id"]
        await_session(leader, session)
        assert leader.get(CONSULTATIONS).status_code == 403
    for token in (called.make_token("member"), called.make_token("pm", called.project)):
        with called.client(token) as other:
            assert other.get(f"{BRAINSTORMS}/{session}").status_code == 403
            assert refuse(other, BRAINSTORMS, message="x")[0] == 403
    for path in (f"{BRAINSTORMS}/brn_0", f"{CONSULTATIONS}/cst_0"):
        assert owner.get(path).status_code == 404
    assert refuse(owner, f"{BRAINSTORMS}/brn_0/messages", message="x")[0] == 404
    assert refuse(owner, f"{BRAINSTORMS}/brn_0/handoff")[0] == 404
    assert refuse(owner, BRAINSTORMS, message="x", project="prj_0")[0] == 404


def test_a_profile_is_checked_part_by_part(
    called: Called, owner: httpx.Client, provider: ScriptedProvider
):
    checked = post(owner, f"{PROFILES}/default/check")
    parts = {it["part"]: it for it in checked["parts"]}
    assert list(parts) == ["driver", "tracker", "sandbox", "validator"]
    assert parts["driver"]["works"], parts
    assert parts["tracker"]["works"] and parts["validator"]["works"]
    assert len(asked(provider, TINY)) == 1
    shown = called.cairn.run("profiles", "check", "shop", "--json", exit_code=None)
    parts = {it["part"]: it for it in json.loads(shown)["parts"]}
    assert not parts["tracker"]["works"]
    assert "gh" in parts["tracker"]["finding"] and parts["tracker"]["advice"]
    assert parts["validator"] == {
        "part": "validator",
        "works": True,
        "finding": "python3 is installed",
        "advice": "",
    }
