-- Jobs are arbitrated here: who has which lease is decided by rows, not by a topic. Operational, so
-- a rebuild leaves them alone. Each transition is a row of the outbox in the same transaction.

CREATE TABLE cairn.orchestration_jobs (
    job_id           text PRIMARY KEY,
    created_seq      bigint GENERATED ALWAYS AS IDENTITY,
    project_id       text NOT NULL,
    job_type         text NOT NULL,
    idempotency_key  text NOT NULL,
    priority         int NOT NULL,
    status           text NOT NULL CHECK
        (status IN ('queued', 'leased', 'succeeded', 'failed', 'dead', 'cancelled')),
    lease_owner      text,
    lease_expires_at timestamptz,
    lease_epoch      int NOT NULL DEFAULT 0,
    attempt_count    int NOT NULL DEFAULT 0,
    max_attempts     int NOT NULL CHECK (max_attempts > 0),
    run_after        timestamptz NOT NULL,
    payload          jsonb NOT NULL,
    result           jsonb,
    progress         jsonb,
    last_error       text,
    error_class      text,
    correlation_id   text NOT NULL,
    created_by       text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    started_at       timestamptz,
    finished_at      timestamptz,
    transition       int NOT NULL DEFAULT 1,
    CHECK ((status = 'leased') = (lease_owner IS NOT NULL AND lease_expires_at IS NOT NULL))
);
CREATE UNIQUE INDEX orchestration_jobs_key ON cairn.orchestration_jobs
    (project_id, job_type, idempotency_key) WHERE status <> 'dead';
CREATE INDEX orchestration_jobs_due ON cairn.orchestration_jobs (priority, run_after, created_seq)
    WHERE status IN ('queued', 'failed');
CREATE INDEX orchestration_jobs_leased ON cairn.orchestration_jobs (lease_expires_at)
    WHERE status = 'leased';
CREATE UNIQUE INDEX orchestration_jobs_newest ON cairn.orchestration_jobs ((-created_seq));
CREATE INDEX orchestration_jobs_by_project ON cairn.orchestration_jobs (project_id, (-created_seq));

-- Facts on their way to the broker. Positions become visible out of order, because transactions do:
-- the relay takes what has no published_at, never what lies behind the last one it has seen.
CREATE TABLE cairn.outbox (
    position       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id       uuid NOT NULL UNIQUE,
    event_type     text NOT NULL,
    project_id     text NOT NULL,
    correlation_id text NOT NULL,
    actor_type     text NOT NULL,
    actor_id       text NOT NULL,
    payload        jsonb NOT NULL,
    occurred_at    timestamptz NOT NULL,
    published_at   timestamptz
);
CREATE INDEX outbox_unpublished ON cairn.outbox (position) WHERE published_at IS NULL;
CREATE INDEX outbox_published ON cairn.outbox (published_at) WHERE published_at IS NOT NULL;

-- The transitions of jobs as job.v1 has them.
CREATE TABLE cairn.job_history (
    job_id          text NOT NULL,
    transition      int NOT NULL,
    project_id      text NOT NULL,
    event_type      text NOT NULL,
    job_type        text NOT NULL,
    idempotency_key text NOT NULL,
    priority        int NOT NULL,
    status          text NOT NULL,
    lease_owner     text,
    lease_epoch     int NOT NULL,
    attempt_count   int NOT NULL,
    max_attempts    int NOT NULL,
    run_after       timestamptz NOT NULL,
    payload         jsonb NOT NULL,
    result          jsonb,
    last_error      text,
    error_class     text,
    correlation_id  text NOT NULL,
    created_by      text NOT NULL,
    created_at      timestamptz NOT NULL,
    started_at      timestamptz,
    finished_at     timestamptz,
    occurred_at     timestamptz NOT NULL,
    actor           text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (job_id, transition)
);
