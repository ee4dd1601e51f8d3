"""What members propose, how it is answered, and what people decided."""

from __future__ import annotations

import asyncio
from enum import StrEnum

import typer

from infra.cli import service
from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.deciding import Deciding, by_person
from infra.cli.output import as_lines, cell, table

PROPOSAL = typer.Argument(help="Id of the proposal, see `cairn proposals`.")


class State(StrEnum):
    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    ALL = "all"


def register(app: typer.Typer) -> None:
    @app.command()
    def proposals(
        project: str = PROJECT_OPTION,
        state: State = typer.Option(State.WAITING, "--state", help="Which ones."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List what members propose, and what became of it."""
        wanted = None if state is State.ALL else state.value
        found = asyncio.run(service.list_proposals(connect(), project, wanted))
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

    @app.command()
    @by_person
    def accept(proposal: str = PROPOSAL) -> Deciding:
        """Decide as a member proposes."""
        return lambda settings, by: service.answer_proposal(settings, proposal, by, "accept")

    @app.command()
    @by_person
    def decline(proposal: str = PROPOSAL) -> Deciding:
        """Decline what a member proposes (needs --rationale)."""
        return lambda settings, by: service.answer_proposal(settings, proposal, by, "decline")

    @app.command()
    @by_person
    def withdraw(proposal: str = PROPOSAL) -> Deciding:
        """Take back what you have proposed yourself, as long as it waits."""
        return lambda settings, by: service.answer_proposal(settings, proposal, by, "withdraw")

    @app.command()
    def decisions(
        project: str = PROJECT_OPTION,
        target: str | None = typer.Option(
            None, "--about", metavar="ID", help="Only those about this atom, pair or contradiction."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List what people decided, and what can be taken back."""
        found = asyncio.run(service.list_decisions(connect(), project, target))
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
