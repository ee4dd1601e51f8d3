-- Projects that were deleted: `projects` has them no more, and nothing of theirs is shown.
CREATE TABLE cairn.deleted_projects (
    project_id text PRIMARY KEY,
    deleted_at timestamptz NOT NULL,
    updated_from_event_id uuid
);
