"""What requests and answers of the area Decisions are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from infra.client.connection import Model


class ContradictionDecision(Model):
    """``resolution_kind`` belongs to ``resolve``, ``escalated_to`` to ``escalate``."""

    rationale: str = ""
    expected_revision: int | None = None
    decision: Literal["resolve", "escalate", "dismiss"]
    resolution_kind: Literal["a_wins", "b_wins", "both_valid", "reworded"] | None = None
    escalated_to: str | None = None


class Decision(Model):
    """What the ledger answered to a decision, with the records before and after it."""

    hitl_event_id: str
    project_id: str
    ledger_seq: int
    action: str
    decision: str | None
    target_type: str
    target_id: str
    outcome: str
    refusal: str | None
    rationale: str
    actor_id: str
    actor_role: str
    expected_revision: int
    before_state: dict[str, Any]
    after_state: dict[str, Any] | None
    occurred_at: datetime


class DecisionAnswer(Model):
    """What the ledger answered to a decision; states hold the records that it touched."""

    hitl_event_id: str
    project_id: str
    ledger_seq: int
    action: str
    decision: str | None
    target_type: str
    target_id: str
    outcome: str
    refusal: str
    rationale: str
    actor_id: str
    actor_role: str
    expected_revision: int
    before_state: dict[str, Any]
    after_state: dict[str, Any] | None
    occurred_at: datetime


class MergeDecision(Model):
    rationale: str = ""
    expected_revision: int | None = None
    decision: Literal["approve", "reject"]


class Reasons(Model):
    """``expected_revision`` is the revision that was looked at; without it the present one."""

    rationale: str = ""
    expected_revision: int | None = None


class RecordedDecision(Model):
    """The decision is in the log; the ledger answers it in time, which ``url`` tells."""

    event_id: str
    hitl_event_id: str
    url: str
    target_id: str
    key: str


class SentDecision(Model):
    """A decision at its address. ``state`` is ``waiting`` until the ledger has answered it.

    ``code`` says why it was refused; ``answer`` holds the records before and after it.
    """

    hitl_event_id: str
    project_id: str
    target_id: str
    url: str
    state: str
    code: str | None = None
    answer: DecisionAnswer | None = None


class Verification(Model):
    """``floor``: the confidence below which no run lowers the atom; 0.90 without it."""

    rationale: str = ""
    expected_revision: int | None = None
    floor: float | None = None
