"""Blame and stale work over HTTP, asked as rudely as may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from infra.platform.settings import Settings
from projections.core import CORE
from projections.projector import prepare
from tests.end_to_end.tool_shed import git, make_repository
from tests.http.apart import Apart, apart
from tests.projections.builders import an_atom
from tests.projections.conftest import ReadModel
from tests.projections.test_folding import a_story_with_a_readme, projected
from tests.projections.test_workflow_blame import resting_on, tell, withdraw
from tests.projections.workflow_facts import a_delivery

BLAME, STALE = "/v1/dev/blame", "/v1/dev/stale"
PERSON = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com")


@dataclass
class Shed:
    """A repository with a commit of a delivery, and the tables that know it."""

    api: Apart
    repository: Path

    def blame(self, path: str, line: int, **more: Any) -> Any:
        body = {"repository": str(self.repository), "path": path, "line": line} | more
        return self.api.client.post(BLAME, json=body)

    def read(self, path: str, line: int) -> Any:
        answer = self.blame(path, line)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def commit(self, path: str, text: str, message: str) -> str:
        (self.repository / path).write_text(text)
        git(self.repository, "add", "-A")
        git(self.repository, *PERSON, "commit", "-qm", message)
        return git(self.repository, "rev-parse", "HEAD").strip()


@pytest.fixture
def shed(database_server: str, tmp_path: Path) -> Iterator[Shed]:
    repository = make_repository(tmp_path / "shed", tmp_path / "outside")
    story = a_story_with_a_readme()
    (chunk,) = story.chunks.values()
    atom = an_atom(chunk, story.run)
    story.read(chunk, atom)
    tell(story, resting_on(atom, a_delivery(), repository=str(repository.resolve())), "wfl_1")
    withdraw(story, atom)
    with apart(Settings(database_url=database_server, reader=False), tmp_path / "home") as api:
        with psycopg.connect(api.settings.conninfo, autocommit=True) as connection:
            prepare(connection, CORE.schema)
            ReadModel(api.settings.conninfo, connection).fold(projected(story))
        yield Shed(api, repository)


def test_a_line_of_a_delivery_leads_to_its_task_and_sentence(shed: Shed):
    prose = "Sound.\n\nCairn-Workflow: wfl_9\n\nMore.\n\nCairn-Workflow: wfl_1\nCairn-Task: 0"
    sha = shed.commit("shed/new.py", "first = 1\nsecond = '\f'\n", f"First\n\n{prose}")

    told = shed.read("shed/new.py", 2)
    assert told["text"] == "second = '\f'"
    assert told["commit"] == {"sha": sha, "author": "Ana", "subject": "First"}
    assert told["task"]["title"] == "First"
    assert [one["workflow_id"] for one in told["runs"]] == ["wfl_1"]
    (statement,) = told["statements"]
    assert (statement["path"], statement["status"]) == ("README.md", "obsolete")
    assert told["ends_at"] == ""
    (stale,) = shed.api.client.get(STALE).json()["runs"]
    assert (stale["workflow_id"], stale["commits"]) == ("wfl_1", ["s1"])


def test_the_way_back_says_where_it_ends(shed: Shed):
    assert "No workflow" in shed.read("shed/loans.py", 1)["ends_at"]
    (shed.repository / "shed" / "loans.py").write_text("changed = True\n")
    uncommitted = shed.read("shed/loans.py", 1)
    assert uncommitted["ends_at"] == "The line is in no commit yet."
    assert uncommitted["text"] == "changed = True"
    git(shed.repository, "checkout", "-q", "--", ".")
    shed.commit("shed/gone.py", "gone = 1\n", "Gone\n\nCairn-Workflow: wfl_404\nCairn-Task: x")
    told = shed.read("shed/gone.py", 1)
    shed.commit("shed/prose.py", "prose = 1\n", "Prose\n\nCairn-Workflow: wfl_1\n\nSo it says.")
    assert "No workflow" in shed.read("shed/prose.py", 1)["ends_at"]
    assert "wfl_404, which is not here" in told["ends_at"]
    assert (told["runs"], told["task"], told["statements"]) == ([], None, [])


def test_what_is_no_line_of_the_repository_is_refused(shed: Shed, tmp_path: Path):
    (tmp_path / "outside").write_text("a secret of the machine\n")
    for path, line, code in (
        ("shed/loans.py", 10_000, "line_unknown"),
        ("shed/nowhere.py", 1, "line_unknown"),
        ("shed", 1, "line_unknown"),
        ("../outside", 1, "line_unknown"),
        ("/etc/passwd", 1, "line_unknown"),
        (".git/config", 1, "line_unknown"),
        (":(glob)**", 1, "line_unknown"),
        ("--contents=/etc/passwd", 1, "path_invalid"),
        ("shed/loans.py\0", 1, "nul_not_allowed"),
    ):
        answer = shed.blame(path, line)
        assert answer.status_code in (404, 422), answer.text
        assert answer.json()["code"] == code, path
        assert "secret" not in answer.text
    content = b'{"repository": "%s", "path": "\\ud800", "line": 1}' % bytes(shed.repository)
    headers = {"content-type": "application/json"}
    answer = shed.api.client.post(BLAME, content=content, headers=headers)
    assert answer.status_code in (400, 404, 422), answer.text


def test_a_repository_that_no_workflow_has_worked_on_stays_closed(shed: Shed, tmp_path: Path):
    other = make_repository(tmp_path / "other", tmp_path / "outside")
    for repository in (str(other), "/", "relative", f"{shed.repository}/shed"):
        answer = shed.blame("shed/loans.py", 1, repository=repository)
        assert (answer.status_code, answer.json()["code"]) == (403, "repository_unknown")
    assert shed.blame("shed/loans.py", 0).status_code == 422


def test_only_the_owner_at_home_reads_files_and_projects_see_their_own_work(shed: Shed):
    made = shed.api.client.post("/v1/tokens", json={"name": "away", "role": "owner"})
    away = {"authorization": f"Bearer {made.json()['token']}"}
    body = {"repository": str(shed.repository), "path": "shed/loans.py", "line": 1}
    answer = shed.api.client.post(BLAME, json=body, headers=away)
    assert (answer.status_code, answer.json()["code"]) == (403, "token_of_home_needed")
    assert len(shed.api.client.get(STALE, headers=away).json()["runs"]) == 1
    unknown = shed.api.client.get(STALE, params={"project": "prj_other"})
    assert unknown.status_code == 404
