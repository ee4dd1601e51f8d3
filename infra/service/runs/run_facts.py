"""The facts that a run publishes: its events and their frames, without secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents.runs.effects import Json
from infra.platform.clock import SystemClock
from infra.service.runs.family import Family, Frame, RunPlace
from infra.store.jobs.worker import as_plain_json
from schemas.codec import utc_millis
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.stream import StreamFrame
from schemas.strings import Redactor, redact_fact


@dataclass(frozen=True, slots=True)
class RunFacts:
    """How one run writes."""

    family: Family
    place: RunPlace
    redactor: Redactor

    def write(
        self, kind: type[Event], ordinal: int, fields: Mapping[str, Any], at: datetime
    ) -> Envelope:
        """The event of this run as a fact, without secrets."""
        new = kind.model_validate({**self.place.fields, "ordinal": ordinal, **fields})
        return redact_fact(self._fact_of(new, at), self.redactor)

    def show(self, event: Event, frame: Frame, ordinal: int, at: datetime) -> Envelope:
        """The frame of an event; a repeat of it counts once."""
        shown = self._frame(*frame, ordinal, is_last=isinstance(event, self.family.ended))
        return self._fact_of(event, at).caused(shown)

    def tell(self, frame: Frame, number: int, attempt: str) -> Envelope:
        """A frame that no event has, the ``number``th of this try at the run."""
        return outside_fact(
            self._frame(*frame, number),
            project_id=self.place.project_id,
            occurred_at=utc_millis(SystemClock().now()),
            actor=self.family.agent,
            natural_key=f"{self.place.run_id}|{attempt}|{number}",
        )

    def clean(self, value: Json) -> Json:
        """Without secrets, as it will stand in the log: what is used is what is recorded."""
        return as_plain_json(value, self.redactor.text)

    def _frame(self, name: str, data: Json, ordinal: int, *, is_last: bool = False) -> StreamFrame:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return StreamFrame(
            stream_id=self.place.run_id, ordinal=ordinal, name=name, data=text, is_last=is_last
        )

    def _fact_of(self, event: Event, at: datetime) -> Envelope:
        by_person = isinstance(event, self.family.begun)
        return outside_fact(
            event,
            project_id=self.place.project_id,
            occurred_at=at,
            actor=Actor(type="human", id=self.place.asked_by) if by_person else self.family.agent,
            correlation_id=self.place.run_id,
        )
