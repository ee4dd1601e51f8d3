-- The last change set recorded by a moment is found by an index, however long the history is.
CREATE INDEX ledger_change_sets_by_time ON cairn.ledger_change_sets (project_id, recorded_at);
