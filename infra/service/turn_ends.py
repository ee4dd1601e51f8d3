"""Ends turns that nobody goes on with: a call that no person confirms, a job that is over.

A job does it, after all others of the conversation, and through the log of the turn: so whoever
follows the turn or reads the conversation sees it like any other end. Each turn is found again
until it has ended; its job is the same.
"""

from __future__ import annotations

from infra.jobs import queue
from infra.jobs.outbox import Conn
from infra.service.turn_payload import GivenDecision, TurnPayload, decision_key, turn_job
from projections.read.agents import ExpiredConfirmation, UnansweredTurn
from schemas.envelope import Actor


def end_turn(tables: Conn, over: UnansweredTurn, by: Actor) -> None:
    """Have a turn end whose job is over."""
    asked = TurnPayload.model_validate(over.payload)
    payload = asked.model_copy(update={"ended": over.status, "given": None, "is_first": False})
    key = f"{asked.turn_id}|ended"
    queue.enqueue(tables, turn_job(over.project_id, payload, key, over.created_by), by)


def decline_call(tables: Conn, late: ExpiredConfirmation, by: Actor) -> None:
    """Have a turn go on without the call that nobody has decided about."""
    key = decision_key(late.turn_id, late.confirmation_id)
    given = GivenDecision(confirmation_id=late.confirmation_id, decision="reject")
    payload = TurnPayload(conversation_id=late.conversation_id, turn_id=late.turn_id, given=given)
    queue.enqueue(tables, turn_job(late.project_id, payload, key, f"{by.type}:{by.id}"), by)
