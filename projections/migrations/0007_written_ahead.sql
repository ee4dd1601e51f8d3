-- Sections written while their run went on, one row for each time; `outcome` NULL: still speculative.
CREATE TABLE cairn.speculative_sections (
    artifact_id   text NOT NULL,
    section_id    text NOT NULL,
    input_ledger_seq bigint NOT NULL,
    project_id    text NOT NULL,
    artifact_type text NOT NULL,
    title         text NOT NULL,
    content       jsonb NOT NULL,
    input_hash    text NOT NULL,
    content_hash  text NOT NULL,
    lane          text NOT NULL,
    run_id        text,
    outcome       text,
    generated_at  timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, section_id, input_ledger_seq)
);
CREATE INDEX speculative_sections_by_run ON cairn.speculative_sections (run_id);
CREATE INDEX speculative_sections_open ON cairn.speculative_sections (project_id)
    WHERE outcome IS NULL;

-- The decision after each item of a loop, and what the item was made from.
CREATE TABLE cairn.loop_continuations (
    project_id   text NOT NULL,
    artifact_seq bigint NOT NULL,
    phase        text NOT NULL,
    item_no      int NOT NULL,
    artifact_id  text NOT NULL,
    input_ids    text[] NOT NULL,
    should_continue boolean NOT NULL,
    confidence   double precision NOT NULL,
    coverage_assessment text NOT NULL,
    gaps_remaining text[] NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, artifact_seq, phase, item_no)
);
