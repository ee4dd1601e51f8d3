-- Records on which code raised, and which of them were decided after all.
ALTER TABLE cairn.dead_letters
    ADD COLUMN undecidable boolean NOT NULL DEFAULT false,
    ADD COLUMN subject_id text,
    ADD COLUMN stage_version text;
CREATE TABLE cairn.resolved_dead_letters (
    dead_letter_id text PRIMARY KEY,
    project_id     text NOT NULL,
    resolved_at     timestamptz,
    updated_from_event_id uuid
);
