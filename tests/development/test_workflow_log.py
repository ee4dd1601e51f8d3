"""The log of a workflow: what coding agents do stands where it comes, and no step waits for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agents.runs.effects import Json, RecordMissing
from agents.runs.numbering import RunEffects
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.runs.family import RunEvent
from schemas.envelope import Envelope
from schemas.events.stream import StreamFrame
from schemas.events.workflow import (
    AgentEventRecorded,
    WorkflowEvent,
    WorkflowFinished,
    WorkflowIssue,
    WorkflowStarted,
)
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import Killed, in_loop

PLACE = WorkflowPlace("prj_1", "wfl_1", "ana")
ASKED = WorkflowStarted(
    workflow_id="wfl_1",
    ordinal=0,
    workflow_type="issue",
    thread_id="issue-7",
    issue=WorkflowIssue(number=7, title="Export", text="Export as CSV."),
    started_by="ana",
)
DONE = 3  # things that the agent does in a call


class Topic:
    """What was published; the process ends when ``room`` facts are there."""

    def __init__(self, room: int | None = None) -> None:
        self.facts: list[Envelope] = []
        self.room = room
        self.calls = 0

    async def publish(self, facts: Sequence[Envelope]) -> None:
        for fact in facts:
            if self.room is not None and len(self.facts) >= self.room:
                raise Killed
            self.facts.append(fact)

    @property
    def events(self) -> list[RunEvent]:
        first = {fact.event_id: fact for fact in reversed(self.facts)}.values()
        told = [
            RunEvent(fact.event.ordinal, fact.event, fact.occurred_at)
            for fact in first
            if isinstance(fact.event, WorkflowEvent)
        ]
        return sorted(told, key=lambda one: one.ordinal)

    @property
    def types(self) -> list[str]:
        return [one.event.type_name.removeprefix("workflow.") for one in self.events]

    def open_log(self) -> WorkflowLog:
        return WorkflowLog(PLACE, self.events, StageRedactor(), self.publish)

    async def go(self, log: WorkflowLog) -> str:
        """A run with one call, in which an agent does something."""
        await log.begin(ASKED)

        async def make(key: str) -> Json:
            self.calls += 1
            for number in range(DONE):
                await log.tell_agent_event(
                    id=f"{self.calls}.{number}",
                    event_type="CLAUDE_TOOL_CALL",
                    content="It reads.",
                    at="2026-11-29T09:00:00+00:00",
                    agent="developer",
                    tool_name="read_file",
                    tool_input=json.dumps({"path": "a.py"}),
                )
            return {"text": "It is done."}

        effects = RunEffects(log, PLACE.workflow_id, PLACE.project_id, "developer", 1)
        answer = await effects.call("write_code", {"task": "1"}, make)
        await log.record(WorkflowFinished, status="completed", text=answer["text"])
        return str(answer["text"])


@in_loop
async def test_what_an_agent_does_stands_before_the_answer_of_its_call():
    topic = Topic()
    await topic.go(topic.open_log())

    did = ["agent_event"] * DONE
    assert topic.types == ["started", "tool_called", *did, "tool_returned", "finished"]
    assert [one.ordinal for one in topic.events] == list(range(len(topic.events)))
    frames = [fact.event for fact in topic.facts if isinstance(fact.event, StreamFrame)]
    told = [json.loads(frame.data) for frame in frames if frame.name == "agent_event"]
    assert [one["tool_input"] for one in told] == [{"path": "a.py"}] * DONE
    assert frames[-1].name == "done"


@in_loop
async def test_a_run_that_is_done_is_gone_through_again_without_a_call():
    topic = Topic()
    await topic.go(topic.open_log())
    before = len(topic.events)

    assert await topic.go(topic.open_log()) == "It is done."
    assert (topic.calls, len(topic.events)) == (1, before)
    replayed = WorkflowLog(PLACE, topic.events, StageRedactor(), publish=None)
    await topic.go(replayed)
    assert replayed.describe_replay()[0] == before
    assert topic.calls == 1


@pytest.mark.parametrize("room", range(1, 14))
def test_a_run_that_was_broken_off_anywhere_comes_to_its_end(room: int):
    @in_loop
    async def check() -> None:
        topic, wanted = Topic(room), 1
        try:
            await topic.go(topic.open_log())
        except Killed:
            wanted = topic.calls + ("tool_returned" not in topic.types)
            topic.room = None
            await topic.go(topic.open_log())
        types = topic.types
        assert (types[0], types[-1]) == ("started", "finished")
        assert types.count("tool_returned") == types.count("tool_called") == 1
        assert [one.ordinal for one in topic.events] == list(range(len(types)))
        assert topic.calls == wanted

    check()


@in_loop
async def test_an_answer_that_is_recorded_is_not_made_again():
    topic = Topic()
    await topic.go(topic.open_log())
    told: list[Any] = [one for one in topic.events if one.event.type_name != "workflow.finished"]
    log = WorkflowLog(PLACE, told, StageRedactor(), topic.publish)
    await topic.go(log)
    assert topic.calls == 1


@in_loop
async def test_a_replay_names_what_it_misses():
    topic = Topic()
    await topic.go(topic.open_log())
    told = [one for one in topic.events if not isinstance(one.event, WorkflowFinished)]
    without = [one for one in told if one.event.type_name != "workflow.tool_returned"]
    log = WorkflowLog(PLACE, without, StageRedactor(), publish=None)
    with pytest.raises(RecordMissing):
        await topic.go(log)
    assert all(isinstance(one.event, AgentEventRecorded) for one in without[2:])
