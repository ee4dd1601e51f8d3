-- What coverage and run control need to be seen: areas of chunks, deep dives, requests about runs.

ALTER TABLE cairn.chunks ADD COLUMN areas text[];

ALTER TABLE cairn.ingestion_runs
    ADD COLUMN stop_detail  text,
    ADD COLUMN source_ids   text[],
    ADD COLUMN resumed_from text,
    ADD COLUMN retry_poison boolean;

ALTER TABLE cairn.ingestion_batches ADD COLUMN stop_reason text;

-- The unread context of a contradiction, queued to be read in a run (none: nothing was unread).
CREATE TABLE cairn.deep_dives (
    contradiction_id text NOT NULL,
    updated_seq bigint NOT NULL,
    run_id      text NOT NULL,
    project_id  text NOT NULL,
    batch_no    int NOT NULL,
    basis_seq   bigint NOT NULL,
    chunk_ids   text[] NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (contradiction_id, updated_seq, run_id)
);
CREATE INDEX deep_dives_by_run ON cairn.deep_dives (run_id);

-- Who asked for the end of a run, or to go on with it.
CREATE TABLE cairn.run_requests (
    run_id      text NOT NULL,
    kind        text NOT NULL,
    request_key text NOT NULL,
    project_id  text NOT NULL,
    reason      text,
    retry_poison boolean,
    actor       text NOT NULL,
    requested_at timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (run_id, kind, request_key)
);
