"""What a specialist does only once a person has said so, over a log in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import cast

import pytest

from agents.project import planner, scheduler
from agents.project.analyst import analyse
from agents.project.specialist import SpecialistContext, do_work
from agents.project.state import AgentResult
from agents.runs.confirmations import Decision, WaitsForConfirmation
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from agents.tools.ports import Ports
from agents.tools.tool import ToolContext
from tests.agents.talks import PLACE, Topic, a_state

NOW = datetime(2026, 11, 26, 16, 0, tzinfo=UTC)
YES, NO = Decision(kind="approve", decided_by="ana"), Decision(kind="reject", decided_by="ana")


@dataclass
class Outside:
    """A world without insights that keeps what it is asked; ``service`` answers research."""

    scheduled: list[str] = field(default_factory=list)
    researched: list[str] = field(default_factory=list)
    service: Callable[[ToolContext, str], Awaitable[Json]] | None = None

    async def schedule_work(self, _: ToolContext, request: str) -> Json:
        self.scheduled.append(request)
        item = {"work_item_id": "wrk_1", "title": "Sweep", "agent": "assistant"}
        return {"items": [item | {"priority": "scheduled", "recurrence": "weekly"} | NEXT]}

    async def research(self, context: ToolContext, query: str) -> Json:
        self.researched.append(query)
        return await self.service(context, query) if self.service else {"findings": [FOUND]}

    async def request_generation(self, *_: object) -> Json:
        return {"artifact_ids": []}

    async def list_items(self, *_: object) -> list[Json]:
        return []

    async def list_atoms(self, *_: object) -> list[Json]:
        return []

    async def list_contradictions(self, *_: object) -> list[Json]:
        return []


FOUND = {"text": "Seals are signed", "address": "https://example.org", "found_on": "2026-11-26"}
NEXT = {"next_run_at": "2026-11-30T09:00:00Z"}


def work(request: str, outside: Outside, topic: Topic, decision: Decision | None) -> AgentResult:
    """One go at the request; ``decision`` is the person's about whatever waits."""

    class Decided(dict[str, Decision]):
        def get(self, *_: object) -> Decision | None:  # type: ignore[override]
            return decision

    specialist = SpecialistContext(
        name="specialist",
        request=request,
        task=request,
        state=a_state(request),
        effects=RunEffects(topic.open_log(), PLACE.turn_id, PLACE.project_id, "specialist", 2),
        ports=cast(Ports, outside),
        model=None,
        actor="ana",
        role="pm",
        now=lambda: NOW,
        can_research=True,
        decisions=Decided(),
    )
    plan = partial(scheduler.schedule, do=outside.schedule_work)
    if "features" in request:
        return asyncio.run(do_work(specialist, planner.plan))
    return asyncio.run(do_work(specialist, analyse if "research" in request else plan))


def test_an_order_is_scheduled_and_a_statement_waits():
    outside = Outside()
    said = work("every monday: sweep the yard", outside, Topic(), None).response
    assert said == "Scheduled: Sweep, next at 2026-11-30T09:00:00Z (weekly)."
    with pytest.raises(WaitsForConfirmation):
        work("We sweep the yard every monday", outside, Topic(), None)
    assert outside.scheduled == ["every monday: sweep the yard"]


@pytest.mark.parametrize(("decision", "count"), [(YES, 1), (NO, 0)])
def test_a_waiting_call_runs_only_when_a_person_approves_it(decision: Decision, count: int):
    outside = Outside()
    result = work("We sweep the yard every monday", outside, Topic(), decision)
    assert len(outside.scheduled) == count
    assert (result.error == "declined") == (count == 0), result.response


@pytest.mark.parametrize(
    "request_text", ["Do deep research on seals", "Derive the features and research seals"]
)
def test_no_word_leaves_the_machine_before_a_person_says_so(request_text: str):
    outside, request = Outside(), request_text
    with pytest.raises(WaitsForConfirmation):
        work(request, outside, Topic(), None)
    assert outside.researched == []
    assert work(request, outside, Topic(), NO).error is None
    assert outside.researched == []
    told = work(request, outside, Topic(), YES)
    assert outside.researched == [request]
    assert told.output["research"] == [FOUND]
    assert "no evidence of the project" in told.response and FOUND["address"] in told.response
