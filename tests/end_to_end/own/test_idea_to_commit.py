"""From an idea, or a sentence of the ledger, to commits whose tests have run behind walls; and from
a line of code back. Models of two families by script, the rest is real.

The short forms of what is `long` here are in `tests/development/test_delivery.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.runtime.local.process import wait_until
from tests.end_to_end import tool_shed
from tests.end_to_end.alone import no_keys
from tests.end_to_end.shed_models import (
    PROFILES,
    Models,
    open_models,
    refuses_task,
    write_program,
)
from tests.end_to_end.tool_shed import git
from tests.service import Service, service

pytestmark = [pytest.mark.broker, pytest.mark.slow]
PATIENCE_S = 120.0
ROOT = "/v1/dev/workflows"


@dataclass
class Yard:
    """A running service with its models, and one repository for each test."""

    cairn: Service
    models: Models
    client: httpx.Client
    calls: Path
    """What the stand-in for Claude was given, a line each."""

    def read(self, workflow_id: str) -> Any:
        answer = self.client.get(f"{ROOT}/{workflow_id}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def wait_for(self, workflow_id: str, *statuses: str) -> Any:
        """The workflow as soon as it has one of these statuses."""
        seen: list[Any] = []

        def look() -> bool:
            seen.append(self.read(workflow_id))
            return seen[-1]["workflow"]["status"] in statuses

        assert wait_until(look, timeout_s=PATIENCE_S), seen[-1]["workflow"]
        return seen[-1]

    def tasks(self, workflow_id: str) -> Any:
        return self.client.get(f"{ROOT}/{workflow_id}/tasks").json()

    def deliver(self, repository: Path, *more: str, profile: str = "api") -> str:
        """A delivery that waits for its plan to be approved."""
        out = self.cairn.run(
            *("deliver", "run", "--issue", "7", "--repository", str(repository)),
            *("--profile", profile, *more),
        )
        return out.split()[0]

    def approve(self, workflow_id: str, exit_code: int = 0) -> Any:
        """The plan is approved, and the delivery followed to its end."""
        run = self.cairn.run
        run("workflow", "gate", "approve", workflow_id, "approve_plan", exit_code=exit_code)
        return self.wait_for(workflow_id, "completed", "failed", "halted")


@pytest.fixture(scope="module")
def yard_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yard]:
    programs = tmp_path_factory.mktemp("programs")
    calls = write_program(programs)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    with service(PATH=path, **no_keys()) as cairn:
        profiles = cairn.home / "profiles.toml"
        profiles.write_text(PROFILES)
        profiles.chmod(0o600)
        (status,) = cairn.json("status")
        headers = {"authorization": f"Bearer {(cairn.home / 'token').read_text().strip()}"}
        with (
            open_models(cairn.settings.models_file) as models,
            httpx.Client(base_url=status["http"], headers=headers, timeout=60.0) as client,
        ):
            assert wait_until(lambda: "model-worker" in cairn.pids(), timeout_s=PATIENCE_S)
            yield Yard(cairn, models, client, calls)


@pytest.fixture
def yard(yard_of_all: Yard) -> Yard:
    yard_of_all.models.forget()
    yard_of_all.calls.write_text("")
    return yard_of_all


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.write_text("of this machine")
    return tool_shed.make_repository(tmp_path / "shed", outside)


def branch_of(repository: Path, workflow_id: str) -> str:
    """The branch of a run: commits name it."""
    for branch in git(repository, "branch", "--format=%(refname:short)").split():
        message = git(repository, "show", "-s", "--format=%B", branch)
        if f"Cairn-Workflow: {workflow_id}\n" in message:
            return branch
    raise AssertionError(f"no branch of {workflow_id}")


def trees_of(repository: Path, branch: str) -> list[str]:
    return git(repository, "log", "--reverse", "--format=%T", f"main..{branch}").split()


def write_text(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_an_idea_becomes_code_by_the_chain_and_then_by_deliveries_of_two_drivers(
    yard: Yard, repository: Path, tmp_path: Path
):
    cairn, models = yard.cairn, yard.models
    idea = write_text(tmp_path, "idea.md", tool_shed.IDEA)
    begun = cairn.run(
        *("workflow", "chain", "--issue", "1", "--title", "Sound loans", "--text", idea),
        *("--repository", str(repository), "--profile", "api"),
    ).split()[0]
    chain = yard.read(begun)["workflow"]["chain_id"]
    stages: list[Any] = []

    def look() -> bool:
        stages[:] = yard.client.get(ROOT, params={"chain": chain}).json()["items"][::-1]
        ended = [one for one in stages if one["status"] not in ("queued", "running")]
        return len(ended) == 4 or any(one["status"] != "completed" for one in ended)

    assert wait_until(look, timeout_s=PATIENCE_S), stages
    assert [(one["workflow_type"], one["status"]) for one in stages] == [
        ("issue", "completed"),
        ("requirements", "completed"),
        ("implementation_spec", "completed"),
        ("tdd_implementation", "completed"),
    ], stages[-1]
    for before, after in zip(stages, stages[1:], strict=False):
        assert after["input_hash"] == before["artifact_hash"]
    written = stages[-1]["workflow_id"]
    branch = branch_of(repository, written)
    assert git(repository, "show", f"{branch}:shed/loans.py") == tool_shed.NAMES
    assert len(trees_of(repository, branch)) == 1
    tests = [one for one in frames_of(yard, written) if one["event"] == "tests"]
    assert [one["data"]["exit_code"] for one in tests] == [1, 0]  # red, then green: behind walls
    assert git(repository, "status", "--porcelain") == ""

    design = stages[1]["workflow_id"]
    trees = {}
    for profile in ("api", "claude"):
        asked = ("--title", "Sound loans", "--text", idea, "--input", design)
        delivery = yard.deliver(repository, *asked, profile=profile)
        waits = yard.wait_for(delivery, "waiting")
        assert [one["gate"] for one in waits["gates"] if one["is_open"]] == ["approve_plan"]
        done = yard.approve(delivery)
        assert (done["workflow"]["status"], done["workflow"]["profile"]) == ("completed", profile)
        tasks = yard.tasks(delivery)
        assert [one["title"] for one in tasks["tasks"]] == [
            "Refuse a second loan",
            "Name the borrower",
        ]
        branch = branch_of(repository, delivery)
        trees[profile] = trees_of(repository, branch)
        assert trees[profile] == [one["tree"] for one in tasks["reviews"] if one["approved"]]
        assert git(repository, "rev-parse", branch).strip() == tasks["tasks"][-1]["sha"]
        (shown,) = cairn.json("deliver", "status", delivery)
        assert [one["sha"] for one in shown["tasks"]] == [one["sha"] for one in tasks["tasks"]]
    assert trees["api"] == trees["claude"]
    assert len(trees["api"]) == 2
    assert len(models.coded) == 5  # tests, code; a plan and two tasks
    assert len(yard.calls.read_text().splitlines()) == 3


def frames_of(yard: Yard, workflow_id: str) -> list[dict[str, Any]]:
    frames, name = [], ""
    with yard.client.stream("GET", f"{ROOT}/{workflow_id}/stream") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                frames.append({"event": name, "data": json.loads(line.removeprefix("data: "))})
    return frames


@pytest.mark.long
def test_a_task_that_is_never_approved_ends_the_delivery_and_the_first_commit_stays(
    yard: Yard, repository: Path, tmp_path: Path
):
    yard.models.review = lambda prompt: (
        refuses_task("The name is missing.")
        if "Your task, 2 of 3" in prompt or "The task, 2 of 3" in prompt
        else {"approved": True, "issues": [], "summary": "It is sound."}
    )
    plan = write_text(tmp_path, "plan.md", tool_shed.LONGER_PLAN)
    delivery = yard.deliver(repository, "--title", "Loans", "--text", plan, "--plan", plan)
    done = yard.approve(delivery, exit_code=1)

    assert done["workflow"]["status"] == "failed"
    assert done["workflow"]["error"] == "review_limit"
    first, second = yard.tasks(delivery)["tasks"]
    assert first["sha"] and not second["sha"]
    assert second["failure"]
    branch = branch_of(repository, delivery)
    assert trees_of(repository, branch) == [
        git(repository, "rev-parse", f"{first['sha']}^{{tree}}").strip()
    ]
    assert not any("3 of 3" in prompt for prompt in yard.models.coded)


@pytest.mark.long
def test_a_killed_worker_goes_on_with_the_same_commits_and_pays_nothing_twice(
    yard: Yard, repository: Path, tmp_path: Path
):
    killed: list[str] = []

    def kill(who: str, prompt: str) -> None:
        for at in ("reviewer", "coder"):
            if who == at and " 2 of 2" in prompt and at not in killed:
                killed.append(at)
                yard.cairn.kill_jobs()

    yard.models.before = kill
    asked = ("--title", "Loans", "--text", write_text(tmp_path, "idea.md", tool_shed.IDEA))
    delivery = yard.deliver(repository, *asked)
    done = yard.approve(delivery)

    assert killed == ["coder", "reviewer"]
    assert done["workflow"]["status"] == "completed"
    trees = trees_of(repository, branch_of(repository, delivery))
    yard.models.before = lambda who, prompt: None
    coded, reviews = yard.models.coded, yard.models.reviews
    count = {word: sum(word in one for one in coded) for word in ("1 of 2", "2 of 2")}
    assert count["1 of 2"] == 1  # it had answered
    assert count["2 of 2"] == 2  # once for the one that was under way
    assert sum("1 of 2" in one for one in reviews) == 1
    assert sum("2 of 2" in one for one in reviews) == 2
    assert len(coded) == 4  # the plan, too, was made once

    yard.models.forget()
    again = yard.deliver(repository, *asked)
    assert yard.approve(again)["workflow"]["status"] == "completed"
    assert trees_of(repository, branch_of(repository, again)) == trees


def test_who_writes_the_code_does_not_review_it(yard: Yard, repository: Path, tmp_path: Path):
    idea = write_text(tmp_path, "idea.md", tool_shed.IDEA)
    out = yard.cairn.run(
        *("deliver", "run", "--issue", "7", "--repository", str(repository), "--title", "Loans"),
        *("--text", idea, "--profile", "kin"),
        exit_code=1,
    )
    failed = yard.wait_for(out.split()[0], "failed")
    assert "family_conflict: profile kin" in failed["workflow"]["text"]
    assert (yard.models.coded, yard.models.reviews) == ([], [])


def test_blame_leads_to_a_sentence_and_once_that_is_withdrawn_the_work_is_stale(
    yard: Yard, repository: Path, tmp_path: Path
):
    cairn, documents = yard.cairn, tmp_path / "documents"
    tool_shed.write_files(documents, tool_shed.DOCUMENTS)
    cairn.run("project", "create", "Shed", "--idempotency-key", "shed")
    cairn.ingest(documents, "Shed", "first", "documents")
    (feature,) = cairn.json("show", "features", "--project", "Shed")
    item = feature["number"]
    about = ("--project", "Shed", "--repository", str(repository))
    asked = ("--issue", "7", "--text", write_text(tmp_path, "idea.md", tool_shed.IDEA))
    design = cairn.run("workflow", "run", "requirements", *asked, *about, "--item", item).split()[0]
    waiting = yard.deliver(repository, "--project", "Shed", "--item", item)
    given = ("--title", "Loans", *asked[2:], "--input", design)
    delivery = yard.deliver(repository, "--project", "Shed", *given)
    assert yard.approve(delivery)["workflow"]["status"] == "completed"
    branch = branch_of(repository, delivery)
    git(repository, "checkout", "-q", branch)
    line = tool_shed.NAMES.splitlines().index("            raise AlreadyLent(tool)") + 1
    where = f"{repository / 'shed' / 'loans.py'}:{line}"

    blame = cairn.start("blame", where)
    assert "The shed must refuse a second loan" in blame.communicate()[1]
    (found,) = cairn.json("blame", where)
    assert found["text"].strip() == "raise AlreadyLent(tool)"
    assert found["commit"]["sha"] == git(repository, "rev-parse", f"{branch}~1").strip()
    assert found["task"] == {"index": 0, "title": "Refuse a second loan", "total": 2}
    assert [one["workflow_id"] for one in found["runs"]] == [delivery, design]
    assert [one["number"] for one in found["items"]] == [item]
    sentence = next(one for one in found["statements"] if "second loan" in one["title"])
    assert (sentence["path"], sentence["line_start"]) == ("docs/requirements.md", 5)
    assert "refuse a second loan of a tool" in sentence["snippet"]
    assert found["ends_at"] == ""
    assert cairn.json("workflow", "stale", "--project", "Shed") == []

    changed = tool_shed.REQUIREMENTS.replace(
        "- The shed must refuse a second loan of a tool that is already lent.\n", ""
    )
    tool_shed.write_files(documents, {"docs/requirements.md": changed})
    cairn.ingest(documents, "Shed", "second", "documents")
    stale: list[Any] = []

    def look() -> bool:
        stale[:] = cairn.json("workflow", "stale", "--project", "Shed")
        return bool(stale)

    assert wait_until(look, timeout_s=PATIENCE_S)
    assert {one["atom_id"] for one in stale} == {sentence["atom_id"]}
    by_run = {one["workflow_id"]: one for one in stale}
    assert set(by_run) == {delivery, design, waiting}
    assert by_run[waiting]["status"] == "waiting"  # a plan that nobody has approved
    assert (
        by_run[delivery]["commits"]
        == git(repository, "log", "--reverse", "--format=%H", f"main..{branch}").split()
    )
    message = git(repository, "show", "-s", "--format=%B", found["commit"]["sha"])
    assert f"Cairn-Atom: {sentence['atom_id']}\n" in message
    assert found["commit"]["sha"][:12] in cairn.run("workflow", "stale", "--project", "Shed")
    (found,) = cairn.json("blame", where)
    status = {one["atom_id"]: one["status"] for one in found["statements"]}
    assert status[sentence["atom_id"]] == "obsolete"
