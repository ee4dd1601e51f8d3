-- What the oracle was asked and has advised.
CREATE TABLE cairn.oracle_consultations (
    consultation_id text PRIMARY KEY,
    project_id    text NOT NULL,
    workflow_id   text NOT NULL,
    asked_by      text NOT NULL,
    problem       text NOT NULL,
    context_files jsonb NOT NULL,
    context_hash  text NOT NULL,
    advice        text NOT NULL,
    model         text NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost_usd      double precision,
    created_at    timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX oracle_consultations_by_time
    ON cairn.oracle_consultations (created_at, consultation_id);

-- Sessions in which an idea becomes a design. A session is what its first message has begun.
CREATE TABLE cairn.brainstorm_sessions (
    brainstorm_id text PRIMARY KEY,
    project_id    text NOT NULL,
    title         text NOT NULL,
    started_by    text NOT NULL,
    started_at    timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX brainstorm_sessions_by_time ON cairn.brainstorm_sessions (started_at, brainstorm_id);

-- A question whose answer has failed has the number of the next one.
CREATE TABLE cairn.brainstorm_messages (
    brainstorm_id text NOT NULL,
    request_key   text NOT NULL,
    role          text NOT NULL,
    project_id    text NOT NULL,
    number        bigint NOT NULL,
    text          text NOT NULL,
    author        text NOT NULL,
    model         text NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (brainstorm_id, request_key, role)
);

CREATE TABLE cairn.brainstorm_designs (
    brainstorm_id text NOT NULL,
    request_key   text NOT NULL,
    project_id    text NOT NULL,
    number        bigint NOT NULL,
    file_name     text NOT NULL,
    markdown      text NOT NULL,
    design_hash   text NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (brainstorm_id, request_key)
);

CREATE TABLE cairn.brainstorm_handoffs (
    brainstorm_id text NOT NULL,
    request_key   text NOT NULL,
    project_id    text NOT NULL,
    idea          text NOT NULL,
    file_name     text NOT NULL,
    design        text NOT NULL,
    design_hash   text NOT NULL,
    workflow_id   text NOT NULL,
    handed_off_by text NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (brainstorm_id, request_key)
);
