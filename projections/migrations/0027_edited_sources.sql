-- Which atoms an artifact cites no longer after a request to change it.
ALTER TABLE cairn.artifact_edits ADD COLUMN uncited_atom_ids text[] NOT NULL DEFAULT '{}';

-- What a contradiction was after each change set that changed it.
CREATE TABLE cairn.ledger_contradiction_history (
    contradiction_id text NOT NULL,
    ledger_seq       bigint NOT NULL,
    project_id       text NOT NULL,
    record           jsonb NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (contradiction_id, ledger_seq)
);
CREATE INDEX ledger_contradiction_history_by_seq
    ON cairn.ledger_contradiction_history (project_id, ledger_seq);
