-- Where each task was planned and how far it was, and whether a sprint was closed, after each answer
-- of the writer of artifacts that changed it. Answers folded before this are in it after `cairn rebuild`.

CREATE TABLE cairn.task_history (
    artifact_id     text NOT NULL,
    artifact_seq    bigint NOT NULL,
    project_id      text NOT NULL,
    sprint_id       text,
    estimate_points int NOT NULL,
    status          text NOT NULL,
    changed_at      timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, artifact_seq)
);
CREATE INDEX task_history_by_sprint ON cairn.task_history (sprint_id, artifact_id)
    WHERE sprint_id IS NOT NULL;

CREATE TABLE cairn.sprint_history (
    artifact_id  text NOT NULL,
    artifact_seq bigint NOT NULL,
    project_id   text NOT NULL,
    is_closed    boolean NOT NULL,
    changed_at   timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, artifact_seq)
);
