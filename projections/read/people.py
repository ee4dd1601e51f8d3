"""What people decide about, and what the ledger answered."""

from __future__ import annotations

from infra.platform.errors import NotFound
from projections.read.decided import COLUMNS, DecisionAnswer, complete
from projections.read.projects import find_deleted
from projections.read.session import Conn, ReadModel, rows, select

TARGETS = {
    "atm": "SELECT project_id, revision FROM ledger_atoms WHERE atom_id = %s",
    "ctr": "SELECT project_id, revision FROM ledger_contradictions WHERE contradiction_id = %s",
    "src": "SELECT s.project_id, coalesce(g.revision, 0) AS revision FROM sources s"
    " LEFT JOIN ledger_document_roles g USING (source_id) WHERE s.source_id = %s",
    "mrg": "SELECT project_id, revision FROM ledger_merge_candidates WHERE merge_candidate_id = %s",
}
ANSWER = f"SELECT {COLUMNS} FROM ledger_hitl_events WHERE {{}} = %s"


class Target(ReadModel):
    """What a decision is about, and the revision of it that was seen."""

    project_id: str
    revision: int


def read_target(connection: Conn, target_id: str) -> Target:
    """Project and revision of an atom, contradiction, merge candidate or document. Raises
    Refusal.
    """
    query = TARGETS.get(target_id.partition("_")[0])
    items = select(connection, Target, query, target_id) if query else []
    if not items or find_deleted(connection, [items[0].project_id]):
        raise NotFound(
            f"There is no {target_id}: give the id of an atom (atm_), a contradiction (ctr_), a"
            " merge review (mrg_) or a source (src_).",
            code="unknown_target",
        )
    return items[0]


def loser_of(connection: Conn, merge_op_id: str) -> str:
    """The atom that a merge operation merged away. Raises Refusal when it merged none."""
    records = rows(
        connection,
        "SELECT loser_atom_id FROM ledger_merge_ops WHERE merge_op_id = %s"
        " AND op IN ('auto_merge', 'reviewed_merge')",
        merge_op_id,
    )
    if not records:
        raise NotFound(f"{merge_op_id} is no merge of two atoms.", code="unknown_merge")
    return str(records[0]["loser_atom_id"])


def read_decision(connection: Conn, hitl_event_id: str) -> DecisionAnswer:
    """A decision that the ledger has answered. Raises NotFound."""
    row = find_decision(connection, hitl_event_id)
    if row is None:
        raise NotFound(f"There is no decision {hitl_event_id}.", code="unknown_decision")
    return row


def find_decision(connection: Conn, hitl_event_id: str) -> DecisionAnswer | None:
    """A decision that the ledger has answered; None for one that it has not."""
    answers = complete(connection, rows(connection, ANSWER.format("hitl_event_id"), hitl_event_id))
    return next(iter(answers), None)


def find_answer(connection: Conn, event_id: str) -> DecisionAnswer | None:
    """What the ledger answered to a decision; None while it has not."""
    answers = complete(connection, rows(connection, ANSWER.format("event_id"), event_id))
    return next(iter(answers), None)
