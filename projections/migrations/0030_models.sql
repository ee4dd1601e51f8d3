-- Calls of language models, what they may cost, and the answers that replays read.

CREATE TABLE cairn.llm_calls (
    call_id         text PRIMARY KEY,
    project_id      text NOT NULL,
    agent           text NOT NULL,
    stage           text NOT NULL,
    run_id          text,
    workflow_id     text,
    provider        text NOT NULL,
    model           text NOT NULL,
    requested_model     text NOT NULL,
    tier            text NOT NULL,
    prompt_version  text NOT NULL,
    attempt         int NOT NULL,
    fallback_from   text,
    input_tokens    bigint NOT NULL,
    output_tokens   bigint NOT NULL,
    cached_tokens   bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    usage_estimated boolean NOT NULL,
    cost_usd        double precision,
    price_known     boolean NOT NULL,
    latency_ms      bigint NOT NULL,
    outcome         text NOT NULL,
    error_class     text NOT NULL,
    status          int,
    request_hash    text NOT NULL,
    correlation_id  text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX llm_calls_by_time ON cairn.llm_calls (project_id, occurred_at)
    INCLUDE (agent, cost_usd, input_tokens, output_tokens);
CREATE INDEX llm_calls_by_run ON cairn.llm_calls (project_id, coalesce(workflow_id, run_id));

CREATE VIEW cairn.cost_daily AS
    SELECT project_id, (occurred_at AT TIME ZONE 'UTC')::date AS day, agent, stage, provider, model,
           count(*) AS calls, sum(input_tokens)::bigint AS input_tokens,
           sum(output_tokens)::bigint AS output_tokens,
           sum(cached_tokens)::bigint AS cached_tokens,
           coalesce(sum(cost_usd), 0) AS cost_usd,
           count(*) FILTER (WHERE NOT price_known) AS calls_without_price
    FROM cairn.llm_calls
    WHERE outcome <> 'budget_exceeded'
    GROUP BY project_id, day, agent, stage, provider, model;

CREATE TABLE cairn.llm_call_payloads (
    call_id    text PRIMARY KEY,
    project_id text NOT NULL,
    prompt     text NOT NULL,
    response   text NOT NULL,
    expires_at timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX llm_call_payloads_by_age ON cairn.llm_call_payloads (expires_at);

CREATE TABLE cairn.llm_answers (
    request_hash text PRIMARY KEY,
    project_id   text NOT NULL,
    answer       text NOT NULL,
    updated_from_event_id uuid
);

CREATE TABLE cairn.budgets (
    project_id   text NOT NULL,
    scope        text NOT NULL,
    agent        text NOT NULL,
    limit_usd    double precision,
    limit_tokens bigint,
    warn_at      double precision NOT NULL,
    hard         boolean NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, scope, agent)
);

-- Operational. What is set aside for calls that run, and what calls have cost whose fact the tables
-- do not show yet: a row goes when its call is in llm_calls.
CREATE TABLE cairn.model_charges (
    call_id     text PRIMARY KEY,
    project_id  text NOT NULL,
    agent       text NOT NULL,
    run_key     text,
    reserved_at timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    is_settled  boolean NOT NULL DEFAULT false,
    cost_usd    double precision NOT NULL,
    tokens      bigint NOT NULL,
    call        jsonb NOT NULL,
    correlation_id text NOT NULL
);
CREATE INDEX model_charges_by_project ON cairn.model_charges (project_id);

-- Operational. Answers on the topic that the tables do not show yet.
CREATE TABLE cairn.model_answers (
    request_hash text PRIMARY KEY,
    answer       text NOT NULL
);
