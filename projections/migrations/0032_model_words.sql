-- Which artifact a request changes, and the model whose words it brings.
ALTER TABLE cairn.artifact_edits ADD COLUMN artifact_type text NOT NULL DEFAULT 'prd';
ALTER TABLE cairn.artifact_edits ADD COLUMN model text;
