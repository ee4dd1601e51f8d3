"""Conversations with the agents: every event as it is, and who said, thought and did what."""

from __future__ import annotations

import json
from typing import Any

from projections.rows import Row, Rows
from schemas.envelope import Envelope, Event
from schemas.events.agent import (
    AGENT_EVENTS,
    AgentCitation,
    AgentEvent,
    ConfirmationGiven,
    ConfirmationRequested,
    HandoffFinished,
    HandoffStarted,
    RequestReceived,
    Responded,
    ResultProduced,
    ThoughtRecorded,
    ToolCalled,
    ToolReturned,
)
from schemas.shortening import shorten

PLACE = {"turn_id", "conversation_id", "ordinal"}
LONGEST_TITLE = 80


def keep_event(rows: Rows, fact: Envelope, event: AgentEvent) -> None:
    _keep(rows, fact, event)


def request_received(rows: Rows, fact: Envelope, event: RequestReceived) -> None:
    _keep(rows, fact, event)
    rows.add(
        fact,
        "conversations",
        {
            "conversation_id": event.conversation_id,
            "title": shorten(" ".join(event.text.split()), LONGEST_TITLE),
            "started_by": fact.actor.id,
            "started_at": fact.occurred_at,
            "updated_at": fact.occurred_at,
            "owner": event.owner,
            "agent": event.agent,
        },
    )
    _say(rows, fact, event, {"role": "user", "author": fact.actor.id, "content": event.text})


def responded(rows: Rows, fact: Envelope, event: Responded) -> None:
    _keep(rows, fact, event)
    row: Row = {"role": "assistant", "author": event.agent, "content": event.text}
    _say(rows, fact, event, row, event.citations, event.engine, event.error)


def result_produced(rows: Rows, fact: Envelope, event: ResultProduced) -> None:
    _keep(rows, fact, event)
    result = event.result.model_dump() | {"output": json.loads(event.result.output)}
    rows.add(fact, "agent_results", _place(event) | {"iteration": event.iteration} | result)


def thought_recorded(rows: Rows, fact: Envelope, event: ThoughtRecorded) -> None:
    _keep(rows, fact, event)
    thought = {"agent": event.agent, "thought": event.thought, "thought_at": fact.occurred_at}
    rows.add(fact, "agent_thoughts", _place(event) | thought)


def tool_called(rows: Rows, fact: Envelope, event: ToolCalled) -> None:
    _keep(rows, fact, event)
    called = {
        "called_ordinal": event.ordinal,
        "arguments": json.loads(event.arguments),
        "called_at": fact.occurred_at,
    }
    rows.add(fact, "tool_calls", _call(event) | called)


def tool_returned(rows: Rows, fact: Envelope, event: ToolReturned) -> None:
    _keep(rows, fact, event)
    returned = {
        "returned_ordinal": event.ordinal,
        "answer": json.loads(event.answer),
        "is_error": event.is_error,
        "returned_at": fact.occurred_at,
    }
    rows.add(fact, "tool_calls", _call(event) | returned)


def confirmation_requested(rows: Rows, fact: Envelope, event: ConfirmationRequested) -> None:
    _keep(rows, fact, event)
    asked = {
        "tool": event.tool,
        "arguments": json.loads(event.arguments),
        "summary": event.summary,
        "requested_at": fact.occurred_at,
    }
    rows.add(fact, "confirmations", _confirmation(event) | asked)


def confirmation_given(rows: Rows, fact: Envelope, event: ConfirmationGiven) -> None:
    _keep(rows, fact, event)
    changed = None if event.arguments is None else json.loads(event.arguments)
    given = {
        "decision": event.decision,
        "changed_arguments": changed,
        "reason": event.reason,
        "given_by": event.given_by,
        "given_at": fact.occurred_at,
    }
    rows.add(fact, "confirmations", _confirmation(event) | given)


def handoff_started(rows: Rows, fact: Envelope, event: HandoffStarted) -> None:
    _keep(rows, fact, event)
    began = {
        "task": event.task,
        "started_ordinal": event.ordinal,
        "started_at": fact.occurred_at,
    }
    rows.add(fact, "agent_handoffs", _handoff(event) | began)


def handoff_finished(rows: Rows, fact: Envelope, event: HandoffFinished) -> None:
    _keep(rows, fact, event)
    ended = {
        "summary": event.summary,
        "notes": json.loads(event.notes),
        "is_error": event.is_error,
        "finished_ordinal": event.ordinal,
        "finished_at": fact.occurred_at,
    }
    rows.add(fact, "agent_handoffs", _handoff(event) | ended)


def _keep(rows: Rows, fact: Envelope, event: AgentEvent) -> None:
    data = {
        "event_type": event.type_name,
        "data": event.model_dump(mode="json", exclude=PLACE),
        "occurred_at": fact.occurred_at,
    }
    rows.add(fact, "agent_events", _place(event) | data)


def _say(
    rows: Rows,
    fact: Envelope,
    event: AgentEvent,
    row: Row,
    citations: list[AgentCitation] | None = None,
    engine: str | None = None,
    error: str = "",
) -> None:
    rest = {
        "citations": [citation.model_dump() for citation in citations or ()],
        "engine": engine,
        "error": error,
        "sent_at": fact.occurred_at,
    }
    rows.add(fact, "conversation_messages", _place(event) | row | rest)


def _place(event: AgentEvent) -> Row:
    return {name: getattr(event, name) for name in sorted(PLACE)}


def _call(event: ToolCalled | ToolReturned) -> Row:
    return {
        "effect_id": event.position.effect_id,
        "conversation_id": event.conversation_id,
        "turn_id": event.turn_id,
        "agent": event.position.node,
        "tool": event.tool,
    }


def _confirmation(event: ConfirmationRequested | ConfirmationGiven) -> Row:
    return {
        "confirmation_id": event.confirmation_id,
        "conversation_id": event.conversation_id,
        "turn_id": event.turn_id,
    }


def _handoff(event: HandoffStarted | HandoffFinished) -> Row:
    names = ("turn_id", "call_id", "conversation_id", "thread", "from_agent", "to_agent")
    return {name: getattr(event, name) for name in names}


FOLDS: dict[type[Event], Any] = dict.fromkeys(AGENT_EVENTS, keep_event) | {
    RequestReceived: request_received,
    Responded: responded,
    ResultProduced: result_produced,
    ThoughtRecorded: thought_recorded,
    ToolCalled: tool_called,
    ToolReturned: tool_returned,
    ConfirmationRequested: confirmation_requested,
    ConfirmationGiven: confirmation_given,
    HandoffStarted: handoff_started,
    HandoffFinished: handoff_finished,
}
