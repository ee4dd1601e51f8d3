-- Operational: not a fold of any topic, so a rebuild of the projections leaves it alone.

CREATE SCHEMA IF NOT EXISTS cairn;

-- Data keys of projects (and of single persons, for erasure), each wrapped by the master key.
-- Deleting a row erases what was encrypted with it, wherever copies of the ciphertext are.
CREATE TABLE cairn.vault_keys (
    key_id     text PRIMARY KEY,
    project_id text NOT NULL,
    subject    text NOT NULL DEFAULT '',
    wrapped    bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX vault_keys_by_project ON cairn.vault_keys (project_id, subject);
