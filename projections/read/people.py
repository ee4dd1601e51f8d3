"""What a person is shown before a decision, and what became of it afterwards. No query writes."""

from __future__ import annotations

from infra.errors import Refusal
from projections.read.session import Conn, Row, rows

TARGETS = {
    "atm": "SELECT project_id, revision FROM ledger_atoms WHERE atom_id = %s",
    "ctr": "SELECT project_id, revision FROM ledger_contradictions WHERE contradiction_id = %s",
    "mrg": "SELECT project_id, revision FROM ledger_merge_candidates WHERE merge_candidate_id = %s",
}
ANSWER = """
    SELECT hitl_event_id, project_id, ledger_seq, action, decision, target_type, target_id, outcome,
        refusal, rationale, actor_id, actor_role, expected_revision, before_state, after_state,
        occurred_at
    FROM ledger_hitl_events WHERE event_id = %s
"""


def target(connection: Conn, target_id: str) -> Row:
    """Project and revision of an atom, contradiction or merge candidate. Raises Refusal."""
    query = TARGETS.get(target_id.partition("_")[0])
    found = rows(connection, query, target_id) if query else []
    if not found:
        raise Refusal(
            f"There is no {target_id}: give the id of an atom (atm_), a contradiction (ctr_) or a"
            " merge review (mrg_), as `--json` of `cairn atoms`, `contradictions` and `merges`"
            " shows it."
        )
    return found[0]


def merged_by(connection: Conn, merge_op_id: str) -> str:
    """The atom that a merge operation merged away. Raises Refusal when it merged none."""
    found = rows(
        connection,
        "SELECT loser_atom_id FROM ledger_merge_ops WHERE merge_op_id = %s"
        " AND op IN ('auto_merge', 'reviewed_merge')",
        merge_op_id,
    )
    if not found:
        raise Refusal(f"{merge_op_id} is no merge of two atoms: see `cairn merges`.")
    return str(found[0]["loser_atom_id"])


def answer_to(connection: Conn, event_id: str) -> Row | None:
    """What the ledger answered to a decision; None while it has not."""
    return next(iter(rows(connection, ANSWER, event_id)), None)
