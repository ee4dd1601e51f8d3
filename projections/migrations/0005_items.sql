-- Insights, epics and features beside the PRD; the quality gate; what every section depends on.

-- `fields`: what the type has besides its statements; `plan`: dates, which count from a recorded day.
ALTER TABLE cairn.artifacts
    ADD COLUMN fields jsonb,
    ADD COLUMN plan jsonb,
    ADD COLUMN quality_tier text,
    ADD COLUMN quality_run_id text;

-- `items`: what the position meant for insights, epics and features, as id, version, state, outcome.
ALTER TABLE cairn.artifact_positions
    ADD COLUMN items jsonb NOT NULL DEFAULT '[]';

CREATE VIEW cairn.insights AS SELECT * FROM cairn.artifacts WHERE artifact_type = 'insight';
CREATE VIEW cairn.epics AS SELECT * FROM cairn.artifacts WHERE artifact_type = 'epic';
CREATE VIEW cairn.features AS SELECT * FROM cairn.artifacts WHERE artifact_type = 'feature';

CREATE TABLE cairn.artifact_dependencies (
    artifact_id     text NOT NULL,
    version         int NOT NULL,
    section_id      text NOT NULL,
    depends_on_type text NOT NULL,
    depends_on_id   text NOT NULL,
    revision        int NOT NULL,
    project_id      text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, version, section_id, depends_on_type, depends_on_id)
);
CREATE INDEX artifact_dependencies_by_id ON cairn.artifact_dependencies (depends_on_id);

-- One row for each loop of generation of a settled position.
CREATE TABLE cairn.generation_loops (
    project_id   text NOT NULL,
    artifact_seq bigint NOT NULL,
    phase        text NOT NULL,
    stop_reason  text NOT NULL,
    items        int NOT NULL,
    errors       int NOT NULL,
    calls        int NOT NULL,
    calls_ratio  double precision NOT NULL,
    gaps_remaining text[] NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, artifact_seq, phase)
);

CREATE TABLE cairn.quality_runs (
    quality_run_id text PRIMARY KEY,
    project_id     text NOT NULL,
    artifact_id    text NOT NULL,
    artifact_version int NOT NULL,
    mode           text NOT NULL,
    status         text NOT NULL,
    iteration      int NOT NULL,
    max_iterations int NOT NULL,
    final_tier     text NOT NULL,
    dimensions     jsonb NOT NULL,
    engine         text NOT NULL,
    judged_at      timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX quality_runs_by_artifact ON cairn.quality_runs (artifact_id, artifact_version);
