"""What members propose, how it is answered, and what people decided."""

from __future__ import annotations

from enum import StrEnum

import typer

from infra.cli.calls import Cairn, unchecked
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.deciding import Deciding, by_person
from infra.cli.output import as_lines, cell, table
from infra.client.models.decisions import DecisionRequest, ProposalAnswer

PROPOSAL = typer.Argument(help="Id of the proposal, see `cairn proposals`.")


class State(StrEnum):
    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    ALL = "all"


def register(app: typer.Typer) -> None:
    app.command()(proposals)
    app.command()(accept)
    app.command()(decline)
    app.command()(withdraw)
    app.command()(decisions)


def proposals(
    project: str = PROJECT_OPTION,
    state: State = typer.Option(State.WAITING, "--state", help="Which ones."),
    as_json: bool = JSON_OPTION,
) -> None:
    """List what members propose, and what became of it."""
    cairn = connect()
    found = cairn.list_proposals(cairn.project_of(project), state=unchecked(state.value))
    if as_json:
        as_lines(one.model_dump(mode="json") for one in found)
        return
    table(
        ("state", "proposal", "answer", "id"),
        (
            (
                "changed since" if one.changed else one.state,
                cell(one.summary),
                cell(f"{one.answered_by}: {one.answer_rationale}" if one.answered_by else ""),
                one.proposal_id,
            )
            for one in found
        ),
        "Nobody proposes anything." if state is State.WAITING else "There are none.",
    )


@by_person
def accept(proposal: str = PROPOSAL) -> Deciding:
    """Decide as a member proposes."""
    return Deciding(proposal, Cairn.decide_proposal, ProposalAnswer(decision="accept"))


@by_person
def decline(proposal: str = PROPOSAL) -> Deciding:
    """Decline what a member proposes (needs --rationale)."""
    return Deciding(proposal, Cairn.decide_proposal, ProposalAnswer(decision="decline"))


@by_person
def withdraw(proposal: str = PROPOSAL) -> Deciding:
    """Take back what you have proposed yourself, as long as it waits."""
    return Deciding(proposal, Cairn.withdraw_proposal, DecisionRequest())


def decisions(
    project: str = PROJECT_OPTION,
    target: str | None = typer.Option(
        None, "--about", metavar="ID", help="Only those about this atom, pair or contradiction."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """List what people decided, and what can be taken back."""
    cairn = connect()
    found = cairn.list_decisions(cairn.project_of(project), target=target)
    if as_json:
        as_lines(one.model_dump(mode="json") for one in found)
        return
    table(
        ("decision", "undo", "id"),
        (
            (cell(one.summary), cell(one.undo_refusal or "possible"), one.hitl_event_id)
            for one in found
        ),
        "Nobody has decided anything.",
    )
