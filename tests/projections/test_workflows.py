"""Workflows and deliveries in the tables: how they stand, what they made, who decided what."""

from __future__ import annotations

from typing import Any

import pytest

from infra.platform.errors import NotFound
from projections.read import workflows
from projections.read.workflow_metrics import read_development_metrics
from projections.read.workflow_tasks import read_delivery
from schemas.envelope import SERVICE_WIDE, Envelope
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import PERSON, Log
from tests.projections.workflow_facts import (
    FINDING,
    WORKFLOW,
    a_delivery,
    a_gate,
    an_issue_run,
    begun,
    facts_of,
)


def folded(model: ReadModel, *facts: Envelope, times: int = 1, batch: int = 1_000) -> ReadModel:
    log = Log()
    for fact in facts:
        for _ in range(times):
            log.write(fact)
    return model.fold(log.records, batch)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("batch", [1, 1_000])
def test_a_run_is_shown_with_its_verdicts_and_what_was_waived(
    model: ReadModel, times: int, batch: int
):
    folded(model, *facts_of(an_issue_run()), times=times, batch=batch)

    run = workflows.read_workflow(model.connection, WORKFLOW)
    assert (run.status, run.artifact_hash, run.node) == ("completed", "h2", "n6_file")
    assert (run.title, run.feature_id, run.atom_ids) == ("Export", "art_1", ["atm_1"])
    verdicts = workflows.list_workflow_verdicts(model.connection, WORKFLOW)
    assert [(one.verdict, one.artifact_hash) for one in verdicts] == [
        ("REVISE", "h1"),
        ("UNAVAILABLE", "h2"),
    ]
    assert verdicts[0].findings == [FINDING.model_dump()]
    (gate,) = workflows.list_workflow_gates(model.connection, WORKFLOW)
    assert (gate.gate, gate.decision, gate.decided_by) == ("verdict", "edit", PERSON.id)
    assert (gate.verdict_overridden, gate.artifact_hash, gate.is_open) == (
        "UNAVAILABLE",
        "h2",
        False,
    )
    made = workflows.list_workflow_artifacts(model.connection, WORKFLOW)
    assert [(one.kind, one.artifact_hash) for one in made] == [
        ("draft", "h1"),
        ("repaired", "h2"),
        ("approved", "h2"),
    ]
    approved = workflows.find_approved_artifact(model.connection, WORKFLOW)
    assert approved is not None
    assert (approved.text, approved.approval) == ("Two", "waiver")


def test_steps_are_in_the_order_in_which_the_run_entered_them(model: ReadModel):
    folded(model, *facts_of(an_issue_run()))

    steps = workflows.list_workflow_steps(model.connection, WORKFLOW)
    assert [(one.node, one.iteration) for one in steps] == [
        ("n1_draft", 1),
        ("n4_review", 1),
        ("n1_draft", 2),
        ("n4_review", 2),
        ("n6_file", 1),
    ]
    assert (steps[0].next_node, steps[1].finished_at) == ("n4_review", None)


@pytest.mark.parametrize(
    ("length", "status", "halt"),
    [
        (4, "running", ""),
        (11, "running", "review_unavailable"),  # its gate comes at once
        (12, "halted", "review_unavailable"),
        (13, "running", ""),
    ],
)
def test_a_run_that_goes_on_says_where_it_is(model: ReadModel, length: int, status: str, halt: str):
    folded(model, *facts_of(an_issue_run()[:length]))

    run = workflows.read_workflow(model.connection, WORKFLOW)
    assert (run.status, run.halt_reason) == (status, halt)
    assert workflows.find_approved_artifact(model.connection, WORKFLOW) is None


def test_a_gate_waits_until_somebody_decides_or_the_run_is_over(model: ReadModel):
    told = [begun(), a_gate("draft")]
    other = facts_of([begun(), a_gate("draft", of="_2")], "wfl_2", SERVICE_WIDE, 1)
    folded(model, *facts_of(told), *other)
    before = workflows.list_open_gates(model.connection)
    own = workflows.list_open_gates(model.connection, [PROJECT])
    assert workflows.read_workflow(model.connection, WORKFLOW).status == "waiting"

    over = facts_of([*told, an_issue_run()[-1]])[2:]
    model.emptied()
    folded(model, *facts_of(told), *over)

    assert [one.workflow_id for one in before] == [WORKFLOW, "wfl_2"]
    assert [one.workflow_id for one in own] == [WORKFLOW]
    assert workflows.list_open_gates(model.connection) == []


def test_runs_are_listed_by_project_thread_and_chain_the_newest_first(model: ReadModel):
    folded(
        model,
        *facts_of([begun(chain_id="chn_1")], "wfl_a"),
        *facts_of([begun("requirements", chain_id="chn_1")], "wfl_b", minutes=1),
        *facts_of([begun(thread_id="issue-8")], "wfl_c", SERVICE_WIDE, 2),
    )

    def ids(**only: Any) -> list[str]:
        return [one.workflow_id for one in workflows.list_workflows(model.connection, **only).items]

    first = workflows.list_workflows(model.connection, limit=2)
    rest = workflows.list_workflows(model.connection, limit=2, cursor=first.next_cursor)
    listed = [one.workflow_id for one in (*first.items, *rest.items)]
    assert listed == ["wfl_c", "wfl_b", "wfl_a"]
    of_project = workflows.list_workflows(model.connection, [PROJECT])
    assert [one.workflow_id for one in of_project.items] == ["wfl_b", "wfl_a"]
    assert ids(thread="issue-8") == ["wfl_c"]
    assert ids(chain="chn_1", workflow_type="issue") == ["wfl_a"]
    assert ids(chain="") == []
    with pytest.raises(NotFound):
        workflows.read_workflow(model.connection, "wfl_other")


@pytest.mark.parametrize("times", [1, 2])
def test_a_delivery_is_shown_task_by_task(model: ReadModel, times: int):
    folded(model, *facts_of(a_delivery()), times=times)

    run = workflows.read_workflow(model.connection, WORKFLOW)
    detail = read_delivery(model.connection, WORKFLOW)
    assert (run.status, run.total_tasks, run.tasks_committed) == ("failed", 2, 1)
    assert [(one.sha, one.failure) for one in detail.tasks] == [
        ("s1", None),
        (None, "review_limit"),
    ]
    assert detail.tasks[0].trailers == ["Cairn-Task: 1"]
    assert [(one.iteration, one.approved) for one in detail.reviews] == [(1, False), (2, True)]
    assert [(one.file, one.line) for one in detail.issues] == [("a.py", 3)]
    assert [one.decision for one in detail.evaluations] == ["IMPLEMENT"]


def test_the_trajectory_is_paged_in_its_order(model: ReadModel):
    folded(model, *facts_of(a_delivery()))

    first = workflows.list_trajectory(model.connection, WORKFLOW, limit=1)
    rest = workflows.list_trajectory(model.connection, WORKFLOW, cursor=first.next_cursor)
    assert [one.id for one in (*first.items, *rest.items)] == ["e1", "e2"]
    assert rest.items[0].tool_input == {"command": "ls"}
    assert not workflows.list_trajectory(model.connection, WORKFLOW, agent="architect").items


def test_past_findings_are_those_of_other_runs_of_the_same_type(model: ReadModel):
    folded(model, *facts_of(an_issue_run()))

    def ask(kind: str, but: str, project: str = PROJECT) -> list[str]:
        past = workflows.list_past_findings(model.connection, project, kind, but, 5)
        return [one.verdict for one in past]

    assert ask("issue", "wfl_2") == ["REVISE"]
    assert ask("issue", WORKFLOW) == ask("scout", "wfl_2") == ask("issue", "wfl_2", "prj_x") == []


def test_metrics_count_the_four_pillars_by_run_and_agent(model: ReadModel):
    folded(model, *facts_of(an_issue_run()), *facts_of(a_delivery(), "wfl_2"))

    shown = read_development_metrics(model.connection)
    delivery, issue = shown.runs
    assert (issue.completed, issue.approvals, issue.revisions, issue.waivers) == (1, 0, 1, 1)
    assert (issue.reviews_without_verdict, issue.halts) == (1, 1)
    assert issue.errors == {"review_unavailable": 1}
    assert (delivery.tasks_committed, delivery.tasks_total, delivery.task_reviews) == (1, 2, 2)
    assert delivery.errors == {"review_limit": 2}  # the task's and the run's
    (developer,) = shown.agents
    assert (developer.agent, developer.tool_calls) == ("developer", 1)
    assert developer.refusals == {"blocklist": 1}
    assert read_development_metrics(model.connection, ["prj_other"]).runs == []
