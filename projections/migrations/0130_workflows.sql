-- Governed workflows and deliveries, as workflow.v1 has them. Whatever an event holds besides its place is in `data`
-- of `workflow_events`, one row an event; the other tables are views of the same events for whoever asks for one thing.

CREATE TABLE cairn.workflow_events (
    workflow_id text NOT NULL,
    ordinal     int NOT NULL,
    project_id  text NOT NULL,
    event_type  text NOT NULL,
    data        jsonb NOT NULL,
    occurred_at timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, ordinal)
);
CREATE TRIGGER workflow_events_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON cairn.workflow_events
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.refuse_change();

-- `status` is `running` until the run has ended; whether it waits for a person is in `workflow_gates`.
CREATE TABLE cairn.workflows (
    workflow_id       text PRIMARY KEY,
    project_id        text NOT NULL,
    workflow_type     text NOT NULL,
    thread_id         text NOT NULL,
    issue_number      int NOT NULL,
    title             text NOT NULL,
    repository        text NOT NULL,
    commit            text NOT NULL,
    profile           text NOT NULL,
    settings          jsonb NOT NULL,
    input_hash        text NOT NULL,
    input_workflow_id text NOT NULL,
    feature_id        text NOT NULL,
    task_id           text NOT NULL,
    atom_ids          text[] NOT NULL,
    drafter_family    text NOT NULL,
    reviewer_family   text NOT NULL,
    chain_id          text NOT NULL,
    started_by        text NOT NULL,
    started_at        timestamptz NOT NULL,
    status            text NOT NULL,
    halt_reason       text NOT NULL,
    artifact_hash     text NOT NULL,
    error             text NOT NULL,
    text              text NOT NULL,
    total_tasks       int,
    finished_at       timestamptz,
    updated_from_event_id uuid
);
CREATE INDEX workflows_by_time ON cairn.workflows (started_at, workflow_id);
CREATE INDEX workflows_by_project ON cairn.workflows (project_id, started_at, workflow_id);
CREATE INDEX workflows_by_thread ON cairn.workflows (thread_id, started_at);
CREATE INDEX workflows_by_chain ON cairn.workflows (chain_id, started_at) WHERE chain_id <> '';

CREATE TABLE cairn.workflow_steps (
    workflow_id      text NOT NULL,
    node             text NOT NULL,
    iteration        int NOT NULL,
    project_id       text NOT NULL,
    entered_ordinal  int,
    entered_at       timestamptz,
    finished_ordinal int,
    finished_at      timestamptz,
    next_node        text,
    detail           text,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, node, iteration)
);

CREATE TABLE cairn.workflow_verdicts (
    workflow_id     text NOT NULL,
    ordinal         int NOT NULL,
    project_id      text NOT NULL,
    iteration       int NOT NULL,
    verdict         text NOT NULL,
    artifact_hash   text NOT NULL,
    summary         text NOT NULL,
    findings        jsonb NOT NULL,
    reviewer_model  text NOT NULL,
    reviewer_family text NOT NULL,
    draft_model     text NOT NULL,
    draft_family    text NOT NULL,
    prompt_version  text NOT NULL,
    given_at        timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, ordinal)
);
CREATE INDEX workflow_verdicts_by_time ON cairn.workflow_verdicts (project_id, given_at);

-- A gate without `decision` waits, unless the run is over.
CREATE TABLE cairn.workflow_gates (
    confirmation_id    text PRIMARY KEY,
    workflow_id        text NOT NULL,
    project_id         text NOT NULL,
    gate               text,
    artifact_hash      text,
    arguments          jsonb,
    summary            text,
    opened_ordinal     int,
    opened_at          timestamptz,
    decision           text,
    changed_arguments  jsonb,
    reason             text,
    decided_by         text,
    decided_at         timestamptz,
    verdict_overridden text,
    updated_from_event_id uuid
);
CREATE INDEX workflow_gates_by_workflow ON cairn.workflow_gates (workflow_id, opened_ordinal);
CREATE INDEX workflow_gates_open ON cairn.workflow_gates (project_id, opened_at) WHERE decision IS NULL;

-- `kind`: `draft`, `repaired`, `plan`, or `approved` for what the stage has come to.
CREATE TABLE cairn.workflow_artifacts (
    workflow_id   text NOT NULL,
    ordinal       int NOT NULL,
    project_id    text NOT NULL,
    kind          text NOT NULL,
    artifact_type text NOT NULL,
    artifact_hash text NOT NULL,
    text          text NOT NULL,
    iteration     int NOT NULL,
    model         text NOT NULL,
    family        text NOT NULL,
    approval      text NOT NULL,
    approved_by   text NOT NULL,
    path          text NOT NULL,
    atom_ids      text[] NOT NULL,
    made_at       timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, ordinal)
);
CREATE INDEX workflow_artifacts_by_hash ON cairn.workflow_artifacts (artifact_hash);

CREATE TABLE cairn.delivery_tasks (
    workflow_id text NOT NULL,
    task_index  int NOT NULL,
    project_id  text NOT NULL,
    title       text,
    total       int,
    started_at  timestamptz,
    sha         text,
    tree        text,
    branch      text,
    trailers    text[],
    files       text[],
    failure     text,
    message     text,
    ended_at    timestamptz,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, task_index)
);
CREATE INDEX delivery_tasks_by_sha ON cairn.delivery_tasks (sha) WHERE sha IS NOT NULL;

CREATE TABLE cairn.delivery_reviews (
    workflow_id text NOT NULL,
    ordinal     int NOT NULL,
    project_id  text NOT NULL,
    task_index  int NOT NULL,
    iteration   int NOT NULL,
    review_pass int NOT NULL,
    approved    boolean NOT NULL,
    summary     text NOT NULL,
    skills      text[] NOT NULL,
    tree        text NOT NULL,
    model       text NOT NULL,
    error       text NOT NULL,
    reviewed_at timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, ordinal)
);

CREATE TABLE cairn.review_issues (
    workflow_id text NOT NULL,
    ordinal     int NOT NULL,
    number      int NOT NULL,
    project_id  text NOT NULL,
    task_index  int NOT NULL,
    iteration   int NOT NULL,
    severity    text NOT NULL,
    file        text NOT NULL,
    line        int,
    description text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, ordinal, number)
);

CREATE TABLE cairn.evaluation_items (
    workflow_id text NOT NULL,
    ordinal     int NOT NULL,
    number      int NOT NULL,
    project_id  text NOT NULL,
    task_index  int NOT NULL,
    iteration   int NOT NULL,
    issue       text NOT NULL,
    decision    text NOT NULL,
    reason      text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, ordinal, number)
);

CREATE TABLE cairn.trajectory_events (
    workflow_id text NOT NULL,
    seq         int NOT NULL,
    project_id  text NOT NULL,
    id          text NOT NULL,
    type        text NOT NULL,
    content     text NOT NULL,
    agent       text NOT NULL,
    tool_name   text,
    tool_input  jsonb,
    happened_at text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (workflow_id, seq)
);

CREATE INDEX llm_calls_by_workflow ON cairn.llm_calls (workflow_id) WHERE workflow_id IS NOT NULL;
