-- Data keys are told on vault.key.v1; this table is where processes agree on one, and a copy that is
-- filled from the topic when it is new. Rows of generation 0 are of builds before that.
ALTER TABLE cairn.vault_keys
    ADD COLUMN generation integer NOT NULL DEFAULT 0,
    ALTER COLUMN wrapped DROP NOT NULL; -- NULL: erased
ALTER TABLE cairn.vault_keys ALTER COLUMN generation DROP DEFAULT;

DROP INDEX cairn.vault_keys_by_project;
CREATE UNIQUE INDEX vault_keys_by_subject
    ON cairn.vault_keys (project_id, subject, generation);

-- A row once the table holds what the topic says; then what of the log no key is known for.
CREATE TABLE cairn.vault_restored (
    restored_at      timestamptz NOT NULL DEFAULT now(),
    unknown_keys     text[],
    unknown_contents bigint
);
