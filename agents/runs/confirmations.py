"""Calls that wait for a person: what is shown, what can be decided, and how a turn goes on.

The node that makes the calls raises WaitsForConfirmation before anything of those that wait has
happened. The turn is run again when a decision is recorded: its effects answer from their records,
the call finds its decision under the same id and goes on from there, once. Each call of a step is
decided by itself; what is decided is made, in the order of the decisions, and the rest waits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from agents.runs.effects import EffectKey
from schemas.events.agent import ConfirmationDecision
from schemas.ids import derive_id

ANSWER_WITHIN = timedelta(hours=6)  # approving later acts on a world that has moved on
ABANDONED = "another message came first"
NOT_SHOWN = "(not shown)"
SHORTEST_KEY = 16  # characters; a shorter one names an issue, a project or a page
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPACE = re.compile(r"\s")
_SECRET = re.compile(
    r"(?:^|[^a-z])(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?|authorization"
    r"|(?:api|access|auth|encryption|private|signing|ssh)[^a-z]?key)s?(?:$|[^a-z])",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?:^|[^a-z])keys?$", re.IGNORECASE)
_YES = (
    r"yes|yep|y|ok|okay|sure|fine|correct|of course|absolutely|approved?|confirm(?:ed)?"
    r"|go (?:ahead|on|for it)|do(?: (?:it|that|so))?"
)
_NO = (
    r"no|nope|n|reject(?:ed)?|declined?|cancel|stop|never ?mind|not now"
    r"|(?:of course|absolutely) not|(?:do not|don.?t)(?: do (?:it|that|so))?"
)
# Each text fits in one way alone: with two, a repetition of it takes time without end.
_ANSWER = r"(?:please[ ,]+)?(?:{it})(?:[ ,.!]+(?:{it}|please|thanks|thank you))*[ .!]*"
YES = re.compile(_ANSWER.format(it=_YES), re.IGNORECASE)
NO = re.compile(_ANSWER.format(it=_NO), re.IGNORECASE)


class Confirmation(BaseModel):
    """A call that a person is asked about; ``summary`` says in a sentence what it would do."""

    model_config = ConfigDict(frozen=True)

    confirmation_id: str
    tool: str
    arguments: dict[str, Any]
    summary: str


class Decision(BaseModel):
    """What was decided; ``arguments`` are those of an edit. ``decided_by`` None: nobody did in
    time, and the call is rejected.
    """

    model_config = ConfigDict(frozen=True)

    kind: ConfirmationDecision
    arguments: dict[str, Any] | None = None
    decided_by: str | None = None
    reason: str = ""


class CallDeclined(Exception):
    """The call is not made: a person declined it, or nobody decided in time."""

    def __init__(self, confirmation: Confirmation, decision: Decision) -> None:
        super().__init__(confirmation.summary)
        self.confirmation = confirmation
        self.is_expired = decision.decided_by is None
        self.reason = decision.reason


class WaitsForConfirmation(Exception):
    """The turn goes on when a person has decided about one of ``confirmations``."""

    def __init__(self, *confirmations: Confirmation) -> None:
        super().__init__(" ".join(one.summary for one in confirmations))
        self.confirmations = confirmations

    @property
    def confirmation(self) -> Confirmation:
        """The first of them."""
        return self.confirmations[0]


@dataclass(frozen=True, slots=True)
class Settled:
    """How the calls of a step stand: the numbers of those that are decided, in the order of the
    decisions, and those that wait, in their own order.
    """

    decided: tuple[int, ...]
    open: tuple[Confirmation, ...]


def settle(
    calls: Sequence[tuple[EffectKey, str, Mapping[str, Any]]], decisions: Mapping[str, Decision]
) -> Settled:
    """Which of these calls, each of which needs a person, are to be made or declined now, and in
    which order: that of ``decisions``, so that a replay has them in the same one.
    """
    asked = [confirmation_of(*call) for call in calls]
    numbers = {one.confirmation_id: number for number, one in enumerate(asked)}
    return Settled(
        decided=tuple(numbers[given] for given in decisions if given in numbers),
        open=tuple(one for one in asked if one.confirmation_id not in decisions),
    )


def approve(
    key: EffectKey, tool: str, arguments: Mapping[str, Any], decisions: Mapping[str, Decision]
) -> Mapping[str, Any]:
    """The arguments with which a person lets the call be made.

    Raises WaitsForConfirmation, CallDeclined.
    """
    confirmation = confirmation_of(key, tool, arguments)
    decision = decisions.get(confirmation.confirmation_id)
    if decision is None:
        raise WaitsForConfirmation(confirmation)
    if decision.kind == "reject":
        raise CallDeclined(confirmation, decision)
    is_edited = decision.kind == "edit" and decision.arguments is not None
    return decision.arguments or {} if is_edited else arguments


def say_declined(declined: CallDeclined) -> str:
    """That the call is not made, and why."""
    why = "Not done"
    if declined.is_expired:
        why = "Nobody confirmed it in time, so it is not done"
    elif declined.reason:
        why = f"Not done ({declined.reason})"
    return f"{why}: {declined}"


def tell_declined(is_expired: bool, reason: str) -> str:
    """What a model is told of a call that is not made."""
    if is_expired:
        return "Nobody confirmed this call in time. Do not repeat it; go on without it."
    why = f" They said: {reason}" if reason else ""
    return f"The user declined this call. Do not repeat it; go on without it.{why}"


def read_decision(message: str) -> Literal["approve", "reject"] | None:
    """What a message says of a call that waits, if it says nothing else; in English words."""
    text = message.strip()
    if YES.fullmatch(text):
        return "approve"
    return "reject" if NO.fullmatch(text) else None


def confirmation_of(key: EffectKey, tool: str, arguments: Mapping[str, Any]) -> Confirmation:
    """The confirmation of the call that would be the effect ``key``; the same call, the same id."""
    shown = {name: _hide_secret(name, value) for name, value in arguments.items()}
    text = ", ".join(f"{name} {value!r}" for name, value in shown.items())
    return Confirmation(
        confirmation_id=name_confirmation(key.effect_id),
        tool=tool,
        arguments=dict(arguments),
        summary=f"{tool.replace('_', ' ').capitalize()}: {text or 'no arguments'}.",
    )


def _hide_secret(name: str, value: Any) -> Any:
    """The value as a question shows it: not where its name says that it is secret."""
    words = _CAMEL.sub("_", name)
    if value and not isinstance(value, bool) and _SECRET.search(words):
        return NOT_SHOWN
    match value:
        case Mapping():
            return {key: _hide_secret(str(key), item) for key, item in value.items()}
        case list() | tuple():
            return [_hide_secret(name, item) for item in value]
        case str() if len(value) >= SHORTEST_KEY and _KEY.search(words):
            return value if _SPACE.search(value) else NOT_SHOWN
        case _:
            return value


def name_confirmation(effect_id: str) -> str:
    """The id of the confirmation of the call that is this effect."""
    return derive_id("cnf", effect_id)
