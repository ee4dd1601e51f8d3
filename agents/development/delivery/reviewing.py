"""The nodes that judge a task: our own checks, the reviewer, and who decides about its issues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agents.development.checks.elisions import find_elisions
from agents.development.delivery.asking import At, ask_driver, ask_reviewer, say
from agents.development.delivery.reviews import (
    REVIEW_SCHEMA,
    Evaluated,
    Review,
    ReviewIssue,
    read_evaluation,
    read_review,
)
from agents.development.delivery.skills import read_skill, select_skills
from agents.development.delivery.state import ExecutionState
from agents.development.delivery.tasks import current_task
from agents.fence import FENCE_RULE, fence
from agents.runs.confirmations import CallDeclined, approve, confirmation_of
from agents.runs.effects import Json
from agents.runs.review_loop import Round, decide_next
from schemas.events.delivery import FeedbackEvaluated, ReviewCompleted

ANSWER_QUESTION = "answer_question"
LONGEST_DIFF = 120_000  # bytes that a reviewer is given
MOST_PATHS = 1_000
LONGEST_OUTPUT = 4_000  # characters of a failed check
NOTHING = "Nothing was changed: the task is not done."
ELISION = "A comment stands in place of code that is left out: write the whole code."
SAME_FAMILY = "{model} is of the family {family}, which has written the code: it reviews nothing."
TOO_LARGE = f"The change is larger than {LONGEST_DIFF:,} bytes, too large to be reviewed."
Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """What a task has changed so far: a unified diff, and the paths of the files. ``diff`` None: it
    is too large to be reviewed.
    """

    diff: str | None
    paths: tuple[str, ...]


NO_ANSWER: Json = {}


async def reviewer(at: At, state: ExecutionState) -> Step:
    """Whether the task is approved. Only a review that can be read approves anything."""
    change = await _read_change(at, state)
    skills = select_skills(change.paths)
    issues = _find_by_rules(state, change) or await _run_check(at, state["tree"])
    review, answer = Review(False, tuple(issues), "Found by checks.", by_rule=True), NO_ANSWER
    if not issues:
        review, answer = await _ask(at, state, change, skills)
    iteration = state["task_review_iteration"] + 1
    await at.run.records.record(
        ReviewCompleted,
        index=state["current_task_index"],
        iteration=iteration,
        review_pass=state["review_pass"] + 1,
        approved=review.approved,
        issues=[{**asdict(one), "line": one.line or None} for one in review.issues],
        summary=review.summary,
        skills=list(skills),
        tree=state["tree"],
        **_who(answer),
    )
    return _conclude(state, review, iteration)


async def evaluator(at: At, state: ExecutionState) -> Step:
    """Which issues are to be done now. What a check of ours has found always is."""
    review = state["last_review"] or {"issues": [], "by_rule": False}
    issues = [ReviewIssue(**one) for one in review["issues"]]
    answer: Json = {}
    if review["by_rule"]:
        items = tuple(Evaluated(one, "IMPLEMENT", "A check has found it.") for one in issues)
    else:
        answer = await _ask_evaluator(at, state, issues)
        items = read_evaluation(answer["text"], issues)
    await at.run.records.record(
        FeedbackEvaluated,
        index=state["current_task_index"],
        iteration=state["task_review_iteration"],
        items=[
            {"issue": one.issue.description, "decision": one.decision, "reason": one.reason}
            for one in items
        ],
        input_tokens=answer.get("input_tokens", 0),
        output_tokens=answer.get("output_tokens", 0),
        cost_usd=answer.get("cost_usd", 0.0),
    )
    approved = [asdict(one.issue) for one in items if one.decision == "IMPLEMENT"]
    for one in items:
        if one.decision == "CLARIFY" and (clarified := _ask_person(at, one)) is not None:
            approved.append(clarified)
    for one in items:
        if one.decision == "DEFER":
            await _put_off(at, one)
    return {
        "evaluation_result": {"items": [_show(one) for one in items]},
        "approved_items": approved,
    }


def after_reviewer(state: ExecutionState) -> str:
    if state["ended"]:
        return "end"
    review = state["last_review"]
    if review is None or not review["approved"]:
        return "evaluator"
    return "commit" if state["review_pass"] >= state["max_review_passes"] else "reviewer"


def after_evaluator(state: ExecutionState) -> str:
    """Without anything to do the reviewer looks again, and is told why: nobody goes round it."""
    if state["ended"]:
        return "end"
    return "developer" if state["approved_items"] else "reviewer"


def _conclude(state: ExecutionState, review: Review, iteration: int) -> Step:
    kept = {
        "approved": review.approved,
        "issues": [asdict(one) for one in review.issues],
        "summary": review.summary,
        "by_rule": review.by_rule,
    }
    change: dict[str, Any] = {
        "last_review": kept,
        "review_iteration": state["review_iteration"] + 1,
        "task_review_iteration": iteration,
    }
    step = decide_next(Round(review.approved), None, iteration, state["max_review_iterations"])
    if step == "on":
        return {
            **change,
            "review_pass": state["review_pass"] + 1,
            "reviewed_tree": state["tree"],
            "evaluation_result": None,
        }
    if step == "revise":
        return {**change, "review_pass": 0}
    return {**change, "agentic_status": "failed", "ended": "review_limit"}


async def _read_change(at: At, state: ExecutionState) -> Change:
    async def make() -> Json:
        before, after, trees = state["base_tree"], state["tree"], at.run.trees
        diff = await trees.show_diff(before, after)
        changes = await trees.list_changes(before, after)
        is_whole = len(diff.encode()) <= LONGEST_DIFF
        paths = [one.path for one in changes][:MOST_PATHS]
        return {"diff": diff if is_whole else None, "paths": paths}

    answer = await at.effects.run("read", {"tree_id": state["tree"]}, make)
    return Change(answer["diff"], tuple(answer["paths"]))


def _find_by_rules(state: ExecutionState, change: Change) -> list[ReviewIssue]:
    if state["tree"] == state["base_tree"]:
        return [ReviewIssue("critical", "", 0, NOTHING)]
    if change.diff is None:
        return [ReviewIssue("critical", "", 0, TOO_LARGE)]
    return [
        ReviewIssue("critical", one.path, one.line, f"{ELISION} It says: {one.text}")
        for one in find_elisions(change.diff)
    ]


async def _run_check(at: At, tree: str) -> list[ReviewIssue]:
    """What the check of the profile finds; it runs behind walls, over the files of ``tree``."""
    check = at.run.check
    if check is None:
        return []

    async def make() -> Json:
        await at.run.trees.restore(tree)
        ended = await check.run()
        return {"exit_code": ended.exit_code, "output": ended.output[-LONGEST_OUTPUT:]}

    answer = await at.effects.run("read", {"check": at.run.profile["validator"]}, make)
    if answer["exit_code"] == 0:
        return []
    how = "did not end" if answer["exit_code"] is None else f"ended with {answer['exit_code']}"
    what = f"`{at.run.profile['validator']}` {how}:\n{answer['output']}"
    return [ReviewIssue("critical", "", 0, what)]


async def _ask(
    at: At, state: ExecutionState, change: Change, skills: tuple[str, ...]
) -> tuple[Review, Json]:
    """The review of a model. Where there is none, a person lets it be asked again.

    Raises GivenUp.
    """
    task = current_task(state)
    prompt = say(
        "reviewer",
        "task",
        goal=fence(state["goal"]),
        place=task.place,
        task=fence(task.text),
        skills="\n\n".join(map(read_skill, skills)),
        focus=say("reviewer", "again") if state["review_pass"] else "",
        earlier=_tell_earlier(state),
        diff=fence(change.diff or ""),
    )
    system = f"{say('reviewer', 'system')}\n\n{FENCE_RULE}"
    while True:
        answer = await ask_reviewer(at, prompt, system, REVIEW_SCHEMA)
        if "error" in answer:
            await at.tell_halt(answer["error"], answer["message"], answer)
            continue
        if at.run.coder_family and answer["family"] == at.run.coder_family:
            await at.tell_halt("family_conflict", SAME_FAMILY.format(**answer), answer)
            continue
        review = read_review(answer["text"])
        if not review.unreadable:
            return review, answer
        message = f"The review cannot be used: {review.unreadable}."
        await at.tell_halt("reviewer_unreadable", message, answer)


async def _ask_evaluator(at: At, state: ExecutionState, issues: list[ReviewIssue]) -> Json:
    change = await _read_change(at, state)
    lines = [
        f"{number}. {one.file}:{one.line} ({one.severity}) {one.description}"
        for number, one in enumerate(issues, start=1)
    ]
    prompt = say(
        "evaluator",
        "task",
        task=fence(current_task(state).text),
        issues=fence("\n".join(lines)),
        diff=fence(change.diff or ""),
    )
    system = f"{say('evaluator', 'system')}\n\n{FENCE_RULE}"
    return await ask_driver(at, "evaluator", prompt, system)


def _ask_person(at: At, item: Evaluated) -> dict[str, Any] | None:
    """The issue with what a person says to it; None: it is to be left. Who approves answers by the
    reason, or by the field ``answer``.

    Raises WaitsForConfirmation.
    """
    arguments = {
        "issue": item.issue.description,
        "file": item.issue.file,
        "question": item.reason,
        "answer": "",
    }
    key = at.effects.next_key(ANSWER_QUESTION, arguments)
    try:
        given = approve(key, ANSWER_QUESTION, arguments, at.run.decisions)
    except CallDeclined:
        return None
    decision = at.run.decisions[confirmation_of(key, ANSWER_QUESTION, arguments).confirmation_id]
    return {**asdict(item.issue), "answer": str(given.get("answer") or decision.reason)}


async def _put_off(at: At, item: Evaluated) -> None:
    """What is right but another task becomes one, where tasks are kept."""
    follow_up = at.run.follow_up
    if follow_up is None:
        return

    async def make(key: str) -> Json:
        await follow_up(item.issue.description, item.reason, key)
        return {}

    args = {"title": item.issue.description, "reason": item.reason}
    await at.effects.call("create_task", args, make)


def _tell_earlier(state: ExecutionState) -> str:
    evaluated = state["evaluation_result"]
    if not evaluated:
        return ""
    lines = [
        f"- {one['description']}: {one['decision']}. {one['reason']}" for one in evaluated["items"]
    ]
    return (
        "Your last review of this task, and what its author decided about each issue. Judge the"
        " change as it is now; an issue that still holds stays one.\n" + fence("\n".join(lines))
    )


def _show(one: Evaluated) -> dict[str, str]:
    return {
        "description": one.issue.description,
        "decision": one.decision,
        "reason": one.reason,
    }


def _who(answer: Json) -> dict[str, Any]:
    names = ("model", "family", "input_tokens", "output_tokens", "cost_usd")
    return {name: answer[name] for name in names if name in answer}
