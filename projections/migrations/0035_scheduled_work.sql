-- The hours that a project keeps, where somebody said so.
CREATE TABLE cairn.project_settings (
    project_id  text PRIMARY KEY,
    timezone    text,
    quiet_hours jsonb,
    updated_from_event_id uuid
);

-- What is done at times, and what deliveries of webhooks ask for. The next run counts from
-- counts_from; received_at is set for what a delivery asks for.
CREATE TABLE cairn.scheduled_work (
    work_item_id text PRIMARY KEY,
    project_id   text NOT NULL,
    title        text,
    agent        text,
    job_type     text,
    payload      jsonb,
    priority     text,
    recurrence   jsonb,
    next_run_at  timestamptz,
    not_before   timestamptz,
    reason       text,
    origin       text,
    connector    text,
    done_by      text,
    status       text,
    due_at       timestamptz,
    last_run_at  timestamptz,
    last_result  jsonb,
    job_id       text,
    received_at  timestamptz,
    counts_from  timestamptz,
    created_at   timestamptz,
    created_by   text,
    updated_from_event_id uuid
);
CREATE INDEX scheduled_work_by_project ON cairn.scheduled_work
    (project_id, created_at, work_item_id);
CREATE INDEX scheduled_work_due ON cairn.scheduled_work (project_id, next_run_at)
    WHERE next_run_at IS NOT NULL;
CREATE INDEX scheduled_work_received ON cairn.scheduled_work (project_id)
    WHERE status = 'waiting' AND received_at IS NOT NULL;
CREATE INDEX scheduled_work_routed ON cairn.scheduled_work (job_id) WHERE status = 'routed';

CREATE TABLE cairn.heartbeats (
    project_id text PRIMARY KEY,
    slot_at    timestamptz NOT NULL,
    interval_s    int NOT NULL,
    due        jsonb NOT NULL,
    updated_from_event_id uuid
);
