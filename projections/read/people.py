"""What people decide about, and what the ledger answered."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.errors import NotFound
from projections.read.projects import deleted_of
from projections.read.session import Conn, ReadModel, rows, select

TARGETS = {
    "atm": "SELECT project_id, revision FROM ledger_atoms WHERE atom_id = %s",
    "ctr": "SELECT project_id, revision FROM ledger_contradictions WHERE contradiction_id = %s",
    "mrg": "SELECT project_id, revision FROM ledger_merge_candidates WHERE merge_candidate_id = %s",
}
ANSWER = """
    SELECT hitl_event_id, project_id, ledger_seq, action, decision, target_type, target_id, outcome,
        refusal, rationale, actor_id, actor_role, expected_revision, before_state, after_state,
        occurred_at
    FROM ledger_hitl_events WHERE {} = %s
"""


class Target(ReadModel):
    """What a decision is about, and the revision of it that was seen."""

    project_id: str
    revision: int


class DecisionAnswer(ReadModel):
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


def target(connection: Conn, target_id: str) -> Target:
    """Project and revision of an atom, contradiction or merge candidate. Raises Refusal."""
    query = TARGETS.get(target_id.partition("_")[0])
    found = select(connection, Target, query, target_id) if query else []
    if not found or deleted_of(connection, [found[0].project_id]):
        raise NotFound(
            f"There is no {target_id}: give the id of an atom (atm_), a contradiction (ctr_) or a"
            " merge review (mrg_).",
            code="unknown_target",
        )
    return found[0]


def loser_of(connection: Conn, merge_op_id: str) -> str:
    """The atom that a merge operation merged away. Raises Refusal when it merged none."""
    found = rows(
        connection,
        "SELECT loser_atom_id FROM ledger_merge_ops WHERE merge_op_id = %s"
        " AND op IN ('auto_merge', 'reviewed_merge')",
        merge_op_id,
    )
    if not found:
        raise NotFound(f"{merge_op_id} is no merge of two atoms.", code="unknown_merge")
    return str(found[0]["loser_atom_id"])


def decision(connection: Conn, hitl_event_id: str) -> DecisionAnswer:
    """A decision that the ledger has answered. Raises NotFound."""
    found = find_decision(connection, hitl_event_id)
    if found is None:
        raise NotFound(f"There is no decision {hitl_event_id}.", code="unknown_decision")
    return found


def find_decision(connection: Conn, hitl_event_id: str) -> DecisionAnswer | None:
    """A decision that the ledger has answered; None for one that it has not."""
    found = select(connection, DecisionAnswer, ANSWER.format("hitl_event_id"), hitl_event_id)
    return next(iter(found), None)


def answer_to(connection: Conn, event_id: str) -> DecisionAnswer | None:
    """What the ledger answered to a decision; None while it has not."""
    return next(iter(select(connection, DecisionAnswer, ANSWER.format("event_id"), event_id)), None)
