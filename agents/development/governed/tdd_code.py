"""The code of a change: written until its tests pass, while nobody may touch them."""

from __future__ import annotations

from collections.abc import Mapping

from agents.development.governed.coding import find_coder_family, refuse_frozen, write_code
from agents.development.governed.exit_codes import route_tests
from agents.development.governed.gates import halt
from agents.development.governed.node import AtNode, Step
from agents.development.governed.prompts import Prompt, get_prompt, join_parts, list_items, show
from agents.development.governed.state import ImplementationState
from agents.development.governed.tdd_tests import (
    describe_task,
    run_and_tell,
    tell_rewrite,
    write_again,
)
from agents.development.governed.verdicts import describe_findings
from agents.models.call import Message

THROWN_AWAY = "Your change was thrown away, since it touched frozen files: {paths}."


async def implement(at: AtNode, state: ImplementationState) -> Step:
    """Code by the specification; the tests stay as they were seen to fail."""
    request = join_parts(
        show("The specification", describe_task(at)),
        show("The code that it is about", state.get("context", "")),
        show("How its tests fail now", state["tests"]["output"]),
        "Write the code.",
    )
    return await _write(at, state, get_prompt("implement"), request, {"is_implemented": True})


async def run_green(at: AtNode, state: ImplementationState) -> Step:
    """Whether the tests pass and name each requirement. A tree that has failed is not run again."""
    last, limit = state["tests"], at.run.settings.max_fix_iterations
    if last["tree"] == state["tree"]:  # nothing was written, or it was thrown away
        is_green = route_tests(last["runner"], last["exit_code"]) == "passed"
        if is_green and not state.get("feedback"):
            return Step({}, "N9", "The change is the one that was tested last.")
        return await _fix_or_halt(at, state, limit)
    ended, route, covered, uncovered = await run_and_tell(at, state, "green")
    change: dict[str, object] = {"tests": ended, "covered": covered, "uncovered": uncovered}
    if route == "rewrite":
        again = await write_again(at, state, tell_rewrite(ended))
        return Step({**change, **again.change}, again.goes_to, again.detail)
    if route == "failed":
        step = await _fix_or_halt(at, state, limit)
        return Step({**change, **step.change}, step.goes_to, step.detail)
    if uncovered:  # more tests, never other code
        problem = f"The tests pass, but none names {', '.join(uncovered)}. Write tests for them."
        again = await write_again(at, state, problem, uncovered)
        return Step({**change, **again.change}, again.goes_to, again.detail)
    change |= {"fixes": 0, "rewrites": 0, "feedback": []}
    return Step(change, "N9", "The tests pass and name each requirement.")


async def fix(at: AtNode, state: ImplementationState) -> Step:
    """Code that mends what tests or the reviewer have shown; the tests stay as they are."""
    findings = list_items(describe_findings(state.get("open_findings", [])))
    last = state["tests"]
    is_red = last["tree"] == state["tree"] and last["exit_code"] != 0
    request = join_parts(
        show("The specification", describe_task(at)),
        show("How its tests fail", last["output"] if is_red else ""),
        show("What the reviewer has against the change", findings),
        show("What else has to be mended", list_items(state.get("feedback", []))),
        "Mend the change.",
    )
    counted = {"fixes": state.get("fixes", 0) + 1}
    return await _write(at, state, get_prompt("fix"), request, counted)


async def _write(
    at: AtNode,
    state: ImplementationState,
    prompt: Prompt,
    request: Message,
    change: Mapping[str, object],
) -> Step:
    """The tree that the coding model has made, unless it has touched what is frozen."""
    work = await write_code(at, state, prompt, request)
    change = {**change, "draft_family": find_coder_family(at.run)}
    if refused := await refuse_frozen(at, state["frozen"], work.tree_id):
        problem = THROWN_AWAY.format(paths=", ".join(refused[:10]))
        return Step({**change, "feedback": [problem], "session": work.session_id}, "N7", problem)
    return Step({**change, "tree": work.tree_id, "session": work.session_id, "feedback": []}, "N7")


async def _fix_or_halt(at: AtNode, state: ImplementationState, limit: int) -> Step:
    fixes, granted = state.get("fixes", 0), state.get("granted_fixes", 0)
    if fixes < limit + granted:
        return Step({}, "N8", f"The tests fail; {fixes} fixes were made.")
    why = " ".join(state.get("feedback", [])) or state["tests"]["output"][-1_000:]
    message = f"{fixes} fixes have not led to a change that passes. {why}"
    choice = await halt(at, "blocked_max_fixes", message)
    change: dict[str, object] = {"granted_fixes": granted + limit}
    if choice.text:
        change["feedback"] = [choice.text]
    return Step(change, "N8", "A person wants the code to be fixed again.")
