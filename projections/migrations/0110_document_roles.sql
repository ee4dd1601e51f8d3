-- What each document is and how it stands, as its names and its text tell, and what people say of it.
CREATE TABLE cairn.document_descriptions (
    source_id             text PRIMARY KEY,
    project_id            text NOT NULL,
    sanitized_hash        text NOT NULL,
    role                  text,
    role_reason           text NOT NULL,
    origin                text NOT NULL,
    status                text,
    status_reason         text NOT NULL,
    headings              jsonb NOT NULL,
    updated_from_event_id uuid
);
CREATE TABLE cairn.ledger_document_roles (
    source_id             text PRIMARY KEY,
    project_id            text NOT NULL,
    role                  text,
    decided_by            text NOT NULL,
    decided_at            timestamptz NOT NULL,
    hitl_event_id         text NOT NULL,
    rationale             text NOT NULL,
    revision              integer NOT NULL,
    updated_from_event_id uuid
);
ALTER TABLE cairn.ledger_evidence ADD COLUMN origin text NOT NULL DEFAULT '';

-- A proposal may be about the role of a document, which has no record before the first decision.
CREATE OR REPLACE VIEW cairn.proposals AS
SELECT p.*, coalesce(a.state, 'waiting') AS state, a.hitl_event_id AS answer_id,
    a.actor_id AS answered_by, a.rationale AS answer_rationale, a.occurred_at AS answered_at,
    (SELECT t.revision FROM cairn.ledger_atoms t WHERE t.atom_id = p.target_id
     UNION ALL SELECT t.revision FROM cairn.ledger_contradictions t
        WHERE t.contradiction_id = p.target_id
     UNION ALL SELECT t.revision FROM cairn.ledger_merge_candidates t
        WHERE t.merge_candidate_id = p.target_id
     UNION ALL SELECT coalesce(t.revision, 0) FROM cairn.sources s
        LEFT JOIN cairn.ledger_document_roles t USING (source_id)
        WHERE s.source_id = p.target_id) AS revision
FROM cairn.ledger_hitl_events p
LEFT JOIN LATERAL (
    SELECT h.hitl_event_id, h.actor_id, h.rationale, h.occurred_at,
        CASE h.outcome WHEN 'applied' THEN 'accepted' ELSE h.outcome END AS state
    FROM cairn.ledger_hitl_events h
    WHERE h.proposal_id = p.hitl_event_id AND h.outcome IN ('applied', 'declined', 'withdrawn')
) a ON true
WHERE p.outcome = 'proposed';
