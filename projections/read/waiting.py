"""What waits for a person, and what it holds up."""

from __future__ import annotations

from projections.read.page import PAGE, Listing, Page, page_of
from projections.read.proposals import find_proposals
from projections.read.session import Conn, ReadModel, rows

# What waits is views over several tables, and short: it is sorted when it is asked for.
EVERYTHING = """(
    SELECT kind, target_id, severity, status, since_seq, queued_seq, detail, atom_a_id, atom_b_id,
        project_id, NULL AS workflow_id FROM hitl_queue
    UNION ALL SELECT 'proposal', hitl_event_id, NULL, state, ledger_seq, ledger_seq, '', NULL, NULL,
        project_id, NULL FROM proposals WHERE state = 'waiting'
    UNION ALL SELECT 'gate', g.confirmation_id, NULL, g.gate, g.opened_ordinal, g.opened_ordinal,
        g.summary, NULL, NULL, g.project_id, g.workflow_id FROM workflow_gates g
        JOIN workflows w USING (workflow_id)
        WHERE g.decision IS NULL AND g.opened_at IS NOT NULL AND w.finished_at IS NULL
)"""
QUEUE = Listing(
    "waiting",
    "q.kind, q.target_id, q.severity, q.status, q.since_seq, q.queued_seq, q.workflow_id,"
    " coalesce(q.detail, (SELECT CASE c.differing_tokens WHEN '{}' THEN"
    "   'differ in the order of their words' ELSE"
    "   'differ in: ' || array_to_string(c.differing_tokens, ', ') END"
    "   FROM ledger_merge_candidates c WHERE c.merge_candidate_id = q.target_id)) AS detail,"
    " a.title AS title_a, b.title AS title_b,"
    " (SELECT coalesce(array_agg(x.number || ' ' || x.title ORDER BY x.artifact_type, x.number),"
    "   '{}') FROM artifacts x WHERE x.project_id = q.project_id"
    "   AND q.target_id = ANY(x.blocked_by)) AS blocks",
    f"{EVERYTHING} q LEFT JOIN ledger_atoms a ON a.atom_id = q.atom_a_id"
    " LEFT JOIN ledger_atoms b ON b.atom_id = q.atom_b_id",
    {
        "q.kind": "text",
        "coalesce(array_position(ARRAY['high', 'medium', 'low'], q.severity), 4)": "int",
        "q.since_seq": "bigint",
        "q.target_id": "text",
    },
)


class WaitingItem(ReadModel):
    """Something to decide.

    ``blocks`` are the artifacts that cannot become ``stable`` before. ``detail`` says what a run
    has left to a person, in which words two atoms in review differ (the review of a series names
    those of all its members), who proposes what and why, or what a gate of a workflow is about;
    ``workflow_id`` is that of a gate alone. Contradictions and merge reviews wait since the deep
    run that queued them.
    """

    kind: str
    target_id: str
    severity: str | None
    status: str
    since_seq: int
    queued_seq: int
    detail: str | None
    title_a: str | None
    title_b: str | None
    blocks: list[str]
    workflow_id: str | None


def list_waiting(
    connection: Conn, project_id: str, *, cursor: str | None = None, limit: int = PAGE
) -> Page[WaitingItem]:
    """A page of contradictions, the gravest first, of merge reviews, of removals that a run holds,
    of verified atoms without evidence, of what members propose, and of gates at which workflows
    wait. Raises Refusal for a bad cursor.
    """
    conditions = [("q.project_id = %s", project_id)]
    records, following = page_of(connection, QUEUE, conditions, cursor, limit)
    proposed = [row["target_id"] for row in records if row["kind"] == "proposal"]
    for proposal_id, proposal in find_proposals(connection, proposed).items():
        (row,) = (row for row in records if row["target_id"] == proposal_id)
        row["detail"] = proposal.summary
    return Page(items=[WaitingItem(**row) for row in records], next_cursor=following)


def count_waiting(connection: Conn, project_id: str) -> dict[str, int]:
    """How many of each kind wait; a kind of which none waits is not there."""
    query = f"SELECT kind, count(*) AS n FROM {EVERYTHING} q WHERE project_id = %s GROUP BY kind"
    return {row["kind"]: row["n"] for row in rows(connection, query, project_id)}
