"""What a run takes over from another one has to fit it: an approval its call, a record its kind."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from agents.runs.confirmations import approve
from agents.runs.numbering import RunEffects
from infra.service.runs.driving import drive, replay
from infra.service.runs.family import RunEvent, RunPlace
from infra.service.runs.run_log import RunDiverged, RunLog
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import in_loop
from tests.agents.test_run_log import (
    DELIVERIES,
    Delivered,
    Depot,
    Ordered,
    approved_delivery,
    copied_until,
)

ASKED, DECIDED, RETURNED = 2, 3, 5


async def deliver_otherwise(
    depot: Depot, log: RunLog, *, tool: str = "ship", suffix: str = "", kind: str = "model"
) -> None:
    """The program of a delivery as a later version might have it."""
    await log.record(Ordered, goods="anything")
    effects = RunEffects(log, depot.run_id, "prj_1", "carrier", 1)
    thought = await effects.run(kind, {"run": depot.run_id}, depot.think)
    args = {"what": f"{thought['text']}{suffix}"}
    decisions = log.list_decisions()
    shipped = await effects.call_approved(
        tool, args, depot.ship, lambda key: approve(key, tool, args, decisions)
    )
    await log.record(Delivered, text=shipped["text"])


@pytest.mark.parametrize("last", [DECIDED, RETURNED])
@pytest.mark.parametrize("other", [{"tool": "sink"}, {"suffix": " and crate 2"}, {"kind": "read"}])
def test_an_approval_is_no_approval_of_another_call(last: int, other: dict[str, Any]):
    fork = Depot("dlv_2")

    async def go_on() -> None:
        log = fork.open(copied_until(await approved_delivery(Depot()), last))
        await drive(log, partial(deliver_otherwise, fork, log, **other))

    with pytest.raises(RunDiverged) as refused:
        asyncio.run(go_on())
    assert refused.value.code == "turn_diverged"
    assert fork.calls == []
    assert not any(isinstance(event, DELIVERIES.decided) for event in fork.events)


@in_loop
async def test_a_replay_of_a_changed_program_names_the_event_where_it_would_ask():
    depot = await approved_delivery(Depot())
    at = datetime(2026, 11, 2, tzinfo=UTC)
    known = [RunEvent(event.ordinal, event, at) for event in depot.events]
    place = RunPlace("prj_1", depot.run_id, "ana", {"delivery_id": depot.run_id})
    log = RunLog(DELIVERIES, place, known, StageRedactor(), None)
    with pytest.raises(RunDiverged, match=f"Event {ASKED} of run dlv_1"):
        await replay(log, partial(deliver_otherwise, depot, log, suffix="!"))
