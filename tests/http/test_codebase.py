"""Code is read for a draft, and drafts and plans are checked, over HTTP and by commands."""

import json
from pathlib import Path

import httpx
import pytest

from tests.development.drafts import DESIGN, PLAN
from tests.http.conftest import Called

ROOT = "/v1/dev/codebase"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A folder with the file that the design changes, its like, and a secret."""
    files = {
        "src/store.py": "class Store(Base):\n    def put(self, data): self.write(data)\n",
        "src/disk.py": "class Disk(Base):\n    def put(self, data): self.write(data)\n",
        "src/.env": "PASSWORD=hunter2\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_a_context_has_the_files_of_the_draft_and_no_secret(owner: httpx.Client, code: Path):
    body = {"path": str(code), "draft": DESIGN}
    first, second = (owner.post(f"{ROOT}/context", json=body).raise_for_status() for _ in "ab")
    answer = first.json()
    assert answer == second.json()
    assert [(it["path"], it["state"]) for it in answer["files"]] == [
        ("src/store.py", "read"),
        ("src/limits.py", "new"),
    ]
    assert answer["similar"][0]["path"] == "src/disk.py"
    assert {"name": "src/.env", "reason": "secret"} in answer["left_out"]
    assert "hunter2" not in first.text


def test_only_the_token_of_the_installation_reads_folders(called: Called, code: Path):
    with called.client(called.make_token("member")) as member:
        asked = {
            "context": {"path": str(code), "draft": DESIGN},
            "drafts/check": {"kind": "design", "text": DESIGN, "repository": str(code)},
        }
        for path, body in asked.items():
            answer = member.post(f"{ROOT}/{path}", json=body)
            assert (answer.status_code, answer.json()["code"]) == (403, "token_of_home_needed")
        plain = member.post(f"{ROOT}/drafts/check", json={"kind": "design", "text": DESIGN})
        assert plain.json()["problems"] == []
    with called.client(called.make_token("viewer")) as viewer:
        answer = viewer.post(f"{ROOT}/plans/check", json={"text": PLAN})
        assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/etc", "relative", "/no/such/folder"])
def test_a_folder_that_is_no_project_is_refused_in_words(owner: httpx.Client, path: str):
    answer = owner.post(f"{ROOT}/context", json={"path": path, "draft": ""})
    assert answer.status_code in (400, 404, 409, 422)
    assert len(answer.json()["message"]) > 20


def test_files_of_the_installation_are_refused(owner: httpx.Client, called: Called):
    answer = owner.post(f"{ROOT}/context", json={"path": str(called.cairn.home), "draft": ""})
    assert (answer.status_code, answer.json()["code"]) == (403, "folder_of_home")


def test_commands_print_context_problems_and_tasks(called: Called, code: Path):
    design, plan = code / "design.md", code / "plan.md"
    design.write_text(DESIGN.replace("| REQ-2 |", "| REQ-1 |").replace("## Design", "#### Design"))
    plan.write_text(PLAN)
    cairn = called.cairn
    context = cairn.run("codebase", "context", str(code), "--for", str(design))
    assert "## File to change: src/store.py (modify)" in context
    assert context == cairn.run("codebase", "context", str(code), "--for", str(design))
    checked = cairn.run(
        *("codebase", "check", "design", str(design), "--repository", str(code), "--json"),
        exit_code=1,
    )
    answer = json.loads(checked)
    assert [it["code"] for it in answer["problems"]] == ["requirement_uncovered"]
    assert answer["uncovered"] == ["REQ-2"]
    assert "\n## Design\n" in cairn.run("codebase", "repair", "design", str(design))
    (planned,) = cairn.json("codebase", "plan", str(plan))
    assert (planned["valid"], planned["total_tasks"]) == (True, 3)
    plan.write_text("Do it.\n")
    cairn.run("codebase", "plan", str(plan), exit_code=1)
