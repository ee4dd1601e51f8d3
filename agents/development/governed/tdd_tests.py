"""The tests of a change, before its code: planned, written, and seen to fail.

Tests are written again, and nothing else, where they are not collected, pass before there is code,
or leave a requirement out; what a test runner cannot say is for a person.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from agents.development.governed.coding import list_changed, run_tests, write_code
from agents.development.governed.drafting import send_back
from agents.development.governed.exit_codes import TestRoute, route_tests
from agents.development.governed.frozen_tests import is_frozen, is_test
from agents.development.governed.gates import halt, persist
from agents.development.governed.node import AtNode, Step, hash_text
from agents.development.governed.prompts import get_prompt, join_parts, list_items, show
from agents.development.governed.state import ImplementationState, ScenarioState, TestRunState
from agents.development.workflow_ports import Value
from agents.models.errors import ModelError
from schemas.events.workflow_stages import WorkflowTestPlanValidated, WorkflowTestsRun

MOST_REWRITES = 3  # tests in a row that are written again; a person decides then
MOST_SCENARIOS = 60
_TEXT = {"type": "string"}
_SCENARIO = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "requirements": {"type": "array", "items": _TEXT},
        "path": _TEXT,
        "checks": _TEXT,
    },
    "required": ["name", "requirements", "path", "checks"],
}
PLAN_SCHEMA = {
    "type": "object",
    "properties": {"scenarios": {"type": "array", "items": _SCENARIO}},
    "required": ["scenarios"],
}
GREEN_TOO_SOON = (
    "The tests pass before there is any code for them, so they show nothing. They must fail until"
    " the specification is built."
)


class Named(Value):
    """Requirements that tests name."""

    requirements: tuple[str, ...]


async def plan_tests(at: AtNode, state: ImplementationState) -> Step:
    """Scenarios for the requirements of the specification, by a model."""
    prompt, advice = get_prompt("plan_tests"), [*state.get("feedback", ())]
    number = state.get("drafts", 0) + 1
    while True:
        messages = (
            prompt.with_rules("Answer with one object of JSON and nothing else."),
            join_parts(
                show("The specification", describe_task(at)),
                show("The code that it is about", state.get("context", "")),
                show("What was wrong with your last plan", list_items(advice)),
                f"The requirements: {', '.join(state['requirements'])}.",
            ),
        )
        try:
            answer = await at.ask_model(
                "draft", messages, prompt_version=prompt.version, schema=PLAN_SCHEMA
            )
            break
        except ModelError as error:
            choice = await halt(at, "drafter_failed", str(error))
            advice += [choice.text] if choice.text else []
    scenarios = [_read_scenario(each) for each in answer.data["scenarios"][:MOST_SCENARIOS]]
    plan = json.dumps(scenarios, ensure_ascii=False, indent=1)
    return Step({"scenarios": scenarios, "drafts": number, "draft": plan})


async def validate_plan(at: AtNode, state: ImplementationState) -> Step:
    """Each requirement has a scenario, each scenario a requirement and a file of tests."""
    requirements, scenarios = state["requirements"], state["scenarios"]
    named = {one for scenario in scenarios for one in scenario["requirements"]}
    uncovered = [one for one in requirements if one not in named]
    problems = [f"No scenario names «{one}»: add one." for one in uncovered]
    problems += [it for one in scenarios for it in _check_scenario(one, requirements)]
    problems += [] if scenarios else ["There is no scenario."]
    await at.record(
        WorkflowTestPlanValidated,
        artifact_hash=hash_text(state["draft"]),
        covered=[one for one in requirements if one in named],
        uncovered=uncovered,
        problems=problems,
        iteration=state["drafts"],
    )
    if problems:
        return await send_back(at, state, problems, state["draft"], "N2")
    return Step({"redrafts": 0, "feedback": []}, "N4")


async def write_tests(at: AtNode, state: ImplementationState) -> Step:
    """Tests of the scenarios, and no other file; from now on they are frozen."""
    prompt = get_prompt("write_tests")
    request = join_parts(
        show("The specification", describe_task(at)),
        show("The scenarios", json.dumps(state["scenarios"], ensure_ascii=False, indent=1)),
        show("Requirements that no test names yet", ", ".join(state.get("uncovered", []))),
        show("What has to be mended", "\n".join(state.get("feedback", []))),
        "Write the tests.",
    )
    work = await write_code(at, state, prompt, request)
    changed = await list_changed(at, state["tree"], work.tree_id)
    others = [path for path in changed if not is_frozen(path)]
    if others or not any(is_test(path) for path in changed):
        problem = (
            f"You have changed {', '.join(others[:10])}. Write tests, and change no other file."
            if others
            else "You have written no file of tests."
        )
        return await write_again(at, state, problem, state.get("uncovered", []))
    change = {"tree": work.tree_id, "frozen": work.tree_id, "session": "", "feedback": []}
    return Step(change, "N7" if state.get("is_implemented") else "N5")


async def verify_red(at: AtNode, state: ImplementationState) -> Step:
    """The tests run and fail, and each requirement is named by one."""
    ended, route, covered, uncovered = await run_and_tell(at, state, "red")
    if route == "rewrite":
        return await write_again(at, state, tell_rewrite(ended))
    if route == "passed":
        return await write_again(at, state, GREEN_TOO_SOON)
    if uncovered:
        problem = f"No test names {', '.join(uncovered)} in its docstring or in a comment."
        return await write_again(at, state, problem, uncovered)
    change = {"covered": covered, "uncovered": [], "rewrites": 0, "tests": ended}
    return Step(change, "N6", f"The tests fail, as they must: exit code {ended['exit_code']}.")


async def write_again(
    at: AtNode, state: ImplementationState, problem: str, uncovered: Sequence[str] = ()
) -> Step:
    """The tests are written again, or it halts where that did not help before."""
    rewrites, feedback = state.get("rewrites", 0) + 1, [problem]
    if rewrites > MOST_REWRITES:
        choice = await halt(at, "not_red", f"The tests were written {rewrites} times. {problem}")
        rewrites = 1
        feedback += [choice.text] if choice.text else []
    change = {"feedback": feedback, "rewrites": rewrites, "uncovered": list(uncovered)}
    return Step(change, "N4", problem)


async def run_and_tell(
    at: AtNode, state: ImplementationState, phase: str
) -> tuple[TestRunState, TestRoute, list[str], list[str]]:
    """How the tests of the tree end, recorded with the requirements that they name and do not.

    Where only a person can tell, they are run again once one has approved.
    """
    covered = await _list_covered(at, state)
    uncovered = [one for one in state["requirements"] if one not in covered]
    while True:
        ended = await run_tests(at, state["tree"])
        route = route_tests(ended["runner"], ended["exit_code"])
        await at.record(
            WorkflowTestsRun,
            phase=phase,
            exit_code=ended["exit_code"],
            summary=ended["output"],
            commands=ended["commands"],
            covered=covered,
            uncovered=uncovered,
            iteration=at.visit,
        )
        if route != "person":
            return ended, route, covered, uncovered
        code = ended["exit_code"]
        how = "did not end by itself" if code is None else f"ended with the exit code {code}"
        message = f"{ended['runner']} {how}, which no rule can judge. {ended['output'][-1_000:]}"
        await halt(at, "tests_need_person", message)


def tell_rewrite(ended: TestRunState) -> str:
    return (
        f"{ended['runner']} ended with the exit code {ended['exit_code']}: no test was run."
        f" {ended['output'][-1_000:]}"
    )


def describe_task(at: AtNode) -> str:
    run = at.run
    return run.input.text.strip() or f"{run.issue.title}\n\n{run.issue.text}"


async def _list_covered(at: AtNode, state: ImplementationState) -> list[str]:
    """The requirements that the tests name which the run has written."""
    trees = at.run.ports.trees
    assert trees is not None  # see NEEDED

    async def make() -> Named:
        changes = await trees.list_changes(state["base"], state["tree"])
        paths = [it.path for it in changes if it.sha256 is not None and is_test(it.path)]
        texts = await trees.read_files(state["tree"], paths)
        names = (one for one in state["requirements"] if _is_named(one, texts))
        return Named(requirements=tuple(names))

    given = {"named_in": state["tree"]}
    return list((await persist(at, lambda: at.read(Named, given, make))).requirements)


def _is_named(requirement: str, texts: Mapping[str, str]) -> bool:
    """Whether a test names the requirement, also as a part of a name: ``test_r_1_is_signed``."""
    parts = re.split(r"[-_.]", requirement)
    pattern = re.compile(
        rf"(?:(?<![^\W_])){r'[-_.]?'.join(map(re.escape, parts))}(?!\d|\.\d)", re.IGNORECASE
    )
    return any(pattern.search(text) for text in texts.values())


def _read_scenario(data: Mapping[str, object]) -> ScenarioState:
    requirements = data["requirements"]
    assert isinstance(requirements, list)  # the schema
    return {
        "name": str(data["name"]).strip()[:200],
        "requirements": [str(each).strip().upper() for each in requirements],
        "path": str(data["path"]).strip().removeprefix("./"),
        "checks": str(data["checks"]).strip()[:2_000],
    }


def _check_scenario(scenario: ScenarioState, requirements: Sequence[str]) -> list[str]:
    name, path, problems = scenario["name"], scenario["path"], []
    unknown = [one for one in scenario["requirements"] if one not in requirements]
    if unknown:
        problems.append(f"«{name}» names {', '.join(unknown)}, which is no requirement here.")
    if not any(one in requirements for one in scenario["requirements"]):
        problems.append(f"«{name}» names no requirement.")
    if path.startswith("/") or ".." in path.split("/") or not is_test(path):
        problems.append(f"«{path}» is no path of a file of tests in the repository.")
    return problems
