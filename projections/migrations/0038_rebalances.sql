-- How the work of a sprint should lie on the team instead. Moves are objects with the ids of the task
-- and of both members, the points, the reason and how much lower the imbalance is.
CREATE TABLE cairn.rebalance_proposals (
    rebalance_id     text PRIMARY KEY,
    project_id       text NOT NULL,
    trigger          text NOT NULL,
    sprint_id        text NOT NULL,
    imbalance_before double precision NOT NULL,
    moves            jsonb NOT NULL,
    state            text NOT NULL,
    proposed_by      text NOT NULL,
    proposed_at      timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX rebalance_proposals_by_project ON cairn.rebalance_proposals
    (project_id, proposed_at, rebalance_id);
