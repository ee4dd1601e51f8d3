-- What the assistant remembers, as the events say in whatever order they come: columns of what was
-- stored, of the last edit and of forgetting. A forgotten memory's row keeps no text, so that what
-- comes later cannot bring it back. What another memory `replaces` is no more remembered.
CREATE TABLE cairn.memories (
    memory_id     text PRIMARY KEY,
    project_id    text NOT NULL,
    namespace     text NOT NULL,
    kind          text,
    text          text,
    metadata      jsonb,
    replaces      text,
    source_thread text,
    source_turn   text,
    created_at    timestamptz,
    stored_from_event_id uuid,
    edited_text   text,
    edited_by_key text,
    edited_at     timestamptz,
    forgotten_at  timestamptz,
    updated_from_event_id uuid
);
CREATE INDEX memories_by_namespace ON cairn.memories (namespace, created_at, memory_id)
    WHERE forgotten_at IS NULL;
CREATE INDEX memories_replaced ON cairn.memories (replaces) WHERE replaces <> '';

-- Workflows that users have named: a prompt, and the tools that it may use. Its last fact counts.
CREATE TABLE cairn.assistant_workflows (
    owner       text NOT NULL,
    name        text NOT NULL,
    project_id  text NOT NULL,
    prompt      text,
    tools       jsonb,
    saved_at    timestamptz,
    last_request text NOT NULL,
    is_removed  boolean NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (owner, name)
);
