"""How a command decides: the decision goes to the log, and the ledger's answer is waited for."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, cast

import typer

from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import answer as standard_output
from infra.cli.output import as_lines
from infra.cli.project import KEY_OPTION, drawn_key, login_name, quiet_clients, tell_key
from infra.clock import SystemClock
from infra.errors import Refusal, Unavailable
from infra.local.process import wait_until
from infra.settings import Settings

if TYPE_CHECKING:
    from schemas.envelope import Envelope
    from schemas.events.hitl import PersonDecided

ANSWERED_WITHIN_S = 30.0
Role = Literal["owner", "pm", "member"]

# The options of every decision, by the field of ``Person`` that each one fills.
OPTIONS: dict[str, tuple[Any, Any]] = {
    "rationale": (
        str,
        typer.Option("", "--rationale", "-r", help="Why, in the person's own words."),
    ),
    "name": (
        str | None,
        typer.Option(None, "--as", metavar="NAME", help="Who decides; else the login name."),
    ),
    "role": (
        Role,
        typer.Option("owner", "--role", help="owner and pm decide; member only proposes."),
    ),
    "expected_revision": (
        int | None,
        typer.Option(
            None, "--expected-revision", help="The revision that was seen; else the one shown now."
        ),
    ),
    "key": (str | None, KEY_OPTION),
    "as_json": (bool, JSON_OPTION),
}

REFUSALS = {
    "stale_revision": "it has changed since it was looked at (it is at revision {revision} now)",
    "unknown_target": "the ledger does not know it",
    "role_may_only_propose": "a member may propose, only owner and pm decide",
    "rationale_too_short": "a resolution needs a rationale of at least 10 characters",
    "rationale_missing": "it needs a rationale",
    "resolution_kind_missing": "it does not say how the contradiction is resolved",
    "not_open": "it is decided already, or one of its sides is gone",
    "not_live": "it is not live any more (it is {status})",
    "not_dismissed": "it is not dismissed (it is {status})",
    "not_verified": "it is not verified",
    "not_merged": "it is not merged into another atom (it is {status})",
    "record_too_large": "its effect is too large for one record of the log",
}
EFFECTS = {
    "merge_review:approve": "The two are one atom now.",
    "merge_review:reject": "Both atoms stay; the pair will not be proposed again.",
    "contradiction_resolution:a_wins": "The first side holds, the other one is superseded.",
    "contradiction_resolution:b_wins": "The second side holds, the other one is superseded.",
    "contradiction_resolution:both_valid": "Both sides hold; the contradiction is resolved.",
    "contradiction_resolution:reworded": "It was the wording; the contradiction is resolved.",
    "contradiction_resolution:dismiss": "It is no contradiction; it is closed.",
    "contradiction_resolution:escalate": "It is handed on, and blocks until it is decided.",
    "atom_verification": "It is verified; no run takes it away or lowers it below its floor.",
    "unverify": "It is not verified any more.",
    "atom_dismissal": "It is dismissed; no run brings it back.",
    "atom_reinclusion": "It counts again as it did before.",
    "unmerge": "The merge is undone; the pair will not be merged again.",
}


@dataclass(frozen=True, slots=True)
class Person:
    """Who decides, why, about what they saw, and the key that makes it one decision."""

    rationale: str
    name: str | None
    role: Role
    expected_revision: int | None
    key: str | None
    as_json: bool


def by_person(command: Callable[..., None]) -> Callable[..., None]:
    """``command``, whose first parameter is ``person``, with the options that make one up."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    shared = [
        inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
        for field, (kind, option) in OPTIONS.items()
    ]

    @wraps(command)
    def asked(**given: Any) -> None:
        command(Person(**{field: given.pop(field) for field in OPTIONS}), **given)

    parameters = [*own, *shared]
    asked.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(asked)["__signature__"] = inspect.Signature(parameters)
    return asked


def decide(
    target_id: str, person: Person, event: Callable[[str, dict[str, Any]], PersonDecided]
) -> None:
    """The decision has an answer, which is printed. Raises Refusal when it was refused.

    ``event`` makes the decision from the target's id and the fields that all decisions share.
    """
    from projections.read import people, session
    from schemas.codec import utc_millis
    from schemas.envelope import Actor, outside_fact

    quiet_clients()
    settings, key = connect(), person.key or drawn_key()
    with session.reading(settings.conninfo) as connection:
        if target_id.startswith("mop_"):
            target_id = people.merged_by(connection, target_id)
        seen = people.target(connection, target_id)
        revision = person.expected_revision
        shared = {
            "expected_revision": seen.revision if revision is None else revision,
            "actor_role": person.role,
            "rationale": person.rationale,
        }
        fact = outside_fact(
            event(target_id, shared),
            project_id=seen.project_id,
            occurred_at=utc_millis(SystemClock().now()),
            actor=Actor(type="human", id=person.name or login_name()),
            natural_key=key,
        )
        event_id = str(fact.event_id)
        try:
            asyncio.run(_publish(settings, fact))
            wait_until(
                lambda: people.answer_to(connection, event_id) is not None,
                timeout_s=ANSWERED_WITHIN_S,
            )
        except (KeyboardInterrupt, Unavailable):
            tell_key(key, given=person.key is not None)
            raise
        answer = people.answer_to(connection, event_id)
    if answer is None:
        raise Refusal(
            f"The decision is recorded, but the ledger has not answered within"
            f" {ANSWERED_WITHIN_S:.0f} s: see `cairn status`, then ask again with"
            f" --idempotency-key {key}."
        )
    _tell(answer.model_dump(), as_json=person.as_json)


async def _publish(settings: Settings, fact: Envelope) -> None:
    from connectors.runner import publishing

    async with publishing(settings, SystemClock()) as publish:
        await publish([fact])


def _tell(answer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        as_lines([answer])
    if answer["outcome"] == "refused":
        raise Refusal(f"{answer['target_id']} was not decided: {refusal_of(answer)}.")
    if not as_json:
        out = standard_output()
        out.print(effect_of(answer), markup=False)
        for atom in cast("dict[str, Any]", answer["after_state"])["atoms"]:
            line = f"  {atom['status']} {atom['confidence']:.2f}  {atom['title']}"
            out.print(line, markup=False)


def effect_of(answer: dict[str, Any]) -> str:
    """What an applied decision means, in a sentence."""
    action, decision = answer["action"], answer["decision"]
    return EFFECTS[f"{action}:{decision}" if decision else action]


def refusal_of(answer: dict[str, Any]) -> str:
    """Why a decision was refused, with the target as it is."""
    records = [record for held in answer["before_state"].values() for record in held]
    now: dict[str, Any] = {"revision": "?", "status": "unknown"} | (records[0] if records else {})
    return REFUSALS[answer["refusal"]].format(revision=now["revision"], status=now["status"])
