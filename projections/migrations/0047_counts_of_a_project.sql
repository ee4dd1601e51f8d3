-- What a page counts of a project is read from an index alone, and so is which atoms a filter finds.
-- Each index takes the place of a narrower one.
DROP INDEX cairn.ledger_atoms_by_project;
CREATE INDEX ledger_atoms_by_state ON cairn.ledger_atoms (project_id, status, kind, area)
    INCLUDE (evidence_count);
DROP INDEX cairn.chunks_by_project;
CREATE INDEX chunks_by_state ON cairn.chunks (project_id, state);
