"""What was taken for one atom, and the pairs that wait for a person."""

from __future__ import annotations

from datetime import datetime

from projections.read.atoms import find_sequence
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel

# Merges come first, in ledger order, then the pairs in review.
MERGES = Listing(
    "merges",
    "m.state, m.op, m.similarity, m.atom_a_id, a.title AS title_a, a.body AS body_a, m.atom_b_id,"
    " b.title AS title_b, b.body AS body_b, m.confidence_before, m.confidence_after,"
    " m.evidence_added, m.differing_tokens, m.reason, m.actor, m.ledger_seq, m.id",
    """(
        SELECT 0 AS part, project_id, 'done' AS state, op, similarity, winner_atom_id AS atom_a_id,
            loser_atom_id AS atom_b_id, confidence_before, confidence_after, evidence_added,
            NULL::text[] AS differing_tokens, reason, actor, ledger_seq, merge_op_id AS id
        FROM ledger_merge_ops
        UNION ALL
        SELECT 1, project_id, state, 'merge_review', similarity, atom_a_id, atom_b_id, NULL, NULL,
            NULL, differing_tokens, NULL, NULL, opened_seq, merge_candidate_id
        FROM ledger_merge_candidates
    ) m LEFT JOIN ledger_atoms a ON a.atom_id = m.atom_a_id
    LEFT JOIN ledger_atoms b ON b.atom_id = m.atom_b_id""",
    {"m.part": "int", "m.ledger_seq": "bigint", "m.id": "text"},
)
CHANGED_AFTER = (
    "(m.ledger_seq > %s OR EXISTS (SELECT 1 FROM ledger_hitl_events h WHERE h.target_id = m.id"
    " AND h.outcome = 'applied' AND h.ledger_seq > %s))"
)


class Merge(ReadModel):
    """A merge that was done, or a pair in review; only a pair whose ``state`` is ``open`` waits.

    ``b`` was merged into ``a``; it is None where only evidence came. A pair in review has
    ``differing_tokens``, a merge the fields from ``confidence_before`` to ``evidence_added``.
    """

    state: str
    op: str
    similarity: float
    atom_a_id: str
    title_a: str | None
    body_a: str | None
    atom_b_id: str | None
    title_b: str | None
    body_b: str | None
    confidence_before: float | None
    confidence_after: float | None
    evidence_added: list[str] | None
    differing_tokens: list[str] | None
    reason: str | None
    actor: str | None
    ledger_seq: int
    id: str


def merges(
    connection: Conn,
    project_id: str,
    *,
    state: str | None = None,
    only: str | None = None,
    updated_since: int | datetime | None = None,
    is_slim: bool = False,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Merge]:
    """A page of merge operations in ledger order, then of pairs in review; or of one ``state``, or
    ``only`` that one.

    ``updated_since``: only those that were done, opened or decided after this change set or time.
    ``is_slim``: without the bodies of the statements. Raises Refusal for a bad cursor.
    """
    conditions: list[Condition] = [("m.project_id = %s", project_id)]
    if state is not None:
        conditions.append(("m.state = %s", state))
    if only is not None:
        conditions.append(("m.id = %s", only))
    if updated_since is not None:
        since_seq = find_sequence(connection, project_id, updated_since)
        conditions.append((CHANGED_AFTER, since_seq, since_seq))
    found, following = page_of(
        connection, MERGES, conditions, cursor, limit, backwards=newest_first
    )
    slim = {"body_a": None, "body_b": None} if is_slim else {}
    return Page(items=[Merge(**row | slim) for row in found], next_cursor=following)
