-- Webhooks as the log says: where news of a project is sent. counts_from: what was recorded before
-- it is not sent. A secret opens with the data key that its column names.
CREATE TABLE cairn.webhooks (
    webhook_id      text PRIMARY KEY,
    project_id      text NOT NULL,
    url             text NOT NULL,
    events          text[] NOT NULL,
    is_active       boolean NOT NULL,
    allow_private_address  boolean NOT NULL,
    key_id          text NOT NULL,
    sealed          text NOT NULL, -- base64
    previous_key_id text,
    previous_sealed text,
    previous_until  timestamptz,
    secret_request  text NOT NULL,
    last_request    text NOT NULL,
    counts_from     timestamptz NOT NULL,
    disabled_reason text,
    disabled_at     timestamptz,
    removed         boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL,
    created_by      text NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX webhooks_by_project ON cairn.webhooks (project_id, created_at, webhook_id);

-- What may be sent: one row a message, of the last two weeks.
CREATE TABLE cairn.webhook_messages (
    message_id  text PRIMARY KEY,
    project_id  text NOT NULL,
    event_type  text NOT NULL,
    body        text NOT NULL,
    recorded_at timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX webhook_messages_by_time ON cairn.webhook_messages (recorded_at);

-- Deliveries that have ended, so that a database made anew does not begin them again.
CREATE TABLE cairn.webhook_outcomes (
    delivery_id text NOT NULL,
    round       int NOT NULL,
    project_id  text NOT NULL,
    outcome     text NOT NULL,
    ended_at    timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (delivery_id, round)
);

-- The queue, operational: a rebuild leaves it alone. Messages that were given to the webhooks of
-- their project, and one row for each message and webhook.
CREATE TABLE cairn.webhook_messages_seen (
    message_id text PRIMARY KEY,
    seen_at    timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE cairn.webhook_deliveries (
    delivery_id     text PRIMARY KEY,
    webhook_id      text NOT NULL,
    project_id      text NOT NULL,
    message_id      text NOT NULL,
    event_type      text NOT NULL,
    body            text NOT NULL,
    status          text NOT NULL DEFAULT 'waiting', -- waiting, delivered, failed
    round           int NOT NULL DEFAULT 1,
    attempt_count   int NOT NULL DEFAULT 0, -- of this round
    attempts        jsonb NOT NULL DEFAULT '[]',
    next_attempt_at timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    ended_at        timestamptz
);
CREATE INDEX webhook_deliveries_due ON cairn.webhook_deliveries (webhook_id, next_attempt_at)
    WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_by_webhook ON cairn.webhook_deliveries
    (webhook_id, created_at DESC, delivery_id DESC);
CREATE INDEX webhook_deliveries_ended ON cairn.webhook_deliveries (ended_at)
    WHERE ended_at IS NOT NULL;
