-- What a run has held back, and chunks that needed no reading.

ALTER TABLE cairn.ingestion_runs ADD COLUMN removals_held text[];
ALTER TABLE cairn.chunks ADD COLUMN reanchored_from text;
ALTER TABLE cairn.chunks ADD COLUMN reanchored_run_id text;
