-- Operational: who is signed in to the console, and the sign-in links that nobody has used yet.
-- No fold of any topic, so a rebuild leaves these tables alone; they need no backup.

-- The cookie is kept as its hash. A session is open while its token is valid, too.
CREATE TABLE cairn.console_sessions (
    session_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cookie_sha256 bytea NOT NULL UNIQUE,
    token_id      text NOT NULL,
    browser       text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    seen_at       timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    ended_at      timestamptz
);
CREATE INDEX console_sessions_by_token ON cairn.console_sessions (token_id, session_id);
CREATE INDEX console_sessions_by_end ON cairn.console_sessions (expires_at);

-- A link goes when it is used.
CREATE TABLE cairn.console_links (
    code_sha256 bytea PRIMARY KEY,
    token_id    text NOT NULL,
    expires_at  timestamptz NOT NULL
);
