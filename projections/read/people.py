"""What a person is shown before a decision, and what became of it afterwards. No query writes."""

from __future__ import annotations

from infra.errors import Refusal
from projections.read.queries import Conn, Row, rows

SNIPPETS = 3
ACTIONS = {
    "open": ["a_wins", "b_wins", "both_valid", "reworded", "dismiss", "escalate"],
    "escalated": ["a_wins", "b_wins", "both_valid", "reworded", "dismiss"],
}
TARGETS = {
    "atm": "SELECT project_id, revision FROM ledger_atoms WHERE atom_id = %s",
    "ctr": "SELECT project_id, revision FROM ledger_contradictions WHERE contradiction_id = %s",
    "mrg": "SELECT project_id, revision FROM ledger_merge_candidates WHERE merge_candidate_id = %s",
}
SIDE = """
    SELECT a.atom_id, a.kind, a.title, a.body, a.status, a.confidence, a.verified_by, a.revision
    FROM ledger_atoms a WHERE a.atom_id = %s
"""
QUOTES = """
    SELECT s.path, e.line_start, e.line_end, e.snippet, e.stale FROM ledger_evidence e
    LEFT JOIN sources s USING (source_id) WHERE e.atom_id = %s
    ORDER BY e.stale, s.path, e.char_start, e.evidence_id LIMIT %s
"""
AFFECTED = """
    SELECT a.artifact_id, a.artifact_type, a.number, a.artifact_state, a.version,
        array_agg(DISTINCT c.section_id ORDER BY c.section_id) AS section_ids
    FROM artifact_citations c JOIN artifacts a USING (artifact_id, version)
    WHERE c.atom_id = ANY(%s) GROUP BY a.artifact_id ORDER BY a.number, a.artifact_id
"""
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


def cards(connection: Conn, project_id: str, status: str | None = "open") -> list[Row]:
    """Contradictions as a person decides about them, the gravest first; ``status`` None: all."""
    found = rows(
        connection,
        "SELECT contradiction_id, revision, severity, status, contradiction_type, explanation,"
        " atom_a_id, atom_b_id, reopened, resolution_kind, rationale, decided_by, escalated_to"
        " FROM ledger_contradictions WHERE project_id = %s AND status = coalesce(%s, status)"
        " ORDER BY array_position(ARRAY['high', 'medium', 'low'], severity), opened_seq,"
        " contradiction_id",
        *(project_id, status),
    )
    for card in found:
        sides = (card.pop("atom_a_id"), card.pop("atom_b_id"))
        card["a"], card["b"] = (_side(connection, atom_id) for atom_id in sides)
        card["affected_artifacts"] = rows(connection, AFFECTED, list(sides))
        card["allowed_actions"] = ACTIONS.get(card["status"], [])
    return found


def _side(connection: Conn, atom_id: str) -> Row:
    (atom,) = rows(connection, SIDE, atom_id)
    return atom | {"evidence": rows(connection, QUOTES, atom_id, SNIPPETS)}
