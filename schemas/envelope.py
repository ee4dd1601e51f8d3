"""The envelope: what every fact carries besides its own content."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from schemas.ids import derive_event_id

SERVICE_WIDE = "-"
PRODUCER = "cairn/0.1"
ActorType = Literal["human", "agent", "system", "connector"]
Lane = Literal["preview", "deep", "none"]


class Part(BaseModel):
    """A record inside an event. Immutable; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Actor(Part):
    type: ActorType = "system"
    id: str = "cairn"


SYSTEM = Actor()


class Event(Part):
    """The content of a fact. A subclass names its type, topic and what makes it unique.

    ``local_key`` is the part of the natural key after the causing event's id; a subclass whose
    cause may differ between a quiet and a troubled run sets ``stable_key`` and gives the whole key.
    """

    type_name: ClassVar[str]
    topic: ClassVar[str]
    schema_version: ClassVar[int] = 1
    stable_key: ClassVar[bool] = False

    @property
    def local_key(self) -> str:
        return ""

    @property
    def aggregate_id(self) -> str:
        """What the fact is about; also the record's key on topics keyed by source or artifact."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Envelope:
    """One fact with its identity. ``recorded_at`` is set when it is written to the log."""

    event_id: UUID
    project_id: str
    natural_key: str
    occurred_at: datetime
    event: Event
    recorded_at: datetime | None = None
    causation_id: UUID | None = None
    correlation_id: str = ""
    actor: Actor = SYSTEM
    lane: Lane = "none"
    run_id: str | None = None
    producer: str = PRODUCER

    def caused(
        self, event: Event, *, lane: Lane | None = None, run_id: str | None = None
    ) -> Envelope:
        """The envelope of an output of this fact: same input, same id, on every machine."""
        key = event.local_key if event.stable_key else f"{self.event_id}|{event.local_key}"
        return Envelope(
            event_id=derive_event_id(event.type_name, self.project_id, key),
            project_id=self.project_id,
            natural_key=key,
            occurred_at=self.occurred_at,
            event=event,
            causation_id=self.event_id,
            correlation_id=self.correlation_id,
            lane=lane or self.lane,
            run_id=run_id or self.run_id,
        )

    def recorded(self, at: datetime) -> Envelope:
        return replace(self, recorded_at=at)


def outside_fact(
    event: Event,
    *,
    project_id: str,
    occurred_at: datetime,
    actor: Actor,
    correlation_id: str = "",
    lane: Lane = "none",
    run_id: str | None = None,
    natural_key: str = "",
) -> Envelope:
    """A fact made by a person or the outside.

    ``natural_key`` is the event's local key, which holds the request's idempotency key, unless
    given.
    """
    natural_key = natural_key or event.local_key
    return Envelope(
        event_id=derive_event_id(event.type_name, project_id, natural_key),
        project_id=project_id,
        natural_key=natural_key,
        occurred_at=occurred_at,
        event=event,
        correlation_id=correlation_id or natural_key,
        actor=actor,
        lane=lane,
        run_id=run_id,
    )
