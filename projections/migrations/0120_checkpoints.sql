-- The last state of each run of agents that is under way or waits: a cache of the run's log. A row may
-- be deleted at any time; one whose seal is wrong counts as deleted.
CREATE TABLE cairn.checkpoints (
    run_id   text PRIMARY KEY,
    position integer NOT NULL,
    kind     text NOT NULL,
    state    bytea NOT NULL,
    seal     text NOT NULL,
    kept_at  timestamptz NOT NULL DEFAULT now()
);
