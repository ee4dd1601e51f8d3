-- What members propose waits until an owner or a product manager accepts or declines it. An answer
-- names its proposal; a proposal itself changes nothing.
ALTER TABLE cairn.ledger_hitl_events
    ADD COLUMN undoes text,
    ADD COLUMN floor double precision,
    ADD COLUMN escalated_to text,
    ADD COLUMN proposal_id text,
    ADD COLUMN proposed_by text;
CREATE INDEX ledger_hitl_events_proposed ON cairn.ledger_hitl_events (project_id, ledger_seq)
    WHERE outcome = 'proposed';
CREATE INDEX ledger_hitl_events_by_proposal ON cairn.ledger_hitl_events (proposal_id)
    WHERE proposal_id IS NOT NULL;

-- Proposals with their answer; ``state`` is waiting, accepted or declined.
CREATE VIEW cairn.proposals AS
SELECT p.*, coalesce(a.state, 'waiting') AS state, a.hitl_event_id AS answer_id,
    a.actor_id AS answered_by, a.rationale AS answer_rationale, a.occurred_at AS answered_at,
    (SELECT t.revision FROM cairn.ledger_atoms t WHERE t.atom_id = p.target_id
     UNION ALL SELECT t.revision FROM cairn.ledger_contradictions t
        WHERE t.contradiction_id = p.target_id
     UNION ALL SELECT t.revision FROM cairn.ledger_merge_candidates t
        WHERE t.merge_candidate_id = p.target_id) AS revision
FROM cairn.ledger_hitl_events p
LEFT JOIN LATERAL (
    SELECT h.hitl_event_id, h.actor_id, h.rationale, h.occurred_at,
        CASE h.outcome WHEN 'applied' THEN 'accepted' ELSE 'declined' END AS state
    FROM cairn.ledger_hitl_events h
    WHERE h.proposal_id = p.hitl_event_id AND h.outcome IN ('applied', 'declined')
) a ON true
WHERE p.outcome = 'proposed';
