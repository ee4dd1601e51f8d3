# Written by `python -m infra.http.client_code`: change the route, then run it again.
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
    """What the ledger answered to a decision, with the records before and after it.

    See `DecisionAnswer`. A member's has the outcome ``proposed``: it waits for an owner or a
    product manager.
    """

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
    event_id: str
    undoes: str | None
    floor: float | None
    escalated_to: str | None
    proposal_id: str | None
    proposed_by: str | None
    summary: str
    undoable: bool
    undo_refusal: str


class DecisionAnswer(Model):
    """What the ledger answered to a decision; states hold the records that it touched.

    ``outcome``: applied, refused, proposed (by a member, so it changed nothing and waits), or
    declined (a proposal that was not accepted) or withdrawn (by who had proposed it). ``summary``
    says it in a sentence. ``undoable``: nothing stands on it, so it can be taken back; else
    ``undo_refusal`` says why not.
    """

    hitl_event_id: str
    event_id: str
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
    undoes: str | None
    floor: float | None
    escalated_to: str | None
    proposal_id: str | None
    proposed_by: str | None
    summary: str
    undoable: bool
    undo_refusal: str


class DecisionRequest(Model):
    """``expected_revision`` is the revision that was looked at; without it the present one."""

    rationale: str = ""
    expected_revision: int | None = None


class MergeDecision(Model):
    rationale: str = ""
    expected_revision: int | None = None
    decision: Literal["approve", "reject"]


class Proposal(Model):
    """What a member proposes. ``state``: waiting, accepted, declined or withdrawn, then with the
    answer.

    ``proposes`` says what, ``summary`` also who and why. ``changed``: what it is about is at
    another ``revision`` than the member saw, so accepting it is refused unless the answer names the
    new one. ``atom_ids`` are the statements that it is about.
    """

    proposal_id: str
    project_id: str
    ledger_seq: int
    action: str
    decision: str | None
    target_type: str
    target_id: str
    atom_ids: list[str]
    proposes: str
    summary: str
    rationale: str
    proposed_by: str
    proposed_at: datetime
    state: str
    expected_revision: int
    revision: int | None
    changed: bool
    answer_id: str | None
    answered_by: str | None
    answer_rationale: str | None
    answered_at: datetime | None


class ProposalAnswer(Model):
    """To decline needs a ``rationale``; without one an accepted decision has the proposal's.

    Without ``expected_revision`` it is accepted as the member saw it, and refused (409) when that
    has changed.
    """

    rationale: str = ""
    expected_revision: int | None = None
    decision: Literal["accept", "decline"]


class RecordedDecision(Model):
    """The decision is in the log; the ledger answers it in time, which ``url`` tells.

    ``proposed``: it is a member's, so it changes nothing until an owner or a product manager
    accepts it: see the proposals of the project.
    """

    event_id: str
    hitl_event_id: str
    url: str
    target_id: str
    key: str
    proposed: bool


class SubmittedDecision(Model):
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
