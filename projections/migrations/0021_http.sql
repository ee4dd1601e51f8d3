-- Operational: who may call the HTTP API, what they asked for by which key, and what was answered.
-- No fold of any topic, so a rebuild leaves these tables alone; they are backed up with the keys.

-- A token is shown once and kept as its hash. Without ``projects`` it is good for all of them.
CREATE TABLE cairn.api_tokens (
    token_id     text PRIMARY KEY,
    token_sha256 bytea NOT NULL UNIQUE,
    name         text NOT NULL,
    role         text NOT NULL,
    projects     text[],
    created_by   text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX api_tokens_by_age ON cairn.api_tokens (created_at, token_id);

-- A request with an idempotency key. ``scope`` is its project, or ``-``; without ``status`` it has
-- not been answered yet.
CREATE TABLE cairn.api_requests (
    scope       text NOT NULL,
    key         text NOT NULL,
    fingerprint bytea NOT NULL,
    status      int,
    body        text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, key)
);

-- Every write that was asked for. Append-only.
CREATE TABLE cairn.api_audit (
    audit_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT now(),
    project_id text,
    token_id   text NOT NULL,
    actor      text NOT NULL,
    role       text NOT NULL,
    operation  text NOT NULL,
    path       text NOT NULL,
    key        text NOT NULL,
    status     int NOT NULL,
    code       text NOT NULL,
    correlation_id text NOT NULL
);
CREATE INDEX api_audit_by_project ON cairn.api_audit (project_id, audit_id);

CREATE TRIGGER api_audit_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON cairn.api_audit
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.refuse_change();

-- What changed between two places of the ledger.
CREATE INDEX ledger_atom_history_by_seq ON cairn.ledger_atom_history (project_id, ledger_seq);
CREATE INDEX artifact_versions_by_seq ON cairn.artifact_versions (project_id, input_ledger_seq);
