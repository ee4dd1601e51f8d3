-- Conversations with the agents of a project, as agent.v1 has them. Whatever an event holds besides its
-- place is in `data` of `agent_events`, one row an event; the other tables are views of the same
-- events for whoever asks for one thing.

CREATE TABLE cairn.agent_events (
    turn_id         text NOT NULL,
    ordinal         int NOT NULL,
    project_id      text NOT NULL,
    conversation_id text NOT NULL,
    event_type      text NOT NULL,
    data            jsonb NOT NULL,
    occurred_at     timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (turn_id, ordinal)
);
CREATE INDEX agent_events_by_conversation ON cairn.agent_events (conversation_id);
CREATE TRIGGER agent_events_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON cairn.agent_events
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.refuse_change();

CREATE TABLE cairn.conversations (
    conversation_id text PRIMARY KEY,
    project_id      text NOT NULL,
    title           text NOT NULL,
    started_by      text NOT NULL,
    started_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX conversations_by_project ON cairn.conversations (project_id, started_at);

CREATE TABLE cairn.conversation_messages (
    turn_id         text NOT NULL,
    role            text NOT NULL CHECK (role IN ('user', 'assistant')),
    project_id      text NOT NULL,
    conversation_id text NOT NULL,
    ordinal         int NOT NULL,
    author          text NOT NULL,
    content         text NOT NULL,
    citations       jsonb NOT NULL,
    engine          text,
    error           text NOT NULL,
    sent_at         timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (turn_id, role)
);
CREATE INDEX conversation_messages_in_order ON cairn.conversation_messages
    (conversation_id, sent_at, turn_id, ordinal);

CREATE TABLE cairn.agent_results (
    turn_id         text NOT NULL,
    ordinal         int NOT NULL,
    project_id      text NOT NULL,
    conversation_id text NOT NULL,
    iteration       int NOT NULL,
    agent           text NOT NULL,
    result_type     text NOT NULL,
    output          jsonb NOT NULL,
    response        text NOT NULL,
    requires_review boolean NOT NULL,
    citations       jsonb NOT NULL,
    engine          text NOT NULL,
    error           text,
    tokens          bigint NOT NULL,
    cost_usd        double precision NOT NULL,
    started_at      timestamptz NOT NULL,
    finished_at     timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (turn_id, ordinal)
);

CREATE TABLE cairn.agent_thoughts (
    turn_id         text NOT NULL,
    ordinal         int NOT NULL,
    project_id      text NOT NULL,
    conversation_id text NOT NULL,
    agent           text NOT NULL,
    thought         text NOT NULL,
    thought_at      timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (turn_id, ordinal)
);

-- `called_ordinal` without `returned_ordinal`: the call may or may not have completed.
CREATE TABLE cairn.tool_calls (
    effect_id       text PRIMARY KEY,
    project_id      text NOT NULL,
    conversation_id text NOT NULL,
    turn_id         text NOT NULL,
    agent           text NOT NULL,
    tool            text NOT NULL,
    called_ordinal  int,
    arguments       jsonb,
    called_at       timestamptz,
    returned_ordinal int,
    answer          jsonb,
    is_error        boolean,
    returned_at     timestamptz,
    updated_from_event_id uuid
);
CREATE INDEX tool_calls_by_turn ON cairn.tool_calls (turn_id, called_ordinal);

CREATE TABLE cairn.confirmations (
    confirmation_id text PRIMARY KEY,
    project_id      text NOT NULL,
    conversation_id text NOT NULL,
    turn_id         text NOT NULL,
    tool            text,
    arguments       jsonb,
    summary         text,
    requested_at    timestamptz,
    decision        text,
    changed_arguments jsonb,
    reason          text,
    given_by        text,
    given_at        timestamptz,
    updated_from_event_id uuid
);
CREATE INDEX confirmations_open ON cairn.confirmations (conversation_id) WHERE decision IS NULL;

-- Jobs with one `serial_key` are done one after the other, in the order in which they came.
ALTER TABLE cairn.orchestration_jobs ADD COLUMN serial_key text;
CREATE INDEX orchestration_jobs_of_turns ON cairn.orchestration_jobs (correlation_id)
    WHERE job_type = 'agent_turn';
CREATE INDEX orchestration_jobs_serial ON cairn.orchestration_jobs (serial_key, created_seq)
    WHERE serial_key IS NOT NULL AND status IN ('queued', 'failed', 'leased');
