"""The sandbox by hand: commands and tools over HTTP and on the command line, refusals as events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from infra.runtime.local.process import wait_until
from tests.http.conftest import Called
from tests.http.test_writes import keyed
from tests.packages import find_program

pytestmark = pytest.mark.broker
RUN = "/v1/dev/sandbox/run"


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    find_program("bwrap", "bubblewrap")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path
    while folder != folder.parent:
        if folder.stat().st_mode & 0o011 != 0o011:
            folder.chmod(folder.stat().st_mode | 0o011)
        folder = folder.parent
    place = tmp_path / "workspace"
    place.mkdir()
    return place


def refusals(called: Called) -> list[dict[str, Any]]:
    with psycopg.connect(called.cairn.settings_now().conninfo) as connection:
        rows = connection.execute(
            "SELECT data || jsonb_build_object('workflow_id', workflow_id)"
            " FROM cairn.workflow_events WHERE event_type = 'workflow.security_refused'"
        )
        return [data for (data,) in rows]


def recorded(called: Called, workflow_id: str) -> dict[str, Any]:
    def look() -> bool:
        return any(it["workflow_id"] == workflow_id for it in refusals(called))

    wait_until(look, timeout_s=60)
    (one,) = [it for it in refusals(called) if it["workflow_id"] == workflow_id]
    return one


def test_the_walls_are_checked_one_line_a_check(called: Called):
    (state,) = called.cairn.json("sandbox", "check")
    assert state["walls"] == "bubblewrap"
    assert [each["name"] for each in state["checks"] if not each["holds"]] == []
    shown = called.cairn.run("sandbox", "check")
    assert shown.count("holds") == len(state["checks"]) == 8


def test_a_command_runs_in_an_empty_workspace_and_ends_with_its_code(called: Called):
    cairn = called.cairn
    assert cairn.run("sandbox", "run", "--", "ls", "-a") == ".\n..\n"
    assert cairn.run("sandbox", "run", "--", "ls none", exit_code=2).startswith("ls: ")
    line = "echo out && exit 5"
    assert cairn.run("sandbox", "run", "--layers", "off", "--", line, exit_code=5) == "out\n"


@pytest.mark.parametrize(
    ("command", "layer"),
    [
        ("ls | wc", "metacharacters"),
        ("sudo ls", "blocklist"),
        ("rm -rf /", "patterns"),
        ("perl -v", "allowlist"),
    ],
)
def test_a_refusal_names_its_layer_and_is_an_event(
    called: Called, owner: httpx.Client, command: str, layer: str
):
    answer = owner.post(RUN, headers=keyed(f"refused-{layer}"), json={"command": command})
    refusal = answer.json()["refusal"]
    assert refusal["layer"] == layer
    event = recorded(called, refusal["workflow_id"])
    assert (event["layer"], event["tool"], event["argument"]) == (layer, "bash", command)
    assert event["reason"] == refusal["reason"]
    shown = called.cairn.start("sandbox", "run", "--", command)
    out, errors = shown.communicate(timeout=60)
    assert (shown.returncode, out) == (1, "")
    assert f"layer {layer}" in " ".join(errors.split())


def test_tools_work_on_a_workspace_and_their_path_refusals_are_events(
    called: Called, owner: httpx.Client, workspace: Path
):
    def tool(name: str, arguments: dict[str, Any], exit_code: int = 0) -> str:
        given = ("sandbox", "tool", name, "--workspace", str(workspace), json.dumps(arguments))
        return called.cairn.run(*given, exit_code=exit_code)

    tool("write_file", {"path": "src/a.py", "content": "one\n"})
    tool("edit_file", {"path": "src/a.py", "old": "one", "new": "two"})
    assert (workspace / "src/a.py").read_text() == "two\n"
    assert tool("read_file", {"path": "src/a.py"}) == "two\n\n"
    assert tool("glob", {"pattern": "**/*.py"}) == "src/a.py\n"
    assert tool("grep", {"pattern": "tw", "path": "src"}) == "src/a.py:1:two\n\n"
    assert tool("bash", {"command": "cat src/a.py"}) == "two\n\n"
    tool("write_design_doc", {"path": "plan.md", "content": "# Plan\n"})
    tool("write_design_doc", {"path": "plan.py", "content": "x"}, exit_code=1)
    body = {"workspace": str(workspace), "arguments": {"path": "../../etc/passwd"}}
    answer = owner.post("/v1/dev/sandbox/tools/read_file", headers=keyed("tool-path"), json=body)
    refusal = answer.json()["refusal"]
    event = recorded(called, refusal["workflow_id"])
    assert (event["layer"], event["tool"]) == ("path", "read_file")
    assert event["argument"] == "../../etc/passwd"


def test_a_folder_that_can_be_no_workspace_is_refused_as_an_event(
    called: Called, owner: httpx.Client
):
    body = {"command": "ls", "workspace": str(called.cairn.home.parent)}
    answer = owner.post(RUN, headers=keyed("no-workspace"), json=body)
    assert recorded(called, answer.json()["refusal"]["workflow_id"])["layer"] == "path"
    body = {"command": "ls", "workspace": str(called.cairn.home)}
    answer = owner.post(RUN, headers=keyed("the-home"), json=body)
    refusal = answer.json()["refusal"]
    assert refusal["layer"] == "sandbox"
    assert "would see" in refusal["reason"]


def test_only_the_owner_of_the_installation_may_use_the_sandbox(called: Called):
    for role in ("owner", "pm", "viewer", "operator"):
        with called.client(called.make_token(role)) as client:
            assert client.get("/v1/dev/sandbox").status_code == 403
            assert client.post(RUN, json={"command": "ls"}).status_code == 403
            body = {"workspace": "/tmp/x", "arguments": {}}
            answer = client.post("/v1/dev/sandbox/tools/read_file", json=body)
            assert answer.status_code == 403


def test_a_tool_that_is_not_there_is_not_found(owner: httpx.Client, workspace: Path):
    answer = owner.post("/v1/dev/sandbox/tools/nope", json={"workspace": str(workspace)})
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_tool")
