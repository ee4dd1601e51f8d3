"""The part of a fact that outlives it: enough to name it as the cause of what follows later."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from schemas.envelope import Envelope, Event, Lane, Part


class Cause(Part):
    """As much of an envelope as is needed to make its outputs later."""

    event_id: UUID
    project_id: str
    natural_key: str
    occurred_at: datetime
    correlation_id: str

    @classmethod
    def of(cls, envelope: Envelope) -> Cause:
        return cls(
            event_id=envelope.event_id,
            project_id=envelope.project_id,
            natural_key=envelope.natural_key,
            occurred_at=envelope.occurred_at,
            correlation_id=envelope.correlation_id,
        )

    def caused(self, event: Event, *, lane: Lane, run_id: str | None) -> Envelope:
        """The envelope of ``event``, an output of this fact in that lane and run, if any."""
        source = Envelope(
            event_id=self.event_id,
            project_id=self.project_id,
            natural_key=self.natural_key,
            occurred_at=self.occurred_at,
            event=event,
            correlation_id=self.correlation_id,
        )
        return source.caused(event, lane=lane, run_id=run_id)
