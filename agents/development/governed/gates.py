"""Where a workflow waits for a person: gates, and halts that say what happened and what to do.

A person approves, rejects with feedback, or waives: an edit whose arguments have ``waived`` true,
with a reason. A waiver without a reason is asked for again, since somebody answers for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeVar

from agents.development.governed.node import AtNode, PortFailed, RunEnded
from agents.runs.confirmations import Decision
from schemas.events.workflow import GateWaived, WorkflowHalted

V = TypeVar("V")
DRAFT_GATE, VERDICT_GATE = "draft", "verdict"
GATES = (DRAFT_GATE, VERDICT_GATE)
HALT = "halt"
NEEDS_REASON = "A waiver needs a reason: give one, or decide otherwise."
CANNOT_WAIVE = "There is nothing to waive here: approve to go on, or reject to end the workflow."

HaltReason = Literal[
    "unavailable",
    "unreadable",
    "stagnated",
    "blocked_max_iterations",
    "blocked_checks",
    "drafter_failed",
    "port_failed",
    "tests_need_person",
    "not_red",
    "blocked_max_fixes",
    "too_large",
]
MAY_TRY: Mapping[str, tuple[str, ...]] = {
    "unavailable": (
        "Approve: the reviewer is asked again.",
        "See whether the reviewer's provider can be reached and has a key.",
        "Waive with a reason: the draft goes on without a verdict, and you answer for it.",
        "Reject: the workflow ends.",
    ),
    "unreadable": (
        "Approve: the reviewer is asked again.",
        "Use another model of the reviewer's family.",
        "Waive with a reason: the draft goes on without a verdict, and you answer for it.",
        "Reject: the workflow ends.",
    ),
    "stagnated": (
        "Approve with advice: it is given to the drafter, and the draft is revised once more.",
        "Settle what reviewer and drafter disagree about in the issue, and start again.",
        "Waive with a reason: the draft goes on against the verdict.",
        "Reject: the workflow ends.",
    ),
    "blocked_max_iterations": (
        "Approve with advice: the draft is revised again, with the same limit.",
        "Make the issue smaller, and start again.",
        "Waive with a reason: the draft goes on against the verdict.",
        "Reject: the workflow ends.",
    ),
    "blocked_checks": (
        "Approve with advice: the draft is written again.",
        "Use another model to draft.",
        "Reject: the workflow ends.",
    ),
    "drafter_failed": (
        "Approve: the model is asked again.",
        "See whether the drafter's provider can be reached, and what the budget has left.",
        "Reject: the workflow ends.",
    ),
    "port_failed": (
        "Approve: it is tried again.",
        "Mend what the message names first.",
        "Reject: the workflow ends.",
    ),
    "tests_need_person": (
        "Approve: the tests are run again.",
        "See what the test runner says, and mend the repository or the runner's settings.",
        "Reject: the workflow ends.",
    ),
    "not_red": (
        "Approve with advice: the tests are written again.",
        "See whether the code has already what the specification asks for.",
        "Reject: the workflow ends.",
    ),
    "blocked_max_fixes": (
        "Approve with advice: the code is fixed again, with the same limit.",
        "See whether a test asks for what the specification does not.",
        "Reject: the workflow ends.",
    ),
    "too_large": (
        "Make the issue smaller, and start again.",
        "Reject: the workflow ends.",
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person has decided. ``text`` is their feedback, advice or reason."""

    kind: Literal["approve", "reject", "waive"]
    text: str
    actor: str
    confirmation_id: str


async def open_gate(
    at: AtNode,
    gate: str,
    about: Mapping[str, object],
    summary: str,
    *,
    overridden: str = "",
    artifact_hash: str = "",
) -> Choice:
    """What a person decides at a gate. ``overridden`` is the outcome that a waiver overrides;
    empty: there is none to waive. A waiver is recorded. Raises WaitsForConfirmation.
    """
    note = ""
    while True:
        asked = dict(about) | ({"note": note} if note else {})
        confirmation_id, decision = await at.ask_person(gate, asked, f"{summary} {note}".strip())
        choice = _read_choice(confirmation_id, decision)
        if choice.kind != "waive":
            return choice
        if not overridden:
            note = CANNOT_WAIVE
        elif not choice.text.strip():
            note = NEEDS_REASON
        else:
            await at.record(
                GateWaived,
                confirmation_id=confirmation_id,
                gate=gate,
                actor=choice.actor,
                reason=choice.text,
                verdict_overridden=overridden,
                artifact_hash=artifact_hash,
            )
            return choice


async def halt(
    at: AtNode,
    reason: HaltReason,
    message: str,
    *,
    artifact_hash: str = "",
    overridden: str = "",
) -> Choice:
    """The workflow has halted, and a person has approved to go on, or waived.

    Raises WaitsForConfirmation, and RunEnded where they reject.
    """
    await _tell_halt(at, reason, message, artifact_hash, MAY_TRY[reason], at.run.resume_command)
    about = {"reason": reason, "node": at.node, "artifact_hash": artifact_hash}
    summary = f"Halted at {at.node} ({reason}): {message}"
    choice = await open_gate(
        at, HALT, about, summary, overridden=overridden, artifact_hash=artifact_hash
    )
    if choice.kind == "reject":
        raise RunEnded("rejected", reason, choice.text or "A person has ended the workflow.")
    return choice


async def stop(at: AtNode, error: str, message: str, may_try: tuple[str, ...]) -> NoReturn:
    """The run ends here: what it needs is not there, and waiting would not bring it."""
    await _tell_halt(at, error, message, "", may_try, "")
    raise RunEnded("halted", error, message)


async def persist(at: AtNode, attempt: Callable[[], Awaitable[V]]) -> V:
    """What a port answers in the end: where it fails, a person mends the cause and approves."""
    while True:
        try:
            return await attempt()
        except PortFailed as error:
            await halt(at, "port_failed", str(error))


async def _tell_halt(
    at: AtNode,
    reason: str,
    message: str,
    artifact_hash: str,
    may_try: tuple[str, ...],
    command: str,
) -> None:
    """Record what happened, what it cost, what may be tried and how the run is taken up again."""
    await at.record(
        WorkflowHalted,
        reason=reason,
        message=message,
        node=at.node,
        artifact_hash=artifact_hash,
        input_tokens=at.cost["input_tokens"],
        output_tokens=at.cost["output_tokens"],
        cost_usd=at.cost["cost_usd"],
        may_try=list(may_try),
        command=command,
    )


def _read_choice(confirmation_id: str, decision: Decision) -> Choice:
    arguments = decision.arguments or {}
    text = decision.reason or str(arguments.get("reason") or "")
    kind: Literal["approve", "reject", "waive"] = "approve"
    if decision.kind == "reject":
        kind = "reject"
    elif decision.kind == "edit" and arguments.get("waived") is True:
        kind = "waive"
    return Choice(kind, text, decision.decided_by or "", confirmation_id)
