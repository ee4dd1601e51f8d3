"""Governed workflows through the running service: two families by script, gates over HTTP and the
command line, a reviewer that gives no verdict, and a worker that is killed on the way.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from schemas.ids import sha256_hex
from tests.development.governed_runs import BRIEF, DESIGN, ISSUE_TEXT, SPECIFICATION
from tests.development.workspaces import CODE, TEST_PATH, TEST_TEXT, scenarios
from tests.http.coder import Call, open_coder
from tests.http.conftest import Called
from tests.models.provider import Failure, Hang, Request, Step, scripted_provider, write_models

pytestmark = pytest.mark.broker
ROOT = "/v1/dev/workflows"
DRAFTER, REVIEWER = "claude-scripted", "gemini-scripted"
MARK = re.compile(r"The mark of the draft: ([0-9a-f]+)")
PATIENCE_S = 60.0
HTML = "<!doctype html><html><body>Sign in to APPROVE</body></html>"
PROSE = "I would APPROVE this, were it not for the second requirement."


@dataclass
class Families:
    """What the two families answer, and what they were asked: drafts and reviews in their order."""

    draft: Callable[[int], Step] = lambda number: BRIEF
    review: Callable[[int, str], Step] = lambda number, mark: approve(mark)
    drafts: list[str] = field(default_factory=list)
    reviews: list[str] = field(default_factory=list)
    on_review: Callable[[], None] = lambda: None

    def answer(self, request: Request) -> Step:
        if DRAFTER in request.model:
            self.drafts.append(request.text)
            return self.draft(len(self.drafts))
        if REVIEWER not in request.model:
            return "Hello."
        self.reviews.append(request.text)
        self.on_review()
        mark = MARK.search(request.text)
        return self.review(len(self.reviews), mark[1] if mark else "")


def approve(mark: str) -> Step:
    return {
        "artifact": mark,
        "verdict": "APPROVE",
        "summary": "It is sound.",
        "findings": [],
        "resolved": [],
    }


def block(mark: str, quote: str) -> Step:
    found = {"severity": "major", "section": "Requirements", "quote": quote, "text": "It is vague."}
    return {
        "artifact": mark,
        "verdict": "BLOCK",
        "summary": "It is not sound.",
        "findings": [found],
        "resolved": [],
    }


def write_files(prompt: str) -> list[Call]:
    if "You write tests, and only tests" in prompt:
        return [("write_file", {"path": TEST_PATH, "content": TEST_TEXT})]
    code = {"path": "app/export.py", "content": CODE}
    return [("bash", {"command": "sudo rm -rf /"}), ("write_file", code)]


@dataclass
class Providers:
    """Servers of both families and of a coding model, and what the current test has them say."""

    families: Families = field(default_factory=Families)

    def answer(self, request: Request) -> Step:
        return self.families.answer(request)


@pytest.fixture(scope="module")
def providers(called: Called) -> Iterator[Providers]:
    """The model worker answers before the first test begins."""
    models, providers = called.cairn.settings.models_file, Providers()
    with (
        scripted_provider(providers.answer) as one,
        scripted_provider(providers.answer) as other,
        open_coder(write_files) as coder,
    ):
        write_models(
            models,
            {"draft": [f"first/{DRAFTER}"], "review": [f"second/{REVIEWER}"]}
            | dict.fromkeys(("fast", "standard", "strong", "free"), ["third/coder-scripted"]),
            first=one_of(one.base_url, DRAFTER),
            second=one_of(other.base_url, REVIEWER),
            third=one_of(coder.base_url, "coder-scripted"),
        )
        assert wait_until(lambda: is_worker_there(called), timeout_s=PATIENCE_S)
        try:
            yield providers
        finally:
            models.unlink()


@pytest.fixture
def families(providers: Providers) -> Families:
    providers.families = Families()
    return providers.families


def is_worker_there(called: Called) -> bool:
    """Whether the model worker answers: it starts a moment after its file is there."""
    if "model-worker" not in called.cairn.pids():
        return False
    try:
        place = json.loads((called.cairn.settings.run_folder / "model-worker.json").read_text())
        host, _, port = place["address"].rpartition(":")
        socket.create_connection((host, int(port)), 1).close()
    except (OSError, ValueError):
        return False
    return True


def one_of(base_url: str, model: str) -> dict[str, Any]:
    return {"base_url": base_url, "needs_key": False, "models": [model]}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit, and a change that is none of it."""
    folder = tmp_path / "code"
    (folder / "app").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "app" / "export.py").write_text("def export(rows):\n    return rows\n")
    (folder / "tests" / "test_export.py").write_text("def test_export():\n    assert True\n")
    (folder / ".env").write_text("TOKEN=planted-in-the-repository\n")
    for command in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "begin"),
    ):
        subprocess.run(["git", *command], cwd=folder, check=True, env=os.environ | {"LC_ALL": "C"})
    (folder / "app" / "later.py").write_text("UNCOMMITTED = True\n")
    return folder


def begin(client: httpx.Client, workflow_type: str, **more: Any) -> str:
    asked = {"workflow_type": workflow_type, "issue": 7, "title": "Signed exports"}
    begun = client.post(ROOT, json=asked | {"text": ISSUE_TEXT} | more)
    assert begun.status_code == 202, begun.text
    return str(begun.json()["workflow_id"])


def read(client: httpx.Client, workflow_id: str) -> Any:
    answer = client.get(f"{ROOT}/{workflow_id}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def wait_for(client: httpx.Client, workflow_id: str, *statuses: str) -> Any:
    """The workflow as soon as it has one of these statuses."""
    seen: list[Any] = []

    def look() -> bool:
        seen.append(read(client, workflow_id))
        return seen[-1]["workflow"]["status"] in statuses

    assert wait_until(look, timeout_s=PATIENCE_S), json.dumps(seen[-1])[:4_000]
    return seen[-1]


def artifact_of(client: httpx.Client, workflow_id: str) -> Any:
    made = client.get(f"{ROOT}/{workflow_id}/artifacts").json()["artifacts"]
    return next(one for one in made if one["kind"] == "approved")


def decide(
    client: httpx.Client, workflow_id: str, gate: str, decision: str, reason: str = ""
) -> httpx.Response:
    body = {"decision": decision, "reason": reason}
    return client.post(f"{ROOT}/{workflow_id}/gates/{gate}", json=body)


def test_an_idea_becomes_an_approved_brief_after_a_round_of_review(
    owner: httpx.Client, called: Called, families: Families
):
    quote = "- R-1: Exports are signed."
    better = BRIEF.replace(quote, "- R-1: Exports are signed with Ed25519.")
    families.draft = lambda number: BRIEF if number == 1 else better
    families.review = lambda n, mark: block(mark, quote) if n == 1 else approve(mark)

    workflow_id = begin(owner, "issue", project=called.project)
    done = wait_for(owner, workflow_id, "completed")

    verdicts = [one["verdict"] for one in done["verdicts"]]
    approved = artifact_of(owner, workflow_id)
    assert verdicts == ["BLOCK", "APPROVE"]
    assert [len(families.drafts), len(families.reviews)] == [2, 2]
    assert approved["text"] == better
    assert approved["artifact_hash"] == sha256_hex(better) == done["workflow"]["artifact_hash"]
    assert done["verdicts"][1]["reviewer_family"] == "google"
    assert done["workflow"]["drafter_family"] == "anthropic"
    assert (called.cairn.home / approved["path"]).read_text() == better
    with owner.stream("GET", f"{ROOT}/{workflow_id}/stream") as stream:
        names = [it.removeprefix("event: ") for it in stream.iter_lines() if "event: " in it]
    assert names[-1] == "done"
    assert names.count("verdict") == 2
    listed = owner.get(ROOT, params={"project": called.project, "thread": "issue-7"}).json()
    assert workflow_id in [one["workflow_id"] for one in listed["items"]]


def test_a_design_is_made_from_a_repository_and_waits_at_the_gates_of_the_command_line(
    owner: httpx.Client, called: Called, families: Families, repository: Path, tmp_path: Path
):
    families.draft = lambda number: DESIGN
    text = tmp_path / "issue.md"
    text.write_text(ISSUE_TEXT)
    cairn = called.cairn
    out = cairn.run(
        *("workflow", "run", "requirements", "--issue", "8", "--title", "Signed exports"),
        *("--text", str(text), "--repository", str(repository), "--project", "Parcel"),
        *("--gate", "draft", "--gate", "verdict"),
    )
    workflow_id = out.split()[0]
    assert wait_for(owner, workflow_id, "waiting")["gates"][0]["gate"] == "draft"
    waiting = cairn.json("waiting", "--project", "Parcel")
    assert [one["status"] for one in waiting if one["kind"] == "gate"] == ["draft"]
    assert len(families.reviews) == 0

    cairn.run("workflow", "gate", "approve", workflow_id, "draft")
    assert [one["verdict"] for one in read(owner, workflow_id)["verdicts"]] == ["APPROVE"]
    cairn.run("workflow", "gate", "approve", workflow_id)
    done = wait_for(owner, workflow_id, "completed")

    assert cairn.run("workflow", "artifact", workflow_id) == DESIGN
    assert [one["decision"] for one in done["gates"]] == ["approve", "approve"]
    assert "def export(rows)" in families.drafts[0]
    for secret in ("planted-in-the-repository", "UNCOMMITTED"):
        assert secret not in "".join(families.drafts + families.reviews)
    assert "completed" in cairn.run("workflow", "status", workflow_id)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (Failure(500), "UNAVAILABLE"),
        ("", "UNREADABLE"),
        (HTML, "UNREADABLE"),
        (PROSE, "UNREADABLE"),
    ],
    ids=["down", "empty", "html", "prose"],
)
def test_without_a_verdict_a_workflow_halts_and_asks_no_model_any_more(
    owner: httpx.Client, called: Called, families: Families, answer: Step, verdict: str
):
    families.review = lambda n, mark: answer
    workflow_id = begin(owner, "issue", project=called.project)
    halted = wait_for(owner, workflow_id, "halted")

    assert [one["verdict"] for one in halted["verdicts"]] == [verdict]
    assert halted["workflow"]["artifact_hash"] == ""
    assert [one["gate"] for one in halted["gates"] if one["is_open"]] == ["halt"]
    assert len(families.drafts) == 1
    asked = len(families.reviews)

    families.review = lambda n, mark: approve(mark)
    resumed = owner.post(f"{ROOT}/{workflow_id}/resume", json={})
    assert resumed.status_code == 202, resumed.text
    done = wait_for(owner, workflow_id, "completed")
    assert (len(families.drafts), len(families.reviews)) == (1, asked + 1)
    assert done["verdicts"][-1]["verdict"] == "APPROVE"


def test_a_killed_worker_pays_for_no_call_twice(
    owner: httpx.Client, called: Called, families: Families
):
    """The worker dies while the reviewer of the second draft is being asked."""
    quote = "- R-1: Exports are signed."
    better = BRIEF.replace(quote, "- R-1: Exports are signed with Ed25519.")
    families.draft = lambda number: BRIEF if number == 1 else better
    killed: list[int] = []

    def kill() -> None:
        if len(families.reviews) == 2 and not killed:
            killed.append(called.cairn.kill_jobs())

    families.on_review = kill
    families.review = lambda n, mark: block(mark, quote) if n == 1 else approve(mark)
    workflow_id = begin(owner, "issue", project=called.project)
    done = wait_for(owner, workflow_id, "completed")

    assert killed
    assert done["workflow"]["artifact_hash"] == sha256_hex(better)
    assert len(families.drafts) == 2  # both had answered
    assert [one["verdict"] for one in done["verdicts"]] == ["BLOCK", "APPROVE"]
    assert len(families.reviews) <= 3  # the one that was under way, once more at most


def test_only_leaders_decide_and_nobody_sees_what_is_not_theirs(
    owner: httpx.Client, called: Called, families: Families
):
    families.review = lambda n, mark: PROSE
    workflow_id = begin(owner, "issue", project=called.project)
    wait_for(owner, workflow_id, "halted")

    with called.client(called.make_token("member", called.project)) as member:
        assert decide(member, workflow_id, "halt", "approve").status_code == 403
        assert read(member, workflow_id)["workflow"]["status"] == "halted"
    with called.client(called.make_token("pm", called.other)) as stranger:
        assert stranger.get(f"{ROOT}/{workflow_id}").status_code == 404
        assert decide(stranger, workflow_id, "halt", "approve").status_code == 404
        assert stranger.get(f"{ROOT}/{workflow_id}/stream").status_code == 404
        own = begin_in_installation(stranger)
        assert (own.status_code, own.json()["code"]) == (403, "project_missing")
    with called.client(called.make_token("pm", called.project)) as pm:
        missing = decide(pm, workflow_id, "halt", "waive")
        assert missing.json()["code"] == "waiver_needs_reason"
        assert decide(pm, workflow_id, "halt", "waive", "A hotfix.").status_code == 202
        done = wait_for(pm, workflow_id, "completed")
        again = decide(pm, workflow_id, "halt", "approve")
    assert again.json()["code"] == "gate_decided"
    assert done["gates"][0]["verdict_overridden"] == "UNREADABLE"
    assert artifact_of(owner, workflow_id)["approval"] == "waiver"


def begin_in_installation(client: httpx.Client) -> httpx.Response:
    asked = {"workflow_type": "issue", "issue": 7, "title": "Exports", "text": ISSUE_TEXT}
    return client.post(ROOT, json=asked)


def test_a_chain_goes_on_from_what_was_approved_and_a_cancelled_run_ends(
    owner: httpx.Client, called: Called, families: Families, repository: Path
):
    families.draft = lambda number: BRIEF if number == 1 else DESIGN
    body = {
        "issue": 9,
        "title": "Signed exports",
        "text": ISSUE_TEXT,
        "repository": str(repository),
        "project": called.project,
        "last": "requirements",
    }
    begun = owner.post("/v1/dev/chain", json=body).json()
    wait_for(owner, begun["workflow_id"], "completed")
    stages: list[Any] = []

    def look() -> bool:
        found = owner.get(ROOT, params={"chain": begun["chain_id"]}).json()["items"]
        stages[:] = found
        return len(found) == 2 and found[0]["status"] == "completed"

    assert wait_until(look, timeout_s=PATIENCE_S), stages
    design, brief = stages
    assert design["workflow_type"] == "requirements"
    assert design["input_hash"] == brief["artifact_hash"] == sha256_hex(BRIEF)
    assert design["input_workflow_id"] == brief["workflow_id"]

    families.draft = lambda number: BRIEF
    waiting = begin(owner, "issue", project=called.project, settings={"gates": ["draft"]})
    wait_for(owner, waiting, "waiting")
    assert owner.post(f"{ROOT}/{waiting}/cancel").status_code == 202
    ended = wait_for(owner, waiting, "cancelled")
    assert ended["gates"][0]["decision"] == "reject"


def test_a_specification_becomes_a_commit_whose_tests_have_run_behind_walls(
    owner: httpx.Client, called: Called, families: Families, repository: Path, tmp_path: Path
):
    (repository / "app" / "later.py").unlink()
    profiles = called.cairn.home / "profiles.toml"
    profiles.write_text(
        '[[profiles]]\nname = "coding"\ndriver = "api"\nmodel = "third/coder-scripted"\n'
    )
    profiles.chmod(0o600)
    families.draft = lambda number: json.dumps(scenarios("R-1", "R-2"))
    try:
        workflow_id = begin(
            owner,
            "tdd_implementation",
            project=called.project,
            repository=str(repository),
            profile="coding",
            input_text=SPECIFICATION,
        )
        done = wait_for(owner, workflow_id, "completed", "halted", "failed")
        if done["workflow"]["status"] == "waiting":
            decide(owner, workflow_id, "verdict", "approve")
    finally:
        profiles.unlink()

    assert done["workflow"]["status"] == "completed", done["workflow"]
    assert done["workflow"]["profile"] == "coding"
    (branch,) = [each for each in git(repository, "branch").split() if "cairn/" in each]
    assert git(repository, "show", f"{branch}:app/export.py") == CODE
    assert git(repository, "show", f"{branch}:{TEST_PATH}") == TEST_TEXT
    assert git(repository, "status", "--porcelain") == ""  # nobody's working tree is touched
    did = owner.get(f"{ROOT}/{workflow_id}/trajectory").json()["items"]
    calls = [one["tool_name"] for one in did if one["type"] == "CLAUDE_TOOL_CALL"]
    assert calls == ["write_file", "bash", "write_file"]
    metrics = owner.get("/v1/dev/metrics", params={"project": called.project}).json()
    refused = [one["refusals"] for one in metrics["agents"] if one["refusals"]]
    assert refused and set(refused[0]) <= {"blocklist", "patterns", "allowlist"}
    graph = owner.get("/v1/agents/graphs/tdd_implementation").json()
    assert len(graph["nodes"]) == 13


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=repository, check=True, capture_output=True)
    return done.stdout.decode()


def test_what_cannot_begin_is_refused_before_anything_is_spent(
    owner: httpx.Client, called: Called, families: Families, repository: Path
):
    (repository / "app" / "export.py").write_text("changed = True\n")
    code: dict[str, Any] = {"repository": str(repository), "project": called.project}

    def refusal(workflow_type: str, client: httpx.Client = owner, **more: Any) -> str:
        asked = {"workflow_type": workflow_type, "issue": 7, "title": "Exports", "text": ISSUE_TEXT}
        answer = client.post(ROOT, json=asked | more)
        assert answer.status_code in (403, 404, 409, 422), answer.text
        return str(answer.json()["code"])

    assert refusal("requirements", project=called.project) == "repository_missing"
    assert refusal("implementation_spec", **code) == "input_missing"
    assert refusal("delivery", **code) == "dirty_tree"
    assert refusal("issue", project=called.project, profile="nobody") == "unknown_profile"
    assert refusal("issue", project=called.project, item="F-999") == "unknown_item"
    unreviewed = {"is_reviewed": False}
    assert refusal("requirements", **code, settings=unreviewed) == "workflow_settings_invalid"
    assert refusal("requirements", **(code | {"repository": "/nowhere"})) == "repository_invalid"
    with called.client(called.make_token("owner")) as away:
        assert refusal("requirements", away, **code) == "token_of_home_needed"
    families.review = lambda n, mark: PROSE
    halted = begin(owner, "issue", project=called.project)
    wait_for(owner, halted, "halted")
    assert refusal("requirements", **code, input_workflow=halted) == "artifact_not_approved"
    assert refusal("implementation_spec", **code, input_workflow=halted) == "input_invalid"
    models, asked = called.cairn.settings.models_file, len(families.drafts)
    text = models.read_text()
    models.write_text(text.replace(f"second/{REVIEWER}", f"first/{DRAFTER}"))
    try:
        assert refusal("issue", project=called.project) == "family_conflict"
    finally:
        models.write_text(text)
    assert len(families.drafts) == asked


def test_a_workflow_of_the_installation_is_for_those_who_see_all_of_it(
    owner: httpx.Client, called: Called, families: Families
):
    workflow_id = begin(owner, "issue")
    with owner.stream("GET", f"{ROOT}/{workflow_id}/stream") as stream:
        names = [it.removeprefix("event: ") for it in stream.iter_lines() if "event: " in it]
    assert names[-1] == "done"
    assert read(owner, workflow_id)["workflow"]["project_id"] == "-"
    with called.client(called.make_token("owner", called.project)) as stranger:
        assert stranger.get(f"{ROOT}/{workflow_id}").status_code == 404
        assert stranger.get(f"/v1/streams/{workflow_id}").status_code == 404
        listed = stranger.get(ROOT).json()["items"]
    assert workflow_id not in [one["workflow_id"] for one in listed]


def test_a_workflow_whose_job_is_cancelled_ends_and_calls_nobody_any_more(
    owner: httpx.Client, called: Called, families: Families
):
    families.draft = lambda number: Hang()
    asked = {"workflow_type": "issue", "issue": 7, "title": "Exports", "text": ISSUE_TEXT}
    begun = owner.post(ROOT, json=asked | {"project": called.project}).json()
    assert wait_until(lambda: bool(families.drafts), timeout_s=PATIENCE_S)
    assert owner.post(f"/v1/jobs/{begun['job_id']}/cancel").status_code == 200

    ended = wait_for(owner, begun["workflow_id"], "cancelled")
    assert ended["workflow"]["error"] == "workflow_cancelled"
    assert (len(families.drafts), len(families.reviews)) == (1, 0)
