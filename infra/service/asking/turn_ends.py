"""Ends turns that nobody goes on with: a call that no person confirms, or that a message leaves
behind, and a job that is over.

A job does it, after all others of the conversation, and through the log of the turn: so whoever
follows the turn or reads the conversation sees it like any other end. Each turn is found again
until it has ended; its job is the same.
"""

from __future__ import annotations

from agents.runs.confirmations import ABANDONED
from infra.service.asking.turn_payload import GivenDecision, TurnPayload, decision_key, turn_job
from infra.store.jobs import queue
from infra.store.jobs.outbox import Conn
from projections.read.agents import (
    Confirmation,
    ExpiredConfirmation,
    UnansweredTurn,
    list_open_confirmations,
)
from schemas.envelope import Actor


def end_turn(tables: Conn, over: UnansweredTurn, by: Actor, *, stopped_by: str = "") -> None:
    """Have a turn end whose job is over, or was ``stopped_by`` somebody."""
    asked = TurnPayload.model_validate(over.payload)
    payload = asked.model_copy(
        update={"ended": over.status, "given": None, "is_first": False, "stopped_by": stopped_by}
    )
    key = f"{asked.turn_id}|ended"
    queue.enqueue(tables, turn_job(over.project_id, payload, key, over.created_by), by)


def abandon_calls(tables: Conn, payload: TurnPayload, by: Actor) -> None:
    """Have the other turns of the conversation go on without the calls that wait in them: whoever
    says something else does not go on with those. A viewer decides about none.
    """
    for waiting in list_open_confirmations(tables, payload.conversation_id):
        if waiting.turn_id != payload.turn_id and payload.role != "viewer":
            decline_call(tables, waiting, by, reason=ABANDONED, given_by=by.id)


def decline_call(
    tables: Conn,
    waiting: ExpiredConfirmation | Confirmation,
    by: Actor,
    *,
    reason: str = "",
    given_by: str = "",
) -> None:
    """Have a turn go on without a call; without ``given_by`` nobody has decided about it."""
    key = decision_key(waiting.turn_id, waiting.confirmation_id)
    given = GivenDecision(
        confirmation_id=waiting.confirmation_id,
        decision="reject",
        reason=reason,
        given_by=given_by,
    )
    payload = TurnPayload(
        conversation_id=waiting.conversation_id, turn_id=waiting.turn_id, given=given
    )
    queue.enqueue(tables, turn_job(waiting.project_id, payload, key, f"{by.type}:{by.id}"), by)
