-- Pages of what changed between two places of the ledger: each list in its order by an index.
CREATE INDEX ledger_atom_history_by_place ON cairn.ledger_atom_history
    (project_id, ledger_seq, atom_id);
DROP INDEX cairn.ledger_atom_history_by_seq;
CREATE INDEX ledger_contradictions_by_change ON cairn.ledger_contradictions
    (project_id, updated_seq, contradiction_id);
