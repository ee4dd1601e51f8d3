"""What people ask of the writer of artifacts besides the ledger: team, plan and reports.

A request is answered once, at the position that the last answer was written for; its place among
the answers is where the writer took it, and the answer is the record of that. An answer may be
folded before its request: so answered ids are kept, and the answer itself says what the team is.
"""

from __future__ import annotations

from schemas.envelope import Event, Part
from schemas.events import EVENT_TYPES
from streams.cause import Cause
from streams.stage import Record, Table, Tables


class Request(Part):
    """A request with its cause; ``payload`` is the event as JSON."""

    cause: Cause
    type_name: str
    payload: str

    @property
    def event(self) -> Event:
        return EVENT_TYPES[self.type_name].model_validate_json(self.payload)


class Requests:
    """The requests of one partition: those that wait, in their order, and the ids of the others."""

    def __init__(self, tables: Tables) -> None:
        self._waiting: Table[Request] = tables.table("requests", Request)
        self._answered: Table[int] = tables.table("answered", int)

    def projects(self) -> set[str]:
        return {key.split("|", 1)[0] for key, _ in self._waiting.items()}

    def take(self, record: Record) -> bool:
        """Whether it is new, and waits now."""
        envelope = record.envelope
        project, event_id = envelope.project_id, str(envelope.event_id)
        event_ids = (one.cause.event_id for _, one in self._waiting.with_prefix(f"{project}|"))
        if f"{project}|{event_id}" in self._answered or envelope.event_id in event_ids:
            return False
        self._waiting[f"{project}|{record.topic}|{record.offset:012d}"] = Request(
            cause=Cause.of(envelope),
            type_name=envelope.event.type_name,
            payload=envelope.event.model_dump_json(),
        )
        return True

    def first(self, project: str) -> Request | None:
        return next((one for _, one in self._waiting.with_prefix(f"{project}|")), None)

    def settle(self, project: str, event_id: str) -> None:
        """The request of this id is answered."""
        waiting = self._waiting.with_prefix(f"{project}|")
        for key in [key for key, one in waiting if str(one.cause.event_id) == event_id]:
            del self._waiting[key]
        self._answered[f"{project}|{event_id}"] = 1
