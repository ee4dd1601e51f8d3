"""A delivery from plan to commits: nothing is committed that no reviewer has approved."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.development.delivery.graph import describe_drawing
from agents.development.workflow_ports import RefusedCall, TestRun
from agents.models.errors import AllProvidersFailed, AnswerEmpty
from agents.models.families import family_of
from agents.runs.effects import RecordMissing
from infra.runtime.walls.git import call_git
from infra.runtime.walls.trees import Author, commit_tree
from infra.service.development.run_trees import RunTrees
from infra.service.development.workflow_log import WorkflowLog
from infra.service.runs.driving import Paused, replay
from schemas.events.delivery import (
    FeedbackEvaluated,
    PlanProduced,
    PlanValidated,
    ReviewCompleted,
    TaskCommitted,
    TaskFailed,
    TaskStarted,
)
from schemas.events.workflow import (
    AgentEventRecorded,
    SecurityRefused,
    WorkflowHalted,
    WorkflowNodeEntered,
)
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import Killed, in_loop
from tests.development.deliveries import (
    APPROVED,
    NOW,
    PLACE,
    PLAN,
    PROFILE,
    Delivery,
    Edits,
    ScriptedDriver,
    ScriptedReviewer,
    decides,
    fails,
    refuses,
)

FIRST = {"hello.py": "def greet(name):\n    return f'Hello {name}'\n"}
SECOND = {"hello.py": "def greet(name):\n    return f'Hello {name or \"nobody\"}'\n"}
OTHER = {"hello.py": "def greet(name: str) -> str:\n    return 'Hello ' + name\n"}
ONE_TASK = PLAN[: PLAN.index("### Task 2")]


@pytest.fixture
def make(tmp_path: Path) -> Any:
    """A delivery of a repository with one commit; by default each task is done and approved."""
    folder, git_dir = tmp_path / "work", tmp_path / "history"
    subprocess.run(["git", "init", "-q", "--bare", str(git_dir)], check=True)
    (tmp_path / "readme").write_text("A program.\n")
    blob = git(tmp_path, "hash-object", "-w", str(tmp_path / "readme")).strip()
    given = f"100644 blob {blob}\tREADME.md\n".encode()
    tree = call_git(git_dir, ("mktree",), given).decode().strip()
    head = commit_tree(git_dir, tree, [], "Begin", Author("Ana", "ana@example.com", NOW))

    def make(
        *work: Edits | Exception,
        reviews: list[str | Exception] | None = None,
        **more: Any,
    ) -> Delivery:
        of_driver = {name: more.pop(name) for name in ("plans", "evaluations") if name in more}
        driver = ScriptedDriver(folder, list(work) or [FIRST, SECOND], **of_driver)
        call_git(git_dir, ("update-ref", "-d", "refs/heads/delivery/7"))
        trees = RunTrees(folder, git_dir, "delivery/7", head, lambda: NOW)
        reviewer = ScriptedReviewer(reviews or [APPROVED])
        return Delivery(driver, reviewer, trees, **more)

    return make


def git(tmp_path: Path, *args: str) -> str:
    command = ["git", f"--git-dir={tmp_path / 'history'}", *args]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def a_check(exit_code: int, output: str) -> TestRun:
    return TestRun(runner="pytest", exit_code=exit_code, output=output)


async def approved(delivery: Delivery) -> Any:
    """The delivery behind its approved plan."""
    assert isinstance(await delivery.go_on(), Paused)
    return await delivery.decide("approve")


def kinds(delivery: Delivery) -> list[str]:
    return [one.event.node for one in delivery.events if isinstance(one.event, WorkflowNodeEntered)]


def test_each_task_is_reviewed_and_committed_before_the_next(make, tmp_path):
    delivery = make()

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    finished = delivery.end
    assert (finished.status, finished.error) == ("completed", "")
    first, second = delivery.list_told(TaskCommitted)
    assert git(tmp_path, "rev-parse", f"{second.sha}~1").strip() == first.sha
    assert git(tmp_path, "show", f"{first.sha}:hello.py") == FIRST["hello.py"]
    assert git(tmp_path, "show", f"{second.sha}:hello.py") == SECOND["hello.py"]
    for committed, reviewed in zip(
        (first, second), delivery.list_told(ReviewCompleted), strict=True
    ):
        tree = git(tmp_path, "rev-parse", f"{committed.sha}^{{tree}}").strip()
        assert tree == committed.tree == reviewed.tree
    message = git(tmp_path, "show", "-s", "--format=%B", first.sha)
    assert message.startswith("Greet by name\n\nIt greets.\n\n")
    trailers = "Cairn-Feature: art_1\nCairn-Atom: atm_1\nCairn-Atom: atm_2\nCairn-Task: 0\n"
    assert f"Cairn-Workflow: wfl_1\n{trailers}" in message
    assert [one.index for one in delivery.list_told(TaskStarted)] == [0, 1]
    assert git(tmp_path, "rev-parse", "delivery/7").strip() == second.sha


def test_nothing_is_changed_before_the_plan_is_approved(make):
    delivery = make(plans=[PLAN, ONE_TASK])

    @in_loop
    async def work() -> None:
        paused = await delivery.go_on()
        assert isinstance(paused, Paused)
        assert paused.confirmations[0].tool == "approve_plan"
        assert delivery.driver.sessions == []
        await delivery.decide("reject", reason="One task is enough.")
        assert delivery.driver.sessions == []
        await delivery.decide("approve")

    work()
    assert "One task is enough." in delivery.driver.prompts[1]
    first, second = delivery.list_told(PlanProduced)
    assert (first.iteration, second.iteration) == (1, 2)
    assert len(delivery.list_told(TaskCommitted)) == 1


def test_a_plan_that_rules_cannot_read_goes_back_with_its_problems(make):
    delivery = make(plans=["Let us think about it.", PLAN])

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    wrong, right = delivery.list_told(PlanValidated)
    assert not wrong.valid and right.valid
    assert all(problem in delivery.driver.prompts[1] for problem in wrong.problems)


def test_a_plan_that_stays_wrong_ends_the_delivery(make):
    delivery = make(plans=["Let us think about it."])

    @in_loop
    async def work() -> None:
        await delivery.go_on()

    work()
    finished = delivery.end
    assert (finished.status, finished.error) == ("failed", "plan_invalid")
    assert len(delivery.list_told(PlanProduced)) == 5


def test_a_plan_from_outside_needs_no_architect_but_validator_and_approval(make):
    delivery = make(plan=ONE_TASK)

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    assert delivery.list_told(PlanProduced)[0].is_external
    assert delivery.list_told(PlanValidated)[0].valid
    assert len(delivery.driver.prompts) == 1  # the developer's
    assert len(delivery.list_told(TaskCommitted)) == 1


def test_a_plan_that_a_person_edits_is_checked_and_asked_about_again(make):
    delivery = make()

    @in_loop
    async def work() -> None:
        await delivery.go_on()
        paused = await delivery.decide("edit", arguments={"plan_markdown": ONE_TASK})
        assert isinstance(paused, Paused)
        await delivery.decide("approve")

    work()
    assert [one.total_tasks for one in delivery.list_told(PlanValidated)] == [2, 1]
    assert len(delivery.list_told(TaskCommitted)) == 1


def test_a_plan_without_tasks_is_one_unit(make):
    whole = ONE_TASK[: ONE_TASK.index("## Phase 1")]
    delivery = make(plans=[whole])

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    assert delivery.list_told(TaskStarted)[0].total is None
    assert len(delivery.list_told(TaskCommitted)) == 1


def test_only_what_the_evaluator_takes_reaches_the_developer(make):
    delivery = make(
        FIRST,
        OTHER,
        plans=[ONE_TASK],
        reviews=[refuses("It has no type.", "It is not fast.", "It needs a manual."), APPROVED],
        evaluations=[decides("IMPLEMENT", "REJECT", "DEFER")],
    )

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    again = delivery.driver.prompts[-1]
    assert "It has no type." in again
    assert "It is not fast." not in again and "It needs a manual." not in again
    (evaluated,) = delivery.list_told(FeedbackEvaluated)
    assert [one.decision for one in evaluated.items] == ["IMPLEMENT", "REJECT", "DEFER"]
    assert delivery.follow_ups == [("It needs a manual.", "Because of 3.")]
    assert "REJECT. Because of 2." in delivery.reviewer.prompts[1]


def test_a_person_answers_what_the_evaluator_cannot_decide(make):
    delivery = make(
        FIRST,
        OTHER,
        plans=[ONE_TASK],
        reviews=[refuses("In which language?"), APPROVED],
        evaluations=[decides("CLARIFY")],
    )

    @in_loop
    async def work() -> None:
        paused = await approved(delivery)
        assert isinstance(paused, Paused)
        assert paused.confirmations[0].tool == "answer_question"
        await delivery.decide("approve", reason="In French.")

    work()
    assert "In French." in delivery.driver.prompts[-1]
    assert len(delivery.list_told(TaskCommitted)) == 1


def test_who_rejects_every_issue_does_not_get_round_the_reviewer(make):
    delivery = make(
        FIRST,
        plans=[ONE_TASK],
        reviews=[refuses("It is wrong.")],
        evaluations=[decides("REJECT")],
    )

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    (failed,) = delivery.list_told(TaskFailed)
    assert (failed.reason, failed.iterations) == ("review_limit", 3)
    assert delivery.list_told(TaskCommitted) == []


def test_a_task_that_is_never_approved_stops_the_delivery_and_earlier_commits_stay(make, tmp_path):
    three = PLAN + "\n### Task 3: Say goodbye\n1. Say it.\n"
    delivery = make(
        FIRST,
        SECOND,
        OTHER,
        SECOND,
        plans=[three],
        reviews=[APPROVED, refuses("It is wrong.")],
    )

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    (committed,) = delivery.list_told(TaskCommitted)
    assert git(tmp_path, "rev-parse", "delivery/7").strip() == committed.sha
    (failed,) = delivery.list_told(TaskFailed)
    assert failed.index == 1
    finished = delivery.end
    assert (finished.status, finished.error) == ("failed", "review_limit")
    assert [one.index for one in delivery.list_told(TaskStarted)] == [0, 1]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "<html><body>502 Bad Gateway</body></html>",
        "I would APPROVE this.",
        '{"approved": false, "issues": [], "summary": "No."}',
        AllProvidersFailed("No provider answers."),
        AnswerEmpty("It is empty."),
    ],
    ids=["empty", "html", "prose", "no issue", "away", "unusable"],
)
def test_without_a_review_that_can_be_read_nothing_is_committed(make, answer):
    delivery = make(FIRST, plans=[ONE_TASK], reviews=[answer, APPROVED])

    @in_loop
    async def work() -> None:
        paused = await approved(delivery)
        assert isinstance(paused, Paused)
        assert paused.confirmations[0].tool == "halt"
        assert len(delivery.list_told(WorkflowHalted)) == 1
        assert delivery.list_told(TaskCommitted) == []
        asked = len(delivery.driver.prompts)
        await delivery.go_on()
        assert len(delivery.driver.prompts) == asked  # nobody is asked while it waits
        await delivery.decide("approve")

    work()
    assert len(delivery.list_told(TaskCommitted)) == 1


def test_a_review_by_the_family_that_wrote_the_code_is_none(make):
    delivery = make(FIRST, plans=[ONE_TASK], coder_family=family_of("other", "critic-1"))

    @in_loop
    async def work() -> None:
        paused = await approved(delivery)
        assert isinstance(paused, Paused)

    work()
    (halted,) = delivery.list_told(WorkflowHalted)
    assert halted.reason == "family_conflict"
    assert "critic-1" in halted.message
    assert delivery.list_told(ReviewCompleted) == []


def test_an_approval_beside_a_critical_issue_is_none(make):
    both = refuses("It loses data.", severity="critical").replace("false", "true")
    delivery = make(FIRST, OTHER, plans=[ONE_TASK], reviews=[both, APPROVED])

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    assert [one.approved for one in delivery.list_told(ReviewCompleted)] == [False, True]


def test_a_driver_that_fails_halts_and_leaves_no_half_file(make, tmp_path):
    delivery = make(fails(), FIRST, plans=[ONE_TASK])

    @in_loop
    async def work() -> None:
        paused = await approved(delivery)
        assert isinstance(paused, Paused)
        await delivery.decide("approve")

    work()
    (committed,) = delivery.list_told(TaskCommitted)
    assert committed.files == ["hello.py"]
    (halted,) = delivery.list_told(WorkflowHalted)
    assert (halted.reason, halted.command) == ("driver", "cairn deliver resume wfl_1")


def test_a_halt_that_a_person_ends(make):
    delivery = make(fails(), plans=[ONE_TASK])

    @in_loop
    async def work() -> None:
        await approved(delivery)
        await delivery.decide("reject", reason="Another time.")

    work()
    finished = delivery.end
    assert (finished.status, finished.error, finished.message) == (
        "failed",
        "driver",
        "Another time.",
    )


def test_work_without_effect_and_code_left_out_are_no_success(make):
    left_out = {
        "hello.py": "def greet(name):\n    # ... rest of the code unchanged\n    return name\n"
    }
    delivery = make({}, left_out, FIRST, plans=[ONE_TASK])

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    nothing, elided, whole = delivery.list_told(ReviewCompleted)
    assert "Nothing was changed" in nothing.issues[0].description
    assert "left out" in elided.issues[0].description
    assert whole.approved
    assert len(delivery.reviewer.requests) == 1  # nobody is asked about what rules refuse


def test_a_change_that_nobody_could_read_is_refused_by_rule(make):
    huge = {"hello.py": "# été\n" * 30_000}
    delivery = make(huge, FIRST, plans=[ONE_TASK])

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    first, second = delivery.list_told(ReviewCompleted)
    assert "too large to be reviewed" in first.issues[0].description
    assert second.approved


def test_the_check_of_the_profile_comes_before_the_reviewer(make):
    delivery = make(
        FIRST,
        OTHER,
        plans=[ONE_TASK],
        profile={**PROFILE, "validator": "pytest -q"},
        checks=[a_check(1, "1 failed"), a_check(0, "1 passed")],
    )

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    red, green = delivery.list_told(ReviewCompleted)
    assert "`pytest -q` ended with 1:\n1 failed" in red.issues[0].description
    assert green.approved
    assert len(delivery.reviewer.requests) == 1


def test_a_second_pass_looks_again_and_can_refuse(make):
    delivery = make(
        FIRST,
        OTHER,
        plans=[ONE_TASK],
        profile={**PROFILE, "max_review_passes": 2, "max_review_iterations": 5},
        reviews=[APPROVED, refuses("The test cannot fail."), APPROVED, APPROVED],
    )

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    passes = [(one.review_pass, one.approved) for one in delivery.list_told(ReviewCompleted)]
    assert passes == [(1, True), (2, False), (1, True), (2, True)]
    assert "Look a second time" in delivery.reviewer.prompts[1]


def test_what_an_agent_does_is_in_the_log_and_a_session_goes_on(make):
    call = RefusedCall(
        layer="blocklist", tool="bash", argument="sudo ls", reason="sudo is not allowed"
    )
    delivery = make(refused=[call])

    @in_loop
    async def work() -> None:
        await approved(delivery)

    work()
    types = {one.event_type for one in delivery.list_told(AgentEventRecorded)}
    assert types == {
        "CLAUDE_THINKING",
        "CLAUDE_TOOL_CALL",
        "CLAUDE_TOOL_RESULT",
        "AGENT_OUTPUT",
    }
    (refused,) = delivery.list_told(SecurityRefused)
    assert (refused.layer, refused.agent) == ("blocklist", "developer")
    assert delivery.driver.sessions == [None, "session-1"]


class ByPrompt(list[Any]):
    """Answers by what is asked, however often it is."""

    def __init__(self, prompts: Callable[[], list[str]], word: str, first: Any, then: Any) -> None:
        super().__init__((first, then))
        self._prompts, self._word = prompts, word

    def pop(self, index: Any = 0) -> Any:
        return self[1] if self._word in self._prompts()[-1] else self[0]


def test_a_delivery_killed_after_each_event_goes_on_to_the_same_commits(make):
    def make_one() -> Delivery:
        one: Delivery = make(plans=[ONE_TASK])
        one.driver.work = ByPrompt(lambda: one.driver.prompts, "No type.", FIRST, OTHER)
        answers = (refuses("No type."), APPROVED)
        one.reviewer.answers = ByPrompt(lambda: one.reviewer.prompts, "-> str", *answers)
        return one

    def count_calls(one: Delivery) -> int:
        return len(one.driver.prompts) + len(one.reviewer.requests)

    async def go(one: Delivery) -> None:
        if isinstance(await one.go_on(), Paused):
            await one.decide("approve")

    whole = make_one()
    asyncio.run(go(whole))
    (expected,) = whole.list_told(TaskCommitted)
    for limit in range(1, len(whole.events)):
        broken = make_one()
        broken.kill_after = limit
        with pytest.raises(Killed):
            asyncio.run(go(broken))
        broken.kill_after = None
        asyncio.run(go(broken))
        (committed,) = broken.list_told(TaskCommitted)
        assert committed.sha == expected.sha, limit
        # Only the call that was under way is made again.
        assert count_calls(broken) <= count_calls(whole) + 1


def test_a_finished_delivery_replays_from_its_log_alone(make):
    delivery = make(plans=[ONE_TASK])

    @in_loop
    async def work() -> None:
        await approved(delivery)
        calls = len(delivery.driver.prompts), len(delivery.reviewer.requests)
        log = WorkflowLog(PLACE, list(delivery.events), StageRedactor(), None)
        end = await replay(log, lambda: delivery._program(log))
        assert end == delivery.end
        assert (len(delivery.driver.prompts), len(delivery.reviewer.requests)) == calls
        half = WorkflowLog(PLACE, list(delivery.events)[:5], StageRedactor(), None)
        with pytest.raises(RecordMissing):
            await delivery._program(half)

    work()


def test_the_drawing_has_the_nodes_and_no_commit_without_the_reviewer():
    drawn = describe_drawing()
    assert drawn.nodes == (
        "architect",
        "plan_validator",
        "human_approval",
        "developer",
        "reviewer",
        "evaluator",
        "commit",
        "next_task",
    )
    assert {edge.source for edge in drawn.edges if edge.target == "commit"} == {"reviewer"}
