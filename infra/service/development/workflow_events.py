"""The events of workflows, as the tables hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from infra.platform import postgres
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from infra.service.runs.family import RunEvent
from projections.checksums import caught_up
from projections.core import CORE
from projections.read import workflows as read
from projections.read.workflows import WorkflowLogEvent
from schemas.events import EVENT_TYPES
from schemas.events.workflow import WorkflowEvent, WorkflowFinished


async def read_workflow_events(
    settings: Settings, workflow_id: str, *, waits: bool
) -> list[RunEvent]:
    """The events of a run; ``waits``: when the tables hold all that the log holds now."""
    if waits:
        await wait_for_workflows(settings)
    found = await ask(settings, lambda tables: read.list_workflow_events(tables, workflow_id))
    return [RunEvent(each.ordinal, event_of(each), each.occurred_at) for each in found]


async def wait_for_workflows(settings: Settings) -> None:
    """Return when the tables hold all that the log of workflows holds now."""
    of_workflows = replace(CORE, topics=(WorkflowEvent.topic,))
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        await caught_up(of_workflows, settings, connection)


def event_of(row: WorkflowLogEvent) -> WorkflowEvent:
    """The event as it was told."""
    place = {"workflow_id": row.workflow_id, "ordinal": row.ordinal}
    event = EVENT_TYPES[row.event_type].model_validate(row.data | place)
    assert isinstance(event, WorkflowEvent)
    return event


def find_end(events: Sequence[RunEvent]) -> WorkflowFinished | None:
    """The event with which the run has ended; None: it goes on."""
    return next((one.event for one in events if isinstance(one.event, WorkflowFinished)), None)
