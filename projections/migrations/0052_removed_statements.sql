-- What a run of the quality gate has taken out of its sections, with the reason of each.

ALTER TABLE cairn.quality_runs ADD COLUMN removed jsonb NOT NULL DEFAULT '[]';
