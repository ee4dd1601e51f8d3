"""One record of every event version, every field filled, with what it means.

``python -m tests.schemas.samples`` writes ``released/<event>.v<n>.bin`` and what it means as
``.json``, for the versions that have none. It never changes a file: released bytes stay readable.
"""

from __future__ import annotations

import json
import types
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel

from schemas.codec import encode
from schemas.days import Day
from schemas.envelope import Actor, Envelope, Event
from schemas.events import EVENT_TYPES

RELEASED = Path(__file__).parent / "released"
AT = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)
CAUSE = UUID("fdb2454e-03fc-512a-a7f4-0f80882c735f")
VALUES: dict[Any, Any] = {
    int: 7,
    float: 0.5,
    bool: True,
    bytes: b"content",
    datetime: AT,
    UUID: CAUSE,
}


def fill(model: type[BaseModel]) -> Any:
    """The model with a value in every field; texts are the names of their fields, or a day."""
    fields = {name: _value(name, it.annotation) for name, it in model.model_fields.items()}
    return model(**fields)


def _value(name: str, annotation: Any) -> Any:
    if name.endswith(("_day", "_date", "as_of")) and annotation in (str, Day):
        return "2026-01-31"
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return _value(name, next(it for it in arguments if it is not type(None)))
    if origin in (list, tuple):
        return [_value(name, arguments[0])]
    if origin is dict:
        return {name: _value(name, arguments[1])}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return fill(annotation)
    return VALUES.get(annotation, name)


def sample_of(event: type[Event]) -> Envelope:
    """A fact of this type with every field of the envelope set."""
    cause = Envelope(
        event_id=CAUSE,
        project_id="prj_1",
        natural_key="cause",
        occurred_at=AT,
        event=fill(event),
        correlation_id="request-1",
        actor=Actor(type="human", id="ana"),
    )
    return cause.caused(cause.event, lane="deep", run_id="run_1").recorded(AT)


def meaning_of(envelope: Envelope) -> dict[str, Any]:
    """What a record says, as JSON."""
    return {
        "event_id": str(envelope.event_id),
        "event_type": envelope.event.type_name,
        "project_id": envelope.project_id,
        "natural_key": envelope.natural_key,
        "occurred_at": envelope.occurred_at.isoformat(),
        "causation_id": str(envelope.causation_id),
        "correlation_id": envelope.correlation_id,
        "actor": envelope.actor.model_dump(),
        "lane": envelope.lane,
        "run_id": envelope.run_id,
        "producer": envelope.producer,
        "payload": envelope.event.model_dump(mode="json"),
    }


def main() -> None:
    RELEASED.mkdir(exist_ok=True)
    for event in EVENT_TYPES.values():
        file = RELEASED / f"{event.type_name}.v{event.schema_version}.bin"
        if not file.exists():
            sample = sample_of(event)
            file.write_bytes(encode(sample))
            meaning = json.dumps(meaning_of(sample), indent=1)
            file.with_suffix(".json").write_text(f"{meaning}\n")
            print(f"new: {file.name}")


if __name__ == "__main__":
    main()
