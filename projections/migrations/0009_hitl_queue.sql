-- What waits for a person: disputes and merge reviews that a deep run has ended over (what a preview
-- finds is recorded and not asked about before the deep run has read around it, spec 04 §8), removals
-- that a run has held, and verified atoms that nothing says any more. The last two wait from the end
-- of the run that raised them, whatever its lane.
CREATE VIEW cairn.hitl_queue AS
SELECT w.*, (SELECT min(e.ledger_seq) FROM cairn.ledger_change_sets e
        WHERE e.project_id = w.project_id AND e.kind = 'run_end' AND e.lane = 'deep'
            AND e.ledger_seq >= w.since_seq) AS queued_seq, NULL::text AS detail
FROM (
    SELECT project_id, 'contradiction' AS kind, contradiction_id AS target_id, severity, status,
        opened_seq AS since_seq, atom_a_id, atom_b_id
    FROM cairn.ledger_contradictions WHERE status IN ('open', 'escalated')
    UNION ALL
    SELECT project_id, 'merge_review', merge_candidate_id, NULL, state, opened_seq,
        atom_a_id, atom_b_id
    FROM cairn.ledger_merge_candidates WHERE state = 'open'
) w
WHERE EXISTS (SELECT 1 FROM cairn.ledger_change_sets e
    WHERE e.project_id = w.project_id AND e.kind = 'run_end' AND e.lane = 'deep'
        AND e.ledger_seq >= w.since_seq)
UNION ALL
-- Let go, back again, or judged anew by a later complete listing: then nobody waits any more.
SELECT r.project_id, 'removals_held', r.run_id, NULL, 'held', ended.seq, NULL, NULL, ended.seq,
    cardinality(r.removals_held) || ' sources are gone from ' || r.root
FROM cairn.ingestion_runs r
JOIN cairn.ingestion_triggers t USING (project_id, trigger_key)
CROSS JOIN LATERAL (SELECT e.ledger_seq AS seq FROM cairn.ledger_change_sets e
    WHERE e.run_id = r.run_id AND e.kind = 'run_end') ended
WHERE cardinality(r.removals_held) > 0
    AND EXISTS (SELECT 1 FROM unnest(r.removals_held) held (source_id)
        LEFT JOIN cairn.sources s USING (source_id)
        WHERE s.state IS DISTINCT FROM 'removed' AND NOT EXISTS (
            SELECT 1 FROM cairn.trigger_sources again
            JOIN cairn.ingestion_triggers later USING (project_id, trigger_key)
            WHERE again.project_id = r.project_id AND again.source_id = held.source_id
                AND later.requested_at > t.requested_at))
    AND NOT EXISTS (SELECT 1 FROM cairn.ingestion_triggers later
        JOIN cairn.ingestion_runs judging USING (project_id, trigger_key)
        WHERE later.project_id = r.project_id AND later.root = r.root
            AND later.requested_at > t.requested_at AND judging.status = 'stopped'
            AND judging.removals_held IS NOT NULL
            AND EXISTS (SELECT 1 FROM cairn.trigger_listings listed
                WHERE listed.project_id = r.project_id
                    AND listed.trigger_key = later.trigger_key AND listed.complete))
UNION ALL
-- A person who has looked again (verified, unverified, dismissed) has changed the atom since.
SELECT a.project_id, 'verified_evidence_stale', a.atom_id, NULL, a.status, raised.seq, a.atom_id,
    NULL, raised.seq, 'verified, and no source says it any more'
FROM cairn.ledger_atoms a
CROSS JOIN LATERAL (SELECT min(c.ledger_seq) AS seq FROM cairn.ledger_change_sets c
    WHERE c.project_id = a.project_id AND c.changes @> jsonb_build_array(jsonb_build_object(
            'op', 'review_item_raised', 'target_id', a.atom_id))
        AND c.ledger_seq >= (SELECT max(h.ledger_seq) FROM cairn.ledger_atom_history h
            WHERE h.atom_id = a.atom_id)) raised
WHERE a.verified_by IS NOT NULL AND a.evidence_state = 'stale' AND a.status IN ('draft', 'active')
    AND raised.seq IS NOT NULL;
