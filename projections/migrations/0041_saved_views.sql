-- Views that somebody has saved of a project. ``place`` is the address below that of the project.
-- Operational, so a rebuild leaves them alone.
CREATE TABLE cairn.saved_views (
    project_id text NOT NULL,
    token_id   text NOT NULL,
    name       text NOT NULL,
    place      text NOT NULL,
    saved_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, token_id, name)
);
