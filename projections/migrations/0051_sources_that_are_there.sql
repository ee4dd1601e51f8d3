-- How many sources of a project are there is read from an index alone.
CREATE INDEX sources_there ON cairn.sources (project_id) WHERE state <> 'removed';
