-- What orders a list is a column with an index, so that a page costs its rows and not the project's.
-- The worth of an atom and the names of an entity are computed by the projector. Rows folded before
-- this have none: they come last by worth, and are not found by name, until they change or until
-- `cairn rebuild`.

ALTER TABLE cairn.ledger_atoms ADD COLUMN worth double precision NOT NULL DEFAULT 0;
ALTER TABLE cairn.ledger_atoms ADD COLUMN names text[] NOT NULL DEFAULT '{}';
CREATE INDEX ledger_atoms_by_name ON cairn.ledger_atoms USING gin (names) WHERE kind = 'entity';
ALTER TABLE cairn.ledger_atom_history ADD COLUMN worth double precision NOT NULL DEFAULT 0;
CREATE INDEX ledger_atoms_by_worth ON cairn.ledger_atoms (project_id, (-worth), first_seq, atom_id);
CREATE INDEX ledger_atoms_by_age ON cairn.ledger_atoms (project_id, first_seq, atom_id);
CREATE INDEX ledger_atom_history_by_worth ON cairn.ledger_atom_history
    (project_id, (-worth), ((record->>'first_seq')::bigint), atom_id);

CREATE INDEX ledger_contradictions_by_severity ON cairn.ledger_contradictions
    (project_id, array_position(ARRAY['high', 'medium', 'low'], severity), opened_seq, contradiction_id);
CREATE INDEX ledger_merge_candidates_by_project ON cairn.ledger_merge_candidates
    (project_id, opened_seq, merge_candidate_id);
CREATE INDEX artifacts_by_number ON cairn.artifacts (project_id, artifact_type, number, artifact_id);
CREATE INDEX ledger_rejections_by_project ON cairn.ledger_rejections (project_id, run_id, candidate_id);
CREATE INDEX dead_letters_by_place ON cairn.dead_letters
    (origin_topic, origin_partition, origin_offset, stage, dead_letter_id);
CREATE INDEX ingestion_runs_by_start ON cairn.ingestion_runs
    (project_id, coalesce(started_at, 'infinity'), (coalesce(lane, 'preview') <> 'preview'), run_id);
