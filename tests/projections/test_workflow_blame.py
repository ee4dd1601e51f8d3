"""The way back from a run to its sentences, and which work rests on sentences that hold no more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from projections.read.workflow_blame import (
    find_blamed_task,
    list_blamed_runs,
    list_blamed_statements,
    list_repositories,
    list_stale_runs,
)
from schemas.events.agent import EffectPosition
from schemas.events.ledger import AtomRecord
from schemas.events.workflow import (
    WorkflowFinished,
    WorkflowInput,
    WorkflowOrigin,
    WorkflowToolCalled,
    WorkflowToolReturned,
)
from tests.projections.builders import PROJECT, an_atom, replace_part
from tests.projections.conftest import ReadModel
from tests.projections.log import Story
from tests.projections.test_folding import a_story_with_a_readme, projected
from tests.projections.workflow_facts import Told, a_delivery, a_gate, begun, facts_of

MOST = 200


@pytest.fixture
def story() -> Story:
    return a_story_with_a_readme()


@pytest.fixture
def atom(story: Story) -> AtomRecord:
    """A statement that the ledger holds."""
    (chunk,) = story.chunks.values()
    atom = an_atom(chunk, story.run)
    story.read(chunk, atom)
    return atom


def tell(story: Story, told: list[Told], workflow_id: str, project: str = PROJECT) -> None:
    for fact in facts_of(told, workflow_id, project):
        story.log.write(fact)


def resting_on(atom: AtomRecord, told: list[Told], **fields: Any) -> list[Told]:
    kind, first = told[0]
    origin = WorkflowOrigin(feature_id="art_1", atom_ids=[atom.atom_id])
    return [(kind, first | {"origin": origin} | fields), *told[1:]]


def withdraw(story: Story, atom: AtomRecord, status: str = "obsolete") -> None:
    gone = replace_part(atom, status=status, revision=2)
    story.changed(story.project("a new cause"), atoms=[gone])


def test_work_is_stale_once_its_statement_holds_no_more(
    model: ReadModel, story: Story, atom: AtomRecord
):
    tell(story, resting_on(atom, a_delivery()), "wfl_1")
    tell(story, resting_on(atom, [begun("delivery"), a_gate("approve_plan")]), "wfl_2")
    nothing_made: list[Told] = [begun("issue"), (WorkflowFinished, {"status": "failed"})]
    tell(story, resting_on(atom, nothing_made), "wfl_3")
    tell(story, [begun("delivery")], "wfl_4")  # rests on another statement
    model.fold(projected(story))
    assert list_stale_runs(model.connection, None, MOST) == []

    before = len(projected(story))
    withdraw(story, atom)
    model.fold(projected(story)[before:])

    stale = {one.workflow_id: one for one in list_stale_runs(model.connection, None, MOST)}
    assert sorted(stale) == ["wfl_1", "wfl_2"]
    assert (stale["wfl_1"].status, stale["wfl_1"].commits) == ("failed", ["s1"])  # it stays
    assert (stale["wfl_2"].status, stale["wfl_2"].commits) == ("waiting", [])
    assert {one.statement_status for one in stale.values()} == {"obsolete"}
    assert len(list_stale_runs(model.connection, None, 1)) == 1
    assert list_stale_runs(model.connection, ["prj_other"], MOST) == []
    assert len(list_stale_runs(model.connection, [PROJECT], MOST)) == 2


@pytest.mark.parametrize("status", ["superseded", "dismissed"])
def test_a_replaced_and_a_dismissed_statement_make_work_stale_too(
    model: ReadModel, story: Story, atom: AtomRecord, status: str
):
    tell(story, resting_on(atom, a_delivery()), "wfl_1")
    withdraw(story, atom, status)
    model.fold(projected(story))

    (stale,) = list_stale_runs(model.connection, None, MOST)
    assert (stale.workflow_id, stale.statement_status) == ("wfl_1", status)


def test_the_commit_of_a_governed_run_is_named(model: ReadModel, story: Story, atom: AtomRecord):
    position = EffectPosition(
        node="N12", iteration=1, number=1, effect_id="eff_1", input_hash="0" * 64
    )
    answer = json.dumps({"commit_id": "c1", "tree_id": "t1", "branch": "cairn/issue-7"})
    made: list[Told] = [
        begun("tdd_implementation"),
        (WorkflowToolCalled, {"tool": "commit", "position": position, "arguments": "{}"}),
        (
            WorkflowToolReturned,
            {"tool": "commit", "position": position, "answer": answer, "is_error": False},
        ),
        (WorkflowFinished, {"status": "completed", "artifact_hash": "h1"}),
    ]
    tell(story, resting_on(atom, made), "wfl_1")
    withdraw(story, atom)
    model.fold(projected(story))

    (stale,) = list_stale_runs(model.connection, None, MOST)
    assert (stale.status, stale.commits) == ("completed", ["c1"])


def test_the_way_back_goes_through_the_runs_whose_artifacts_were_taken(
    model: ReadModel, story: Story, atom: AtomRecord
):
    taken = WorkflowInput(artifact_hash="h2", text="Two", workflow_id="wfl_1")
    tell(story, resting_on(atom, [begun()]), "wfl_1")
    tell(story, resting_on(atom, a_delivery(), input=taken, repository="/code"), "wfl_2")
    round_ = WorkflowInput(artifact_hash="h2", text="Two", workflow_id="wfl_3")
    tell(story, [begun(input=round_)], "wfl_3")
    model.fold(projected(story))
    tables = model.connection

    assert [one.workflow_id for one in list_blamed_runs(tables, "wfl_2")] == ["wfl_2", "wfl_1"]
    assert len(list_blamed_runs(tables, "wfl_3")) == 1  # it names itself, and the way ends
    assert list_blamed_runs(tables, "wfl_unknown") == []
    task = find_blamed_task(tables, "wfl_2", 0)
    assert task is not None and (task.title, task.total) == ("First", 2)
    assert find_blamed_task(tables, "wfl_2", 9) is None
    (statement,) = list_blamed_statements(tables, PROJECT, [atom.atom_id, "atm_unknown"])
    assert (statement.title, statement.status) == (atom.title, "active")
    assert statement.path == "README.md"
    assert statement.snippet
    assert list_blamed_statements(tables, "prj_other", [atom.atom_id]) == []
    assert list_repositories(tables, None) == list_repositories(tables, [PROJECT]) == ["/code"]
    assert list_repositories(tables, ["prj_other"]) == []
