-- Who has proposed something may withdraw it as long as it waits.
CREATE OR REPLACE VIEW cairn.proposals AS
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
        CASE h.outcome WHEN 'applied' THEN 'accepted' ELSE h.outcome END AS state
    FROM cairn.ledger_hitl_events h
    WHERE h.proposal_id = p.hitl_event_id AND h.outcome IN ('applied', 'declined', 'withdrawn')
) a ON true
WHERE p.outcome = 'proposed';
