"""`cairn agents stop, turns, events, replay, fork, diff`: turns of the agents by their logs.

Without a project they are those of your own conversations with the assistant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from infra.cli.chat import Talk
from infra.cli.context import JSON_OPTION, KEY_OPTION, asking, connect, say
from infra.cli.output import answer, as_lines, cell, table
from infra.cli.partners import partner_of
from infra.client.models.shared import TurnFork
from infra.client.models.shared_parts import TurnStep, TurnSummary
from schemas.inflection import count

PROJECT = typer.Option(
    None, "--project", "-p", help="Name or id of the project; without it: the assistant's, yours."
)
TURN = typer.Argument(help="The id of a turn.")
LONGEST_DATA = 300
NOT_SHOWN = frozenset(("position", "confirmation_id"))


def register(agents: typer.Typer) -> None:
    _register_stop(agents)
    _register_logs(agents)
    _register_forks(agents)


def _register_stop(agents: typer.Typer) -> None:
    @agents.command()
    def stop(
        conversation: str = typer.Argument(help="The id of a conversation."),
        project: str | None = PROJECT,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """End what goes on in a conversation; calls that wait in it are not made."""
        stopped = partner_of(connect(start=False), project).stop(conversation)
        if as_json:
            as_lines([stopped.model_dump()])
        else:
            say(f"{count(len(stopped.turns), 'turn')} stopped.")


def _register_logs(agents: typer.Typer) -> None:
    @agents.command()
    def turns(
        project: str | None = PROJECT,
        conversation: str | None = typer.Option(
            None, "--conversation", metavar="ID", help="Only turns of this conversation."
        ),
        limit: int = typer.Option(20, min=1, max=1_000, help="How many at most."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List turns by their questions, the newest first."""
        asked = partner_of(connect(start=False), project).list_turns(conversation).take(limit)
        if as_json:
            as_lines(one.model_dump() for one in asked)
            return
        rows = (
            [one.turn_id, one.asked_by, cell(one.question), one.error or one.answered_by]
            for one in asked
        )
        table(("turn", "asked by", "question", "answered by"), rows, "No turns.")

    @agents.command()
    def events(
        turn: str = TURN, project: str | None = PROJECT, as_json: bool = JSON_OPTION
    ) -> None:
        """List what is in the log of a turn, each event with its number."""
        listed = partner_of(connect(start=False), project).list_events(turn).events
        if as_json:
            as_lines(one.model_dump() for one in listed)
            return
        rows = ([one.ordinal, one.event_type, _tell(one.data)] for one in listed)
        table(("event", "type", "content"), rows)

    @agents.command()
    def replay(
        turn: str = typer.Argument(help="The id of an answered turn."),
        project: str | None = PROJECT,
    ) -> None:
        """Run a turn again from its records alone, asking nobody; its last state, as JSON."""
        state = partner_of(connect(start=False), project).replay(turn)
        as_lines([state.model_dump(mode="json")])
        say(f"{state.events} events told again to the letter, SHA-256 {state.log_sha256}.")


def _register_forks(agents: typer.Typer) -> None:
    @agents.command()
    def fork(
        turn: str = TURN,
        project: str | None = PROJECT,
        at: str = typer.Option(..., "--at", metavar="EVENT", help="An event, by number or id."),
        change: list[str] = typer.Option(
            [],
            "--set",
            metavar="PATH=VALUE",
            help="Change this value of the event (repeatable); VALUE is JSON or text.",
        ),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Go on from an event of a turn otherwise, in a new conversation. What it does is done."""
        cairn = connect(start=False)
        body = TurnFork(at=at, changes=dict(map(_read_change, change)), wait=False)
        partner = partner_of(cairn, project)
        talk = Talk(cairn, partner, None, as_json=as_json)
        with asking(idempotency_key) as key:
            forked = partner.fork(turn, body, key)
        if not as_json:
            say(f"turn: {forked.turn_id}")
        talk.go_on(forked)
        if talk.has_failed:
            raise typer.Exit(1)

    @agents.command()
    def diff(
        a: str = TURN,
        b: str = TURN,
        project: str | None = PROJECT,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Compare two turns: where they part, what they cost, which tools they called."""
        compared = partner_of(connect(start=False), project).compare(a, b)
        if as_json:
            as_lines([compared.model_dump(mode="json")])
            return
        table(("", "a", "b"), _list_sides(compared.a, compared.b))
        out = answer()
        if (first := compared.first) is None:
            out.print("Both are the same up to their ends.")
            return
        what = f": {', '.join(first.fields)}" if first.fields else ""
        out.print(f"They part at event {first.ordinal}{what}.", markup=False)
        for name, step in (("a", first.a), ("b", first.b)):
            out.print(f"  {name}: {_tell_step(step)}", markup=False)


def _read_change(text: str) -> tuple[str, Any]:
    path, is_given, value = text.partition("=")
    if not (path and is_given):
        raise typer.BadParameter(f"--set takes PATH=VALUE, not {text!r}.")
    try:
        return path, json.loads(value)
    except ValueError:
        return path, value


def _list_sides(a: TurnSummary, b: TurnSummary) -> list[Sequence[object]]:
    return [
        ("turn", a.turn_id, b.turn_id),
        ("forked from", _origin_of(a), _origin_of(b)),
        ("status", a.status, b.status),
        ("events", a.events, b.events),
        ("model calls", a.model_calls, b.model_calls),
        ("tokens", f"{a.tokens:,}", f"{b.tokens:,}"),
        ("cost", f"${a.cost_usd:.4f}", f"${b.cost_usd:.4f}"),
        ("tools", ", ".join(a.tools), ", ".join(b.tools)),
    ]


def _origin_of(turn: TurnSummary) -> str | None:
    return f"{turn.forked_from}, event {turn.forked_at}" if turn.forked_from else None


def _tell_step(step: TurnStep | None) -> str:
    return "has no such event" if step is None else f"{step.event_type} {_tell(step.data)}"


def _tell(data: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in data.items() if name not in NOT_SHOWN and value}
    return cell(json.dumps(shown, ensure_ascii=False), LONGEST_DATA)
