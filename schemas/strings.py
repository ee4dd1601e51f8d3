"""Every string that leaves the process passes ``redact_fact``: no secret of the outside goes along.

The publishers call it before a fact becomes bytes (a test holds this), so no caller can forget it.
What a field holds is said in ``string_fields``; a field that it does not know is redacted. Strings
from which ids are made have to be clean earlier, where they come in, and pass unchanged here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Literal, Protocol, get_args

from pydantic import BaseModel

from schemas import string_fields
from schemas.envelope import Actor, Envelope, Event
from schemas.ids import derive_event_id

Kind = Literal["text", "name", "part"]
Plan = dict[str, Kind]


class Redactor(Protocol):
    """The rules of stage 0 for strings that do not pass through stage 0."""

    def text(self, text: str) -> str:
        """``text`` without secrets; the same again when it is given its own answer."""
        ...

    def chat(self, text: str) -> str:
        """``text`` without secrets and personal data, as a chat is redacted."""
        ...

    def name(self, project_id: str, name: str) -> str:
        """The same, with a keyed digest behind each placeholder: other names stay other names."""
        ...


def redact_fact(envelope: Envelope, redactor: Redactor) -> Envelope:
    """The fact without secrets of the outside; its id is that of its clean natural key."""
    swaps: dict[str, str] = {}
    event = _redact_part(envelope.event, envelope.project_id, redactor, swaps)
    actor = redactor.text(envelope.actor.id) if envelope.actor.type == "human" else ""
    if actor not in ("", envelope.actor.id):
        envelope = replace(envelope, actor=Actor(type="human", id=actor))
    if not swaps:
        return envelope
    assert isinstance(event, Event)
    key = _swap(envelope.natural_key, swaps)
    return replace(
        envelope,
        event=event,
        event_id=derive_event_id(event.type_name, envelope.project_id, key),
        natural_key=key,
        correlation_id=_swap(envelope.correlation_id, swaps),
    )


def _swap(text: str, swaps: dict[str, str]) -> str:
    """``text`` with each raw string replaced by its clean one, the longest first."""
    for raw in sorted(swaps, key=len, reverse=True):
        text = text.replace(raw, swaps[raw])
    return text


def _redact_part(
    part: BaseModel, project_id: str, redactor: Redactor, swaps: dict[str, str]
) -> BaseModel:
    def redact_value(value: Any, kind: Kind) -> Any:
        if isinstance(value, str):
            cleaned = redactor.name(project_id, value) if kind == "name" else redactor.text(value)
            if cleaned != value:
                swaps[value] = cleaned
            return cleaned
        if isinstance(value, BaseModel):
            return _redact_part(value, project_id, redactor, swaps)
        if isinstance(value, list | tuple):
            return type(value)(redact_value(each, kind) for each in value)
        if isinstance(value, dict):
            return {
                redact_value(name, kind): redact_value(each, kind) for name, each in value.items()
            }
        return value

    changes = {
        name: new
        for name, kind in plan_of(type(part)).items()
        if (new := redact_value(old := getattr(part, name), kind)) != old
    }
    return part.model_copy(update=changes) if changes else part


@cache
def plan_of(model: type[BaseModel]) -> Plan:
    """The fields of ``model`` that have to be cleaned; parts only where one of theirs has to."""
    safe = fields_of(model, "CLEANED") | fields_of(model, "IDENTIFIERS")
    names = fields_of(model, "NAMES")
    plan: Plan = {}
    for name, field in model.model_fields.items():
        if name in safe:
            continue
        if holds_text(field.annotation):
            plan[name] = "name" if name in names else "text"
        elif any(plan_of(part) for part in parts_of(field.annotation)):
            plan[name] = "part"
    return plan


def fields_of(model: type[BaseModel], table: str) -> frozenset[str]:
    """The fields of ``model`` in a table of ``string_fields``, its parents' tables included."""
    fields: string_fields.Fields = getattr(string_fields, table)
    return frozenset(
        name for each in model.__mro__ for name in fields.get(each.__name__, "").split()
    )


def holds_text(annotation: Any, kind: type = str) -> bool:
    """Whether a value of this type may be or hold a string that the type does not fix."""
    if annotation is kind:
        return True
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return False
    return any(holds_text(each, kind) for each in get_args(annotation))


def parts_of(annotation: Any) -> list[type[BaseModel]]:
    """The records that a value of this type may be or hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [part for each in get_args(annotation) for part in parts_of(each)]
