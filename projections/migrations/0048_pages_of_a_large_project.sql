-- What a page asks of a project is found by an index, however long its history is: what waits for a
-- person, what a change set had read, and how each atom stood.
CREATE INDEX ledger_change_sets_run_ends ON cairn.ledger_change_sets (project_id, ledger_seq)
    WHERE kind = 'run_end';
CREATE INDEX ledger_atoms_stale ON cairn.ledger_atoms (project_id, atom_id)
    WHERE verified_by IS NOT NULL AND evidence_state = 'stale';
CREATE INDEX ledger_change_sets_read ON cairn.ledger_change_sets (project_id, ledger_seq)
    INCLUDE (chunk_id) WHERE outcome = 'extracted';
ALTER TABLE cairn.ledger_atom_history
    ADD COLUMN status text GENERATED ALWAYS AS (record->>'status') STORED,
    ADD COLUMN area text GENERATED ALWAYS AS (record->>'area') STORED;
CREATE INDEX ledger_atom_history_by_state ON cairn.ledger_atom_history
    (project_id, atom_id, ledger_seq DESC) INCLUDE (status, area);
