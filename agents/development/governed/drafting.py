"""How a draft is written and checked by rules, before anybody is asked to review it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agents.development.checks import (
    DraftRules,
    Problem,
    check_completeness,
    describe_rules,
    repair_draft,
    validate_draft,
    validate_test_plan,
)
from agents.development.governed.gates import DRAFT_GATE, halt, open_gate, persist
from agents.development.governed.node import AtNode, Step, hash_text
from agents.development.governed.prompts import get_prompt, join_parts, list_items, show
from agents.development.governed.state import ReviewedState
from agents.development.governed.verdicts import describe_findings
from agents.development.workflow_ports import Value
from agents.fence import is_unseen
from agents.models.call import Message
from agents.models.errors import ModelError
from schemas.events.workflow_stages import (
    DraftProduced,
    DraftRepaired,
    MechanicallyValidated,
    WorkflowTestPlanValidated,
)

MOST_REDRAFTS = 3  # drafts in a row that rules may send back; a person decides then
MOST_FEEDBACK = 60


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage drafts, and the nodes to which its shared nodes go."""

    artifact_type: str
    prompt: str
    rules: DraftRules
    input_title: str
    is_specification: bool = False


class Problems(Value):
    texts: tuple[str, ...]


def draft_with(stage: Stage) -> Callable[[AtNode, ReviewedState], Awaitable[Step]]:
    async def draft(at: AtNode, state: ReviewedState) -> Step:
        """A draft by a model: the first one, or one that mends what was said of the last one."""
        number, advice = state.get("drafts", 0) + 1, [*state.get("feedback", ())]
        while True:
            messages = _ask_for_draft(stage, at, state, advice)
            prompt = get_prompt(stage.prompt)
            try:
                answer = await at.ask_model("draft", messages, prompt_version=prompt.version)
                break
            except ModelError as error:
                choice = await halt(at, "drafter_failed", str(error))
                advice += [choice.text] if choice.text else []
        text = normalize_draft(answer.text)
        await at.record(
            DraftProduced,
            artifact_hash=hash_text(text),
            text=text,
            iteration=number,
            model=answer.model,
            family=answer.family,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            cost_usd=answer.cost_usd,
            fallback_used=answer.fallback_used,
            pitfalls=state.get("pitfalls", []),
        )
        by = {"draft_model": answer.model, "draft_family": answer.family}
        return Step({"draft": text, "drafts": number, **by})

    return draft


def normalize_draft(text: str) -> str:
    """The draft as it is reviewed and kept: nothing in it that a reader would not see."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()
    seen = "".join(mark for mark in lines if mark in "\n\t" or not is_unseen(mark))
    return f"{seen.strip(chr(10))}\n"


def repair_with(stage: Stage) -> Callable[[AtNode, ReviewedState], Awaitable[Step]]:
    async def repair(at: AtNode, state: ReviewedState) -> Step:
        """What rules can mend in the form of the draft is mended."""
        return Step({"draft": await mend(stage, at, state)})

    return repair


async def mend(stage: Stage, at: AtNode, state: ReviewedState) -> str:
    """The draft with its form mended; each repair is recorded."""
    repaired = repair_draft(state["draft"], stage.rules)
    text = normalize_draft(repaired.text)
    if text != state["draft"]:
        await at.record(
            DraftRepaired,
            artifact_hash=hash_text(text),
            text=text,
            repairs=list(repaired.repairs),
            iteration=state["drafts"],
        )
    return text


async def validate(stage: Stage, at: AtNode, state: ReviewedState, draft: str) -> list[str]:
    """What rules find wrong with the draft, a line each; empty: nothing."""
    codebase = at.run.ports.codebase

    async def make() -> Problems:
        paths = frozenset(await codebase.list_files()) if codebase is not None else frozenset()
        problems = [*validate_draft(draft, stage.rules, paths)]
        if stage.is_specification:
            problems += check_completeness(draft, paths)
        return Problems(texts=tuple(dict.fromkeys(map(describe_problem, problems))))

    given = {"checks_of": hash_text(draft)}
    texts = (await persist(at, lambda: at.read(Problems, given, make))).texts
    await at.record(
        MechanicallyValidated,
        artifact_hash=hash_text(draft),
        problems=list(texts),
        iteration=state["drafts"],
    )
    return list(texts)


async def validate_plan_of_tests(at: AtNode, state: ReviewedState, draft: str) -> list[str]:
    """What is wrong with the scenarios of the draft; each requirement has one."""
    plan = validate_test_plan(draft)
    problems = [describe_problem(problem) for problem in plan.problems]
    await at.record(
        WorkflowTestPlanValidated,
        artifact_hash=hash_text(draft),
        covered=list(plan.covered),
        uncovered=list(plan.uncovered),
        problems=problems,
        iteration=state["drafts"],
    )
    return problems


async def send_back(
    at: AtNode, state: ReviewedState, problems: Sequence[str], draft: str, draft_node: str
) -> Step:
    """The draft goes back to be written again, or halts where rules have sent back too many."""
    redrafts, feedback = state.get("redrafts", 0) + 1, [*problems][:MOST_FEEDBACK]
    if redrafts > MOST_REDRAFTS:
        message = f"Rules have refused {redrafts} drafts in a row. {' '.join(feedback[:5])}"
        choice = await halt(at, "blocked_checks", message, artifact_hash=hash_text(draft))
        redrafts = 1
        feedback += [choice.text] if choice.text else []
    change = {"draft": draft, "feedback": feedback, "redrafts": redrafts}
    return Step(change, draft_node, f"{len(problems)} problems were found by rules.")


async def ask_about_draft(
    at: AtNode, state: ReviewedState, draft_node: str, next_node: str
) -> Step:
    """A person looks at the draft before it is reviewed, where the run has this gate."""
    if DRAFT_GATE not in at.run.settings.gates:
        return Step({}, next_node, "This gate is not asked for.")
    artifact_hash = hash_text(state["draft"])
    about = {"artifact_hash": artifact_hash, "draft": state["drafts"]}
    summary = (
        f"Draft {state['drafts']} of «{at.run.issue.title}» is ready. Approve: it is reviewed."
        " Reject with feedback: it is written again."
    )
    choice = await open_gate(at, DRAFT_GATE, about, summary, artifact_hash=artifact_hash)
    if choice.kind == "approve":
        return Step({}, next_node, f"{choice.actor} has approved the draft for review.")
    feedback = [choice.text or "A person has rejected the draft without saying why."]
    return Step({"feedback": feedback}, draft_node, f"{choice.actor} has rejected the draft.")


def describe_problem(problem: Problem) -> str:
    return f"Line {problem.line}: {problem.message}" if problem.line else problem.message


def _ask_for_draft(
    stage: Stage, at: AtNode, state: ReviewedState, advice: list[str]
) -> tuple[Message, ...]:
    run, is_again = at.run, bool(state.get("draft"))
    pitfalls = list_items(state.get("pitfalls", []))
    findings = list_items(describe_findings(state.get("open_findings", [])))
    return (
        get_prompt(stage.prompt).with_rules(
            describe_rules(stage.rules), get_prompt("draft_answer").text.strip()
        ),
        join_parts(
            show("The issue", f"{run.issue.title}\n\n{run.issue.text}"),
            show(stage.input_title, run.input.text),
            show("The code that it is about", state.get("context", "")),
            show("Known pitfalls: what reviewers had against similar work before", pitfalls),
            show("Your last draft", state["draft"]) if is_again else "",
            show("What the reviewer has against it", findings),
            show("What else has to be mended", list_items(advice)),
            "Write the whole document again, with all of that mended."
            if is_again
            else "Write the document.",
        ),
    )
