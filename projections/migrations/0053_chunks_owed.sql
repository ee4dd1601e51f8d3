-- Who read a chunk, and why a model that was to read it did not, or not all of it.
ALTER TABLE cairn.chunks ADD COLUMN read_engine text, ADD COLUMN read_error text;
CREATE INDEX chunks_owed ON cairn.chunks (project_id, read_error)
    WHERE read_error <> '' AND NOT obsolete;
