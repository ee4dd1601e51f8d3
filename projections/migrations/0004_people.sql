-- What people decide: each record that can be decided about has a revision they can name.
ALTER TABLE cairn.ledger_atoms
    ADD COLUMN previous_status text,
    ADD COLUMN resolution jsonb;

ALTER TABLE cairn.ledger_merge_candidates
    ADD COLUMN decided_at timestamptz,
    ADD COLUMN hitl_event_id text,
    ADD COLUMN revision int NOT NULL DEFAULT 1;

ALTER TABLE cairn.ledger_contradictions
    ADD COLUMN decided_at timestamptz,
    ADD COLUMN escalated_to text,
    ADD COLUMN hitl_event_id text,
    ADD COLUMN revision int NOT NULL DEFAULT 1;

ALTER TABLE cairn.ledger_merge_ops
    ADD COLUMN links_added text[] NOT NULL DEFAULT '{}',
    ADD COLUMN links_removed text[] NOT NULL DEFAULT '{}';

-- Append-only. ``before_state`` of a refused decision is its target as it was; ``after_state`` is
-- null then.
CREATE TABLE cairn.ledger_hitl_events (
    hitl_event_id  text PRIMARY KEY,
    project_id     text NOT NULL,
    ledger_seq     bigint NOT NULL,
    event_id       text NOT NULL,
    action         text NOT NULL,
    target_type    text NOT NULL,
    target_id      text NOT NULL,
    decision       text NOT NULL,
    outcome        text NOT NULL,
    refusal        text NOT NULL,
    rationale      text NOT NULL,
    actor_id       text NOT NULL,
    actor_role     text NOT NULL,
    expected_revision int NOT NULL,
    before_state   jsonb NOT NULL,
    after_state    jsonb,
    run_id         text,
    correlation_id text NOT NULL,
    occurred_at    timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX ledger_hitl_events_by_target ON cairn.ledger_hitl_events (target_id, ledger_seq);
CREATE INDEX ledger_hitl_events_by_project ON cairn.ledger_hitl_events (project_id, ledger_seq);

CREATE FUNCTION cairn.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of %.% are never changed or deleted', TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_hitl_events_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON cairn.ledger_hitl_events
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.refuse_change();
