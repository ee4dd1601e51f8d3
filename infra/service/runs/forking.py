"""What a fork takes over from the run that it leaves, and what may be changed of it.

Only what came from outside can be changed: what a person said or decided, and what a model, a tool
or the tables answered. All else follows from that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from infra.platform.errors import Invalid, NotFound
from infra.service.runs.answers import as_text
from infra.service.runs.family import Decided, Family, RunEvent
from schemas.envelope import Event

DECISION = ("decision", "arguments", "reason")
LONGEST_REASON = 1_000
LONGEST_NUMBER = 9  # digits; no list is that long


def copy_until(
    family: Family, events: Sequence[RunEvent], at: int, changes: Mapping[str, Any], by: str
) -> dict[int, Event]:
    """The events up to number ``at``, that one with ``changes``: values by dotted path.

    A call without its result is made anew, and a person is asked about it again: who approved it
    approved it then. ``by`` decides what is changed of a decision. Raises NotFound, Invalid.
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
    copied = {ordinal: event for ordinal, event in known.items() if ordinal <= at}
    if changes:
        copied[at] = change_event(family, known[at], changes, by)
        return copied
    last = at
    while isinstance(copied[last], (family.called, family.asked, family.decided)):
        del copied[last]
        last -= 1
    return copied


def change_event(family: Family, event: Event, changes: Mapping[str, Any], by: str) -> Event:
    """The event with what is changed of it. Raises Invalid."""
    if isinstance(event, (family.returned, family.recorded)):
        if isinstance(event, family.recorded) and event.kind == "read":
            _check_fixed(changes, family.fixed)
        answer = json.loads(event.answer)
        for path, value in changes.items():
            answer = _set(answer, path.split("."), value, path)
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


def _set(value: Any, path: Sequence[str], new: Any, whole: str) -> Any:
    """``value`` with ``new`` at the path, which it has already."""
    if not path:
        if value is not None and _type_of(new) != _type_of(value):
            raise Invalid(
                f"{whole} cannot be that: it is {_type_of(value)}, not {_type_of(new)}.",
                code="change_invalid",
                detail={"at": whole},
            )
        return new
    name, *rest = path
    if isinstance(value, dict) and name in value:
        return value | {name: _set(value[name], rest, new, whole)}
    if isinstance(value, list) and _is_number(name) and int(name) < len(value):
        number = int(name)
        return [*value[:number], _set(value[number], rest, new, whole), *value[number + 1 :]]
    there = list(value) if isinstance(value, dict) else []
    has = f"there are {', '.join(there)}" if there else "nothing is below it"
    raise Invalid(
        f"The answer has no {whole}: at {name!r} {has}.",
        code="unknown_field",
        detail={"field": whole},
    )


def _type_of(value: Any) -> str:
    """The type of a value in JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _is_number(name: str) -> bool:
    return len(name) <= LONGEST_NUMBER and name.isdecimal()


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
