-- Operational: what clients have handed in over HTTP, until a job has read it, and what came of it.
-- ``content`` is encrypted with the key of the project; it is gone once it has been read or refused.
-- No fold of any topic, so a rebuild leaves this table alone.
CREATE TABLE cairn.uploads (
    project_id  text NOT NULL,
    trigger_key text NOT NULL,
    attempt     int NOT NULL DEFAULT 1,
    job_id      text,
    size_bytes  bigint NOT NULL,
    key_id      text NOT NULL,
    content     bytea,
    root        text,
    refused     jsonb NOT NULL,
    outcome     jsonb,
    problem     jsonb,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, trigger_key)
);
ALTER TABLE cairn.uploads ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX uploads_that_wait ON cairn.uploads (project_id) INCLUDE (size_bytes)
    WHERE content IS NOT NULL;
