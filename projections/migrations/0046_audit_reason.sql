-- Why somebody asked for a write that takes something away, as they say it; secrets are taken out.
ALTER TABLE cairn.api_audit ADD COLUMN reason text NOT NULL DEFAULT '';
