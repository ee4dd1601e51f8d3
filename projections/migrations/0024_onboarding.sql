-- Onboarding pipelines are arbitrated here: a change names the version it was made for, and the row
-- and its fact in the outbox commit together. Operational, so a rebuild leaves it alone.

CREATE TABLE cairn.onboarding_pipelines (
    pipeline_id     text PRIMARY KEY,
    project_id      text NOT NULL,
    idempotency_key text NOT NULL,
    version         int NOT NULL,
    status          text NOT NULL,
    record          jsonb NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, idempotency_key)
);
CREATE INDEX onboarding_pipelines_newest ON cairn.onboarding_pipelines (project_id, created_at);

-- Their changes as pipeline.v1 has them, append-only.
CREATE TABLE cairn.onboarding_events (
    pipeline_id text NOT NULL,
    seq         int NOT NULL,
    project_id  text NOT NULL,
    event       text NOT NULL,
    data        jsonb NOT NULL,
    actor       text NOT NULL,
    occurred_at timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (pipeline_id, seq)
);
