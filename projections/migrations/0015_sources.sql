-- What stands at a root and is no source, as its last listings told it; and sources by path.

CREATE TABLE cairn.listing_notices (
    project_id  text NOT NULL,
    root        text NOT NULL,
    path        text NOT NULL,
    code        text NOT NULL,
    detail      text NOT NULL,
    listed_at   timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, root, path, code)
);
CREATE INDEX sources_by_place ON cairn.sources (project_id, root, path, source_id);
