-- Which atoms an artifact cites no longer after a request to change it.
ALTER TABLE cairn.artifact_edits ADD COLUMN uncited_atom_ids text[] NOT NULL DEFAULT '{}';
