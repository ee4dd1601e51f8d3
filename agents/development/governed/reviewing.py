"""The review of an artifact by a model of another family, and what becomes of its outcome.

There is one way from a review to the end of a stage: an approval of these very bytes. It is that of
the verdict, or of a person who waives what the reviewer says and answers for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from agents.development.governed.gates import VERDICT_GATE, Choice, HaltReason, halt, open_gate
from agents.development.governed.node import AtNode, Step, hash_text
from agents.development.governed.prompts import get_prompt, join_parts, list_items, show
from agents.development.governed.state import ApprovalState, ReviewedState, VerdictState
from agents.development.governed.verdicts import (
    SHOWN_HASH,
    SKIPPED,
    UNAVAILABLE,
    UNREADABLE,
    VERDICTS,
    describe_findings,
    list_open,
    no_verdict,
    read_verdict,
    round_of,
)
from agents.models.call import Message, ModelAnswer
from agents.models.errors import AnswerMalformed, ModelError
from agents.runs.review_loop import decide_next
from schemas.events.workflow_stages import DraftFinding, VerdictGiven

LARGEST_DRAFT = 200_000  # characters; a reviewer must see all of what it judges
TOO_LARGE = "The draft has {size:,} characters; at most {limit:,} can be reviewed as a whole."
SAME_FAMILY = "{model} has answered, which is of the family {family}, as the drafter is."
NOT_ASKED = "This workflow was started without a review, which is optional for issues."


@dataclass(frozen=True, slots=True)
class Exits:
    """Where a stage goes from its verdict: on, back to be revised, or to the review again."""

    on: str
    revise: str
    review: str


async def review(at: AtNode, state: ReviewedState) -> Step:
    """A verdict about the draft, or the outcome that stands for none; recorded either way."""
    draft, verdicts = state["draft"], state.get("verdicts", [])
    artifact_hash = hash_text(draft)
    if not is_reviewed(at):
        verdict = no_verdict(SKIPPED, artifact_hash, NOT_ASKED)
        await _tell_verdict(at, state, verdict, None)
        return Step({"last_verdict": verdict})
    if verdicts and verdicts[-1]["artifact_hash"] == artifact_hash:
        same = "The draft is the one that was reviewed last, to the letter."
        return Step({"last_verdict": verdicts[-1], "verdicts": [*verdicts, verdicts[-1]]}, "", same)
    while len(draft) > LARGEST_DRAFT:
        message = TOO_LARGE.format(size=len(draft), limit=LARGEST_DRAFT)
        await halt(at, "too_large", message, artifact_hash=artifact_hash)
    answer, verdict = await _ask_reviewer(at, state, draft, artifact_hash)
    await _tell_verdict(at, state, verdict, answer)
    change: ReviewedState = {"last_verdict": verdict}
    if verdict["verdict"] in VERDICTS:
        change |= {
            "verdicts": [*verdicts, verdict],
            "open_findings": list_open(verdict),
            "redrafts": 0,
        }
    return Step(dict(change), "", f"{verdict['verdict']}: {verdict['summary'][:300]}")


def settle_with(exits: Exits) -> Callable[[AtNode, ReviewedState], Awaitable[Step]]:
    async def settle(at: AtNode, state: ReviewedState) -> Step:
        return await settle_verdict(at, state, exits)

    return settle


async def settle_verdict(at: AtNode, state: ReviewedState, exits: Exits) -> Step:
    """Where the stage goes from the outcome of its review. Without a verdict, and where the loop
    does not get on, a person decides.
    """
    verdict, verdicts = state["last_verdict"], state.get("verdicts", [])
    most = at.run.settings.max_iterations + state.get("granted", 0)
    previous = round_of(verdicts[-2]) if len(verdicts) > 1 else None
    step = decide_next(round_of(verdict), previous, len(verdicts), most)
    if step in ("on", "revise"):
        return await _follow(at, state, verdict, exits, "on" if step == "on" else "revise")
    reason = _name_halt(verdict["verdict"], step)
    choice = await halt(
        at,
        reason,
        _tell_halt(verdict, step, len(verdicts)),
        artifact_hash=verdict["artifact_hash"],
        overridden=verdict["verdict"],
    )
    if choice.kind == "waive":
        return _go_on(verdict, choice, exits)
    if step == "halted":
        return Step({}, exits.review, "A person wants the reviewer to be asked again.")
    change: ReviewedState = {"feedback": [choice.text] if choice.text else []}
    if step == "blocked_max_iterations":
        change["granted"] = state.get("granted", 0) + at.run.settings.max_iterations
    return Step(dict(change), exits.revise, "A person wants the draft to be revised again.")


def is_reviewed(at: AtNode) -> bool:
    return at.run.settings.is_reviewed or at.run.workflow_type != "issue"


async def _follow(
    at: AtNode,
    state: ReviewedState,
    verdict: VerdictState,
    exits: Exits,
    step: Literal["on", "revise"],
) -> Step:
    """What the verdict says, unless a person at the gate says otherwise."""
    if VERDICT_GATE not in at.run.settings.gates:
        if step == "on":
            return _go_on(verdict, None, exits)
        return Step({"feedback": []}, exits.revise, f"The verdict is {verdict['verdict']}.")
    choice = await open_gate(
        at,
        VERDICT_GATE,
        {
            "artifact_hash": verdict["artifact_hash"],
            "verdict": verdict["verdict"],
            "verdicts": len(state.get("verdicts", [])),
            "summary": verdict["summary"],
            "findings": describe_findings(verdict["findings"]),
        },
        _tell_gate(verdict, step),
        overridden="" if step == "on" else verdict["verdict"],
        artifact_hash=verdict["artifact_hash"],
    )
    if choice.kind == "waive" or (choice.kind == "approve" and step == "on"):
        return _go_on(verdict, choice, exits)
    feedback = [choice.text] if choice.text else []
    return Step({"feedback": feedback}, exits.revise, f"{choice.actor} wants a revision.")


def _tell_gate(verdict: VerdictState, step: str) -> str:
    begin = f"The verdict is {verdict['verdict']}. {verdict['summary']}".strip()
    if step == "on":
        return f"{begin} Approve: the draft goes on. Reject with feedback: it is revised."
    return (
        f"{begin} Approve: the draft is revised by the findings. Reject with feedback: it is"
        " revised by them and by your feedback. Waive with a reason: it goes on against it."
    )


def _go_on(verdict: VerdictState, choice: Choice | None, exits: Exits) -> Step:
    """The draft is approved, and only these bytes of it."""
    approval, by = ("optional" if verdict["verdict"] == SKIPPED else "verdict"), ""
    if choice is not None and choice.kind == "waive":
        approval, by = "waiver", choice.actor
    elif choice is not None:
        by = choice.actor
    approved: ApprovalState = {
        "approval": approval,
        "approved_by": by,
        "artifact_hash": verdict["artifact_hash"],
    }
    return Step({"approved": approved}, exits.on, f"Approved by {approval}.")


def _name_halt(outcome: str, step: str) -> HaltReason:
    if step == "stagnated":
        return "stagnated"
    if step == "blocked_max_iterations":
        return "blocked_max_iterations"
    return "unavailable" if outcome == UNAVAILABLE else "unreadable"


def _tell_halt(verdict: VerdictState, step: str, count: int) -> str:
    if step == "halted":
        return f"There is no verdict. {verdict['summary']}"
    findings = " ".join(describe_findings(verdict["findings"])[:5])
    if step == "stagnated":
        return f"Two verdicts in a row have the same findings. {findings}"
    return f"{count} verdicts have not approved the draft. {findings}"


async def _ask_reviewer(
    at: AtNode, state: ReviewedState, draft: str, artifact_hash: str
) -> tuple[ModelAnswer | None, VerdictState]:
    messages = _ask_for_review(at, state, draft, artifact_hash)
    prompt = get_prompt("review")
    try:
        answer = await at.ask_model(
            "review", messages, prompt_version=prompt.version, may_repair=False
        )
    except ModelError as error:
        outcome = UNREADABLE if isinstance(error, AnswerMalformed) else UNAVAILABLE
        return None, no_verdict(outcome, artifact_hash, str(error))
    if answer.family == state.get("draft_family", at.run.drafter_family):
        message = SAME_FAMILY.format(model=answer.model, family=answer.family)
        return answer, no_verdict(UNAVAILABLE, artifact_hash, message)
    carried = state.get("open_findings", [])
    return answer, read_verdict(answer.text, draft, artifact_hash, carried)


def _ask_for_review(
    at: AtNode, state: ReviewedState, draft: str, artifact_hash: str
) -> tuple[Message, ...]:
    run = at.run
    carried = list_items(describe_findings(state.get("open_findings", [])))
    return (
        get_prompt("review").with_rules(),
        join_parts(
            show("The issue", f"{run.issue.title}\n\n{run.issue.text}"),
            show("What the draft is made from", run.input.text),
            show("The code that it is about", state.get("context", "")),
            show("Open findings of earlier rounds", carried),
            show("The draft", draft),
            f"The mark of the draft: {artifact_hash[:SHOWN_HASH]}",
        ),
    )


async def _tell_verdict(
    at: AtNode, state: ReviewedState, verdict: VerdictState, answer: ModelAnswer | None
) -> None:
    run, usage = at.run, answer.usage if answer else None
    await at.record(
        VerdictGiven,
        verdict=verdict["verdict"],
        artifact_hash=verdict["artifact_hash"],
        summary=verdict["summary"],
        findings=[
            DraftFinding(
                severity=finding["severity"],
                section=finding["section"],
                text=finding["text"],
                suggestion=finding["suggestion"],
                quote=finding["quote"] if finding["is_valid"] else "",
            )
            for finding in verdict["findings"]
        ],
        reviewer_model=answer.model if answer else "",
        reviewer_family=answer.family if answer else run.reviewer_family,
        draft_model=state.get("draft_model", ""),
        draft_family=state.get("draft_family", run.drafter_family),
        iteration=len(state.get("verdicts", [])) + 1,
        prompt_version=get_prompt("review").version,
        input_tokens=usage.input_tokens if usage else 0,
        output_tokens=usage.output_tokens if usage else 0,
        cost_usd=answer.cost_usd if answer else 0.0,
    )
