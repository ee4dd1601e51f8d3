-- Runs of the quality gate from their beginning, and their events as an audit trail.

ALTER TABLE cairn.quality_runs
    ALTER COLUMN status SET DEFAULT 'running',
    ALTER COLUMN iteration SET DEFAULT 0,
    ALTER COLUMN final_tier DROP NOT NULL,
    ALTER COLUMN dimensions SET DEFAULT '[]',
    ALTER COLUMN judged_at DROP NOT NULL,
    ADD COLUMN input_ledger_seq bigint,
    ADD COLUMN assessed text[] NOT NULL DEFAULT '{}',
    ADD COLUMN dimension_tiers jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN revised_sections text[] NOT NULL DEFAULT '{}',
    ADD COLUMN model text,
    ADD COLUMN cost_usd double precision NOT NULL DEFAULT 0,
    ADD COLUMN tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN error text NOT NULL DEFAULT '',
    ADD COLUMN started_at timestamptz;
ALTER TABLE cairn.quality_runs RENAME COLUMN judged_at TO finished_at;
CREATE INDEX quality_runs_by_project ON cairn.quality_runs (project_id, started_at);

CREATE TABLE cairn.quality_run_events (
    quality_run_id text NOT NULL,
    seq            int NOT NULL,
    project_id     text NOT NULL,
    event_type     text NOT NULL,
    payload        jsonb NOT NULL,
    occurred_at    timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (quality_run_id, seq)
);
CREATE TRIGGER quality_run_events_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON cairn.quality_run_events
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.refuse_change();
