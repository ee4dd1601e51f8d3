-- Which artifact a request changes, and the model whose words it brings.
ALTER TABLE cairn.artifact_edits ADD COLUMN artifact_type text NOT NULL DEFAULT 'prd';
ALTER TABLE cairn.artifact_edits ADD COLUMN model text;
-- Who went through a list: rules, which make it, or a model, which words its items.
ALTER TABLE cairn.generation_loops ADD COLUMN engine text NOT NULL DEFAULT 'heuristic';
