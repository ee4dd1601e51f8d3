-- A session that an issuer has begun has no token here: who it is of stands in its row. The sign-in
-- that it came from is kept as its hash, so that it is finished once.
ALTER TABLE cairn.console_sessions
    ADD COLUMN name text,
    ADD COLUMN role text,
    ADD COLUMN projects text[],
    ADD COLUMN flow_sha256 bytea UNIQUE;
