"""Tests first, then code, then a pull request: by exit codes, with frozen tests."""

from __future__ import annotations

import pytest

from agents.development.governed.exit_codes import route_tests
from agents.development.governed.frozen_tests import is_frozen, is_test, list_refused
from agents.development.governed.proof import find_unapproved
from agents.development.workflow_ports import FileChange
from schemas.events.workflow import AgentEventRecorded, SecurityRefused, WorkflowHalted
from schemas.events.workflow_stages import (
    StageArtifactProduced,
    VerdictGiven,
    WorkflowTestPlanValidated,
    WorkflowTestsRun,
)
from tests.agents.talks import in_loop
from tests.development.governed_runs import World, approves, blocks
from tests.development.test_governed_stages import end_of, pause_of
from tests.development.workspaces import (
    CODE,
    TEST_PATH,
    TEST_TEXT,
    WRITES_CODE,
    WRITES_TESTS,
    Workspace,
    a_change,
    nothing,
    puts,
    removes,
    scenarios,
)

WAY = [f"N{number}" for number in (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12)]
WRONG = puts("app/export.py", "def export(rows, author):\n    return rows\n")


def workspace_of(world: World) -> Workspace:
    workspace = world.ports["trees"]
    assert isinstance(workspace, Workspace)
    return workspace


def exit_codes(world: World) -> list[tuple[str, int | None]]:
    return [(event.phase, event.exit_code) for event in world.all(WorkflowTestsRun)]


@in_loop
async def test_a_specification_becomes_tests_code_and_a_pull_request():
    world = a_change()
    end = await end_of(world)
    assert (end.status, end.artifact_type, end.path) == ("completed", "change", "pulls/7.md")
    assert world.visits == WAY
    assert exit_codes(world) == [("red", 1), ("green", 0)]
    workspace = workspace_of(world)
    (commit,) = workspace.commits.values()
    assert workspace.trees[commit.tree_id] == {"app/export.py": CODE, TEST_PATH: TEST_TEXT}
    assert f"Tree: {commit.tree_id}" in end.text, "what is committed is what was reviewed"
    assert "Cairn-Requirement: R-1\nCairn-Requirement: R-2\n" in workspace.messages[0]
    assert "+def test_signed():" in world.models.prompts("review")[0]
    assert find_unapproved(world.events) == []
    assert [one.tool_name for one in world.all(AgentEventRecorded)] == ["write_file"] * 2


@in_loop
async def test_code_that_fails_is_fixed_until_it_passes():
    world = a_change(WRITES_TESTS, WRONG, nothing, WRITES_CODE)
    await end_of(world)
    assert world.visits[6:12] == ["N6", "N7", "N8", "N7", "N8", "N7"]
    assert exit_codes(world) == [("red", 1), ("green", 1), ("green", 0)], "unchanged, unrun"
    assert "exit 1" in world.ports["implementer"].prompts[2]
    assert world.ports["implementer"].sessions == [None, None, "session_1", "session_2"]


@in_loop
async def test_fixes_end_at_their_limit():
    edits = [puts("app/export.py", f"# {number}\n") for number in range(9)]
    world = a_change(WRITES_TESTS, *edits, settings={"max_fix_iterations": 2})
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "blocked_max_fixes"
    assert world.visits.count("N8") == 2
    assert world.models.count("review") == 0
    await world.decide("approve", "Sign it.")
    world.ports["implementer"].edits[4:] = [WRITES_CODE]
    assert (await end_of(world)).status == "completed"
    assert "Sign it." in world.ports["implementer"].prompts[4]


@pytest.mark.parametrize(
    "edit",
    [
        puts(TEST_PATH, "def test_signed():\n    '''R-1 R-2'''\n"),
        removes(TEST_PATH),
        puts("tests/conftest.py", "collect_ignore = ['test_signing.py']\n"),
        puts("pytest.ini", "[pytest]\naddopts = --co\n"),
        puts("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--co'\n"),
    ],
)
def test_a_fixer_that_edits_frozen_tests_is_refused(edit: object):
    @in_loop
    async def run():
        world = a_change(WRITES_TESTS, WRONG, edit, WRITES_CODE)  # type: ignore[arg-type]
        end = await end_of(world)
        assert end.status == "completed"
        assert len(world.all(SecurityRefused)) == 1
        assert world.all(SecurityRefused)[0].layer == "frozen_tests"
        assert "thrown away" in world.ports["implementer"].prompts[3]
        files = workspace_of(world).trees[end.text.split()[1]]
        assert files == {"app/export.py": CODE, TEST_PATH: TEST_TEXT}

    run()


@in_loop
async def test_an_implementer_that_edits_frozen_tests_is_refused():
    world = a_change(WRITES_TESTS, removes(TEST_PATH), WRITES_CODE)
    await end_of(world)
    assert len(world.all(SecurityRefused)) == 1
    assert world.visits[6:10] == ["N6", "N7", "N8", "N7"]


@in_loop
async def test_a_fixer_that_only_edits_frozen_tests_comes_to_its_limit():
    world = a_change(WRITES_TESTS, WRONG, removes(TEST_PATH))
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "blocked_max_fixes"
    assert len(world.all(SecurityRefused)) == 5


@pytest.mark.parametrize("code", [4, 5])
def test_tests_that_are_not_collected_are_written_again(code: int):
    @in_loop
    async def run():
        world = a_change(WRITES_TESTS, nothing, codes=[code])
        world.ports["implementer"].edits[1:] = [puts(TEST_PATH, TEST_TEXT + "\n"), WRITES_CODE]
        await end_of(world)
        assert world.visits[4:9] == ["N4", "N5", "N4", "N5", "N6"]
        assert exit_codes(world)[0] == ("red", code)

    run()


@pytest.mark.parametrize("code", [2, 3, 7, None])
@pytest.mark.parametrize("is_green", [False, True])
def test_what_a_runner_cannot_say_is_for_a_person(code: int | None, is_green: bool):
    @in_loop
    async def run():
        world = a_change(codes=[1, code] if is_green else [code])
        paused = await pause_of(world)
        assert paused.confirmations[0].arguments["reason"] == "tests_need_person"
        assert world.visits[-1] == ("N7" if is_green else "N5")
        await world.decide("approve")
        assert (await end_of(world)).status == "completed"
        assert world.ports["tests"].runs == 3

    run()


@in_loop
async def test_tests_that_are_green_too_soon_are_written_again():
    world = a_change(WRITES_TESTS, puts(TEST_PATH, TEST_TEXT + "\n"), WRITES_CODE, codes=[0])
    await end_of(world)
    assert world.visits[4:9] == ["N4", "N5", "N4", "N5", "N6"]
    assert "show nothing" in world.ports["implementer"].prompts[1]


@in_loop
async def test_tests_that_never_fail_halt():
    edits = [puts(TEST_PATH, f"{TEST_TEXT}# {number}\n") for number in range(9)]
    world = a_change(*edits, codes=[0] * 9)
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "not_red"
    assert world.visits.count("N4") == 4


@in_loop
async def test_whoever_writes_tests_changes_no_other_file():
    def both(files: dict[str, str]) -> None:
        WRITES_TESTS(files)
        WRITES_CODE(files)

    world = a_change(both, WRITES_TESTS, WRITES_CODE)
    await end_of(world)
    assert world.visits[4:7] == ["N4", "N4", "N5"]
    assert "You have changed app/export.py" in world.ports["implementer"].prompts[1]


@in_loop
async def test_a_requirement_that_no_test_names_gets_a_test_before_there_is_code():
    partial = puts(TEST_PATH, TEST_TEXT.replace("R-1, R-2", "R-1"))
    world = a_change(partial, WRITES_TESTS, WRITES_CODE)
    await end_of(world)
    assert world.visits[4:9] == ["N4", "N5", "N4", "N5", "N6"]
    assert world.all(WorkflowTestsRun)[0].uncovered == ["R-2"]
    assert "No test names R-2" in world.ports["implementer"].prompts[1]


@in_loop
async def test_green_with_uncovered_requirements_leads_to_more_tests_and_no_other_code():
    """The tests are collected wrongly at first behind the code, and lose a requirement then."""
    partial = puts(TEST_PATH, TEST_TEXT.replace("R-1, R-2", "R-1"))
    world = a_change(WRITES_TESTS, WRITES_CODE, partial, WRITES_TESTS, codes=[1, 5])
    await end_of(world)
    assert world.visits[6:13] == ["N6", "N7", "N4", "N7", "N4", "N7", "N9"]
    assert [event.uncovered for event in world.all(WorkflowTestsRun)] == [[], [], ["R-2"], []]
    assert "Write tests for them" in world.ports["implementer"].prompts[3]


@in_loop
async def test_a_plan_that_leaves_a_requirement_out_is_made_again():
    plans = [
        scenarios("R-1"),
        scenarios("R-1", "R-2", "R-9"),
        scenarios("R-1", "R-2", path="app/x.py"),
        scenarios("R-1", "R-2"),
    ]
    world = a_change(plans=plans)
    await end_of(world)
    assert world.visits[2:10] == ["N2", "N3"] * 4
    problems = [" ".join(event.problems) for event in world.all(WorkflowTestPlanValidated)]
    assert "No scenario names «R-2»" in problems[0]
    assert "no requirement here" in problems[1]
    assert "no path of a file of tests" in problems[2]
    assert problems[3] == ""


@in_loop
async def test_zero_requirements_and_zero_scenarios_are_failures():
    world = a_change()
    world.issue = "Make exports better."
    end = await end_of(world)
    assert (end.status, end.error) == ("halted", "no_requirements")
    world = a_change(plans=[{"scenarios": []}])
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "blocked_checks"


@pytest.mark.parametrize("verdict", ["BLOCK", "REVISE"])
def test_a_verdict_against_the_change_sends_it_back_to_be_fixed(verdict: str):
    @in_loop
    async def run():
        better = puts("app/export.py", CODE + "\n# sorted\n")
        reviews = [blocks("+def export(rows, author):", verdict=verdict), approves()]
        world = a_change(WRITES_TESTS, WRITES_CODE, better, reviews=reviews)
        end = await end_of(world)
        assert end.status == "completed"
        assert world.visits[8:] == ["N9", "N10", "N11", "N8", "N7", "N9", "N10", "N11", "N12"]
        assert "This is wrong." in world.ports["implementer"].prompts[2]
        first, second = world.all(VerdictGiven)
        assert first.artifact_hash != second.artifact_hash == end.artifact_hash

    run()


@in_loop
async def test_a_fixer_that_answers_a_verdict_with_other_tests_fixes_again():
    better = puts("app/export.py", CODE + "\n# sorted\n")
    reviews = [blocks("+def export(rows, author):"), approves()]
    world = a_change(WRITES_TESTS, WRITES_CODE, removes(TEST_PATH), better, reviews=reviews)
    end = await end_of(world)
    assert end.status == "completed"
    assert world.visits[11:15] == ["N8", "N7", "N8", "N7"]
    assert world.models.count("review") == 2


@in_loop
async def test_a_change_that_comes_back_unchanged_halts():
    world = a_change(WRITES_TESTS, WRITES_CODE, nothing, reviews=[blocks("+def export(rows, a")])
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "stagnated"
    assert world.models.count("review") == 1


@in_loop
async def test_without_a_verdict_nothing_is_committed():
    world = a_change(reviews=["I would APPROVE this."])
    await pause_of(world)
    assert "commit" not in workspace_of(world).calls
    assert world.all(StageArtifactProduced) == []
    await world.decide("edit", "Hotfix.", waived=True)
    assert (await end_of(world)).status == "completed"
    assert world.all(StageArtifactProduced)[0].approval == "waiver"


@in_loop
async def test_a_commit_of_another_tree_is_no_success():
    world = a_change()
    workspace_of(world).commits_other_tree = True
    end = await end_of(world)
    assert (end.status, end.error) == ("failed", "artifact_changed")
    assert world.all(StageArtifactProduced) == []
    assert "pull_request" not in workspace_of(world).calls


@in_loop
async def test_a_workspace_that_changes_after_the_approval_is_not_committed():
    world = a_change(settings={"gates": ["verdict"]})
    await pause_of(world)
    workspace = workspace_of(world)
    tree = world.all(VerdictGiven)[0]
    assert tree.verdict == "APPROVE"
    reviewed = next(
        id_ for id_, files in workspace.trees.items() if files.get("app/export.py") == CODE
    )
    workspace.files["app/export.py"] += "# one byte"
    await world.decide("approve")
    await end_of(world)
    (commit,) = workspace.commits.values()
    assert commit.tree_id == reviewed


@in_loop
async def test_a_tree_whose_files_are_others_after_the_approval_is_refused():
    world = a_change(settings={"gates": ["verdict"]})
    await pause_of(world)
    for files in workspace_of(world).trees.values():
        if files.get("app/export.py") == CODE:
            files["app/export.py"] = CODE.replace("signed", "Signed")
    await world.decide("approve")
    end = await end_of(world)
    assert (end.status, end.error) == ("failed", "artifact_changed")
    assert "commit" not in workspace_of(world).calls


@in_loop
async def test_a_halt_counts_what_the_coding_model_has_cost():
    world = a_change(codes=[2])
    await pause_of(world)
    (halted,) = world.all(WorkflowHalted)
    assert (halted.input_tokens, round(halted.cost_usd, 2)) == (1_100, 0.06)


@pytest.mark.parametrize(
    ("runner", "code", "route"),
    [
        ("pytest", 0, "passed"),
        ("pytest", 1, "failed"),
        ("pytest", 2, "person"),
        ("pytest", 3, "person"),
        ("pytest", 4, "rewrite"),
        ("pytest", 5, "rewrite"),
        ("pytest", 139, "person"),
        ("pytest", None, "person"),
        ("cargo", 101, "failed"),
        ("unittest", 5, "rewrite"),
        ("make", 1, "person"),
        ("any other", 1, "failed"),
        ("any other", -9, "person"),
    ],
)
def test_where_an_exit_code_leads(runner: str, code: int | None, route: str):
    assert route_tests(runner, code) == route


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_a.py", True),
        ("app/test_a.py", True),
        ("app/a_test.go", True),
        ("web/a.spec.ts", True),
        ("web/__tests__/a.js", True),
        ("src/test/java/ATest.java", True),
        ("tests/data/rows.csv", True),
        ("conftest.py", True),
        ("app/export.py", False),
        ("app/latest.py", False),
        ("app/attestation.py", False),
    ],
)
def test_which_files_are_tests(path: str, expected: bool):
    assert is_test(path) is expected


def test_settings_of_the_runner_are_frozen_and_other_settings_are_not():
    assert is_frozen("tox.ini") and is_frozen("web/jest.config.ts") and not is_frozen("app/a.ini")
    change = [FileChange(path="pyproject.toml", sha256="1")]
    before = {"pyproject.toml": "[project]\nname = 'a'\n"}
    assert list_refused(change, before, {"pyproject.toml": "[project]\nname = 'b'\n"}) == []
    added = {"pyproject.toml": "[tool.pytest]\nx = 1\n"}
    assert list_refused(change, before, added) == ["pyproject.toml"]
    assert list_refused(change, before, {"pyproject.toml": "[[["}) == ["pyproject.toml"]
    package = [FileChange(path="web/package.json", sha256="1")]
    script = {"web/package.json": '{"scripts": {"test": "true"}}'}
    assert list_refused(package, {}, script) == ["web/package.json"]
    assert list_refused(package, {}, {"web/package.json": '{"name": "a"}'}) == []
