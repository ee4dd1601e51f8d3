"""The nodes before any file changes: a plan, its check by rules, and a person who lets it go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.development.checks.plans import PlanValidationResult, validate_plan
from agents.development.delivery.asking import At, ask_driver, say
from agents.development.delivery.state import ExecutionState
from agents.fence import FENCE_RULE, fence
from agents.runs.confirmations import CallDeclined, approve
from agents.runs.effects import Json
from schemas.events.delivery import PlanProduced, PlanValidated
from schemas.events.workflow_stages import CodebaseRead
from schemas.ids import sha256_hex

APPROVE_PLAN = "approve_plan"
MOST_PLANS = 5  # that are made of one issue
Step = Mapping[str, Any]


async def architect(at: At, state: ExecutionState) -> Step:
    """A plan for the issue; one from outside is taken as it is. The files are prepared first."""
    begun = {} if state["tree"] else await _prepare(at)
    if state["external_plan"]:
        await _record_plan(at, state["plan_markdown"], {}, is_external=True, iteration=1)
        return begun
    issue = state["issue"]
    words = f"{issue['title']}\n\n{issue['description']}"
    context = await _read_context(at, f"{words}\n\n{at.run.design}")
    prompt = say(
        "architect",
        "task",
        issue=fence(words),
        design=f"Its design:\n{fence(at.run.design)}" if at.run.design else "",
        feedback=_tell_feedback(state),
        context=fence(context),
    )
    system = f"{say('architect', 'system')}\n\n{FENCE_RULE}"
    answer = await ask_driver(at, "architect", prompt, system)
    plan = _unfence(answer["text"])
    tries = state["tries"] + 1
    await _record_plan(at, plan, answer, is_external=False, iteration=tries)
    return {**begun, "plan_markdown": plan, "tries": tries}


async def plan_validator(at: At, state: ExecutionState) -> Step:
    """What rules read in the plan; no model takes part."""
    plan = state["plan_markdown"]
    read = validate_plan(plan)
    problems = [f"Line {one.line}: {one.message}" for one in read.problems]
    await at.run.records.record(
        PlanValidated,
        artifact_hash=sha256_hex(plan),
        valid=read.valid,
        goal=read.goal,
        key_files=list(read.key_files),
        total_tasks=read.total_tasks,
        problems=problems,
        titles=[task.title for task in read.tasks],
    )
    if read.valid:
        return _take_plan(read)
    gives_up = state["external_plan"] or state["tries"] >= MOST_PLANS
    ended = "plan_invalid" if gives_up else ""
    return {"problems": problems, "human_feedback": "", "ended": ended}


async def human_approval(at: At, state: ExecutionState) -> Step:
    """Nothing is changed before a person has approved the plan, as it is or as they edit it."""
    plan = state["plan_markdown"]
    arguments = {"artifact_hash": sha256_hex(plan), "plan_markdown": plan}
    key = at.effects.next_key(APPROVE_PLAN, arguments)
    try:
        approved = approve(key, APPROVE_PLAN, arguments, at.run.decisions)
    except CallDeclined as declined:
        gives_up = state["external_plan"] or state["tries"] >= MOST_PLANS or declined.is_expired
        return {
            "human_feedback": declined.reason,
            "problems": [],
            "agentic_status": "cancelled" if gives_up else "running",
            "ended": "plan_rejected" if gives_up else "",
        }
    edited = str(approved.get("plan_markdown") or plan)
    if edited != plan:
        return {"plan_markdown": edited, "human_approved": False, "external_plan": True}
    return {"human_approved": True, "agentic_status": "running"}


async def _prepare(at: At) -> Step:
    async def make() -> Json:
        return (await at.run.trees.prepare()).model_dump()

    tree = (await at.effects.run("read", {"files": "begin"}, make))["tree_id"]
    return {"tree": tree, "base_tree": tree}


async def _read_context(at: At, text: str) -> str:
    """The part of the code base that the text is about, recorded."""

    async def make() -> Json:
        return (await at.run.codebase.read_context(text)).model_dump(mode="json")

    read = await at.effects.run("read", {"text": sha256_hex(text)}, make)
    await at.run.records.record(
        CodebaseRead,
        sha256=read["sha256"],
        files=list(read["files"]),
        size_bytes=len(read["text"].encode()),
        text=read["text"],
    )
    return str(read["text"])


def after_validator(state: ExecutionState) -> str:
    if state["ended"]:
        return "end"
    return "architect" if state["problems"] else "human_approval"


def after_approval(state: ExecutionState) -> str:
    if state["ended"]:
        return "end"
    if state["human_approved"]:
        return "developer"
    return "plan_validator" if state["external_plan"] else "architect"


def _take_plan(read: PlanValidationResult) -> Step:
    return {
        "goal": read.goal,
        "key_files": list(read.key_files),
        "total_tasks": read.total_tasks,
        "tasks": [{"title": task.title, "text": task.text} for task in read.tasks],
        "problems": [],
    }


def _tell_feedback(state: ExecutionState) -> str:
    if not state["problems"] and not state["human_feedback"]:
        return ""
    lines = [f"- {problem}" for problem in state["problems"]]
    if state["human_feedback"]:
        lines.append(f"- A person says: {state['human_feedback']}")
    before = fence(state["plan_markdown"])
    return "Your last plan was not taken:\n" + "\n".join(lines) + f"\nIt was:\n{before}"


def _unfence(text: str) -> str:
    """The document of an answer that stands in one fence as a whole."""
    lines = text.strip().splitlines()
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1]).strip() + "\n"
    return text.strip() + "\n"


async def _record_plan(
    at: At, plan: str, answer: Mapping[str, Any], *, is_external: bool, iteration: int
) -> None:
    read = validate_plan(plan)
    await at.run.records.record(
        PlanProduced,
        artifact_hash=sha256_hex(plan),
        goal=read.goal,
        plan_markdown=plan,
        key_files=list(read.key_files),
        is_external=is_external,
        iteration=iteration,
        model=str(at.run.profile.get("model", "")) if answer else "",
        input_tokens=answer.get("input_tokens", 0),
        output_tokens=answer.get("output_tokens", 0),
        cost_usd=answer.get("cost_usd", 0.0),
    )
