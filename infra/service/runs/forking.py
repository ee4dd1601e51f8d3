"""What a fork takes over from the run that it leaves, and what may be changed of it.

Only what came from outside can be changed: what a person said or decided, and what a model, a tool
or the tables answered. All else follows from that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from agents.runs.confirmations import name_confirmation
from infra.platform.errors import Invalid, NotFound
from infra.service.runs.answers import as_text
from infra.service.runs.changed_values import set_value
from infra.service.runs.family import Decided, Family, RunEvent
from schemas.envelope import Event

DECISION = ("decision", "arguments", "reason")
LONGEST_REASON = 1_000


def copy_until(
    family: Family, events: Sequence[RunEvent], at: int, changes: Mapping[str, Any], by: str
) -> dict[int, Event]:
    """The events up to number ``at``, that one with ``changes``: values by dotted path.

    A call without its result is made anew, and a person is asked about it again: who approved it
    approved it then. Without it the events behind it come earlier. ``by`` decides what is changed
    of a decision. Raises NotFound, Invalid.
    """
    known = {each.ordinal: each.event for each in events}
    if at not in known:
        raise NotFound(
            f"The run has no event {at}: its events are 0 to {max(known, default=0)}.",
            code="unknown_event",
            detail={"at": at},
        )
    if isinstance(known[at], family.ended):
        raise Invalid("Nothing follows the last event: fork at one before it.", code="fork_at_end")
    before = [known[ordinal] for ordinal in sorted(known) if ordinal < at]
    if changes:
        last = change_event(family, known[at], changes, by)
        return dict(enumerate(_leave_open_calls(family, [*before, last], last)))
    copied = _leave_open_calls(family, [*before, known[at]])
    while isinstance(copied[-1], (family.called, family.asked, family.decided)):
        copied.pop()
    return dict(enumerate(copied))


def _leave_open_calls(
    family: Family, events: Sequence[Event], changed: Event | None = None
) -> list[Event]:
    """The events without the calls that have no result among them, and without their approvals
    but for one that is ``changed`` now.
    """
    returned = [each.position.effect_id for each in events if isinstance(each, family.returned)]
    approved = set(map(name_confirmation, returned))

    def stays(event: Event) -> bool:
        if isinstance(event, family.called):
            return event.position.effect_id in returned
        if isinstance(event, family.decided):
            has_result = event.confirmation_id in approved
            return has_result or event.decision == "reject" or event is changed
        return True

    return list(filter(stays, events))


def change_event(family: Family, event: Event, changes: Mapping[str, Any], by: str) -> Event:
    """The event with what is changed of it. Raises Invalid."""
    if isinstance(event, (family.returned, family.recorded)):
        if isinstance(event, family.recorded) and event.kind == "read":
            _check_fixed(changes, family.fixed)
        answer = json.loads(event.answer)
        for path, value in changes.items():
            answer = set_value(answer, path.split("."), value, path)
        return _with(event, {"answer": as_text(answer)})
    if isinstance(event, family.decided):
        return _with(event, _decide(event, changes) | {"given_by": by})
    if isinstance(event, family.begun):
        _check_names(changes, family.said)
        return _with(event, changes)
    raise Invalid(
        f"{event.type_name} follows from what came before it: change what a person said or"
        " decided, or what a model or a tool answered.",
        code="event_follows",
    )


def _decide(event: Decided, changes: Mapping[str, Any]) -> dict[str, Any]:
    """What is decided instead. A call is made again only where that is said. Raises Invalid."""
    _check_names(changes, DECISION)
    new = dict(changes)
    if "arguments" in new:
        new = {"decision": "edit"} | new
    decision = new.get("decision", event.decision)
    if decision != "reject" and not {"decision", "arguments"} & new.keys():
        raise Invalid("Say `decision`, too: the call would be made again.", code="change_invalid")
    if (decision == "edit") != isinstance(new.get("arguments"), dict):
        raise Invalid("Changed arguments belong to `edit`, and to nothing else.", code="no_edit")
    if len(str(new.get("reason", ""))) > LONGEST_REASON:
        raise Invalid(f"A reason has at most {LONGEST_REASON:,} characters.", code="change_invalid")
    return new | {"arguments": as_text(new["arguments"]) if decision == "edit" else None}


def _check_fixed(changes: Mapping[str, Any], fixed: Sequence[str]) -> None:
    for name in changes:
        for place in fixed:
            if f"{place}.".startswith(f"{name}.") or name.startswith(f"{place}."):
                raise Invalid(
                    f"{name} cannot be changed: a fork stays in its project, and is asked by who"
                    " forks.",
                    code="change_invalid",
                    detail={"at": name},
                )


def _check_names(changes: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in changes:
        if name not in names:
            raise Invalid(
                f"{name} cannot be changed here: {', '.join(names)} can.",
                code="unknown_field",
                detail={"field": name},
            )


def _with(event: Event, changes: Mapping[str, Any]) -> Event:
    try:
        return type(event).model_validate(event.model_dump() | dict(changes))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise Invalid(
            f"{place} cannot be that: {first['msg']}.", code="change_invalid", detail={"at": place}
        ) from None
