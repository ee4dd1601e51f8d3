-- Conversations with the assistant belong to a person, and no project shows them.
ALTER TABLE cairn.conversations ADD COLUMN owner text NOT NULL DEFAULT '';
ALTER TABLE cairn.conversations ADD COLUMN agent text NOT NULL DEFAULT '';
CREATE INDEX conversations_by_owner ON cairn.conversations (owner, updated_at) WHERE owner <> '';

-- What one agent has handed over to another one. `thread` is what that one goes on with in the
-- conversation; `finished_ordinal` is missing while it works.
CREATE TABLE cairn.agent_handoffs (
    turn_id         text NOT NULL,
    call_id         text NOT NULL,
    project_id      text NOT NULL,
    conversation_id text NOT NULL,
    thread          text NOT NULL,
    from_agent      text NOT NULL,
    to_agent        text NOT NULL,
    task            text,
    started_ordinal int,
    started_at      timestamptz,
    summary         text,
    notes           jsonb,
    is_error        boolean,
    finished_ordinal int,
    finished_at     timestamptz,
    updated_from_event_id uuid,
    PRIMARY KEY (turn_id, call_id)
);
CREATE INDEX agent_handoffs_by_thread ON cairn.agent_handoffs (thread, finished_at);
