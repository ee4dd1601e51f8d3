"""What the commands that decide share: the options of a person, and how an answer is shown."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import typer

from infra.cli.calls import Cairn, look_until_there, told
from infra.cli.context import JSON_OPTION, KEY_OPTION, connect, resumable
from infra.cli.output import answer as standard_output
from infra.cli.output import as_lines
from infra.client.models.decisions import (
    ContradictionDecision,
    DecisionRequest,
    MergeDecision,
    ProposalAnswer,
    Verification,
)
from infra.client.models.shared import DecisionAnswer, RecordedDecision
from infra.client.models.sources import RoleDecision
from infra.platform.errors import Conflict, Refusal, Unavailable
from schemas.document_roles.public import ROLE_NAMES
from schemas.events.hitl import Role

ANSWERED_WITHIN_S = 30.0  # by the ledger, once the service waits no longer


@dataclass(frozen=True, slots=True)
class Deciding:
    """A decision about ``target``: the call of the service that takes it, with its own words."""

    target: str
    call: Callable[..., DecisionAnswer | RecordedDecision]
    body: (
        DecisionRequest
        | ContradictionDecision
        | MergeDecision
        | ProposalAnswer
        | RoleDecision
        | Verification
    )


# The options of every decision, by name.
OPTIONS: dict[str, tuple[Any, Any]] = {
    "rationale": (
        str,
        typer.Option("", "--rationale", "-r", help="Reason for the decision."),
    ),
    "name": (
        str | None,
        typer.Option(
            None, "--as", metavar="NAME", help="Decide on behalf of this person (owner's token)."
        ),
    ),
    "role": (
        Role | None,
        typer.Option(
            None,
            "--role",
            help="On behalf of one with this role; owner and pm decide, member only proposes.",
        ),
    ),
    "expected_revision": (
        int | None,
        typer.Option(
            None, "--expected-revision", help="Revision it is based on (default: the current one)."
        ),
    ),
    "key": (str | None, KEY_OPTION),
    "as_json": (bool, JSON_OPTION),
}

EFFECTS = {
    "merge_review:approve": "The two atoms are merged.",
    "merge_review:reject": "Both atoms stay; the pair will not be proposed again.",
    "merge_review:reopen": "The pair is in review again.",
    "contradiction_resolution:reopen": "The decision is taken back; the contradiction is open.",
    "contradiction_resolution:a_wins": "The first side is kept, the other one is superseded.",
    "contradiction_resolution:b_wins": "The second side is kept, the other one is superseded.",
    "contradiction_resolution:both_valid": "Both sides are right; the contradiction is resolved.",
    "contradiction_resolution:reworded": "Only the wording conflicted; it is resolved.",
    "contradiction_resolution:dismiss": "The contradiction was a false one and is closed.",
    "contradiction_resolution:escalate": "It is escalated and blocks artifacts until decided.",
    "atom_verification": "It is verified; no run removes it or lowers it below its floor.",
    "unverify": "It is no longer verified.",
    "atom_dismissal": "It is dismissed; no run brings it back.",
    "atom_reinclusion": "It is restored.",
    "unmerge": "The merge is undone.",
    "document_role:as_told": "The document has the role that its names tell.",
}


def by_person(command: Callable[..., Deciding]) -> Callable[..., None]:
    """A command with the options of a person: it decides what ``command`` returns, and shows it."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
        for name, (kind, option) in OPTIONS.items()
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        shared = {name: given.pop(name) for name in OPTIONS}
        _decide(command(**given), **shared)

    parameters = [*own, *shared]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(run)["__signature__"] = inspect.Signature(parameters)
    return run


def _decide(
    deciding: Deciding,
    *,
    rationale: str,
    name: str | None,
    role: Role | None,
    expected_revision: int | None,
    key: str | None,
    as_json: bool,
) -> None:
    """Decide and show the answer. Raises Refusal, with ``as_json`` after a refused decision."""
    cairn = connect(speaks_for=name, role=role)
    why = told(rationale=rationale, expected_revision=expected_revision)
    body = deciding.body.model_copy(update=why)
    with resumable(key) as drawn:
        try:
            known = cairn.project_with(deciding.target)
            found = deciding.call(cairn, known, deciding.target, body, wait=True, key=drawn)
            decision = _await_answer(cairn, known, found)
        except Refusal as error:
            refused = error.detail.get("decision")
            if as_json and isinstance(refused, dict):
                as_lines([refused])
            raise
    if as_json:
        as_lines([decision.model_dump()])
    else:
        _show(decision)


def _await_answer(
    cairn: Cairn, project_id: str, found: DecisionAnswer | RecordedDecision
) -> DecisionAnswer:
    """The ledger's answer to what is recorded. Raises its refusal, and Unavailable without one."""
    if isinstance(found, DecisionAnswer):
        return found

    def look() -> DecisionAnswer | None:
        return cairn.read_decision(project_id, found.hitl_event_id).answer

    answer = look_until_there(look, ANSWERED_WITHIN_S)
    if answer is None:
        raise Unavailable(
            "The decision is recorded, but the ledger has not answered within"
            f" {ANSWERED_WITHIN_S:.0f} s.",
            code="decision_unanswered",
            detail=found.model_dump(),
        )
    if answer.outcome == "refused":
        raise Conflict(
            f"{answer.target_id} was not decided: {answer.refusal}.",
            code=answer.refusal,
            detail={"decision": answer.model_dump()},
        )
    return answer


def _show(decision: DecisionAnswer) -> None:
    out = standard_output()
    out.print(effect_of(decision), markup=False)
    for atom in decision.after_state["atoms"] if decision.after_state else []:
        line = f"  {atom['status']} {atom['confidence']:.2f}  {atom['title']}"
        out.print(line, markup=False)


def effect_of(decision: DecisionAnswer) -> str:
    """What a decision means, in a sentence."""
    if decision.outcome == "proposed":
        return f"Proposed as {decision.hitl_event_id}; an owner or a product manager decides."
    if decision.outcome == "declined":
        return "The proposal is declined; nothing is changed."
    if decision.outcome == "withdrawn":
        return "The proposal is withdrawn; nothing is changed."
    action, chosen = decision.action, decision.decision
    if role := ROLE_NAMES.get(chosen or ""):
        return f"The document counts as {role}; nothing is read again."
    return EFFECTS[f"{action}:{chosen}" if chosen else action]
