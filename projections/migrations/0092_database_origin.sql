-- When this database was made, and how many records the log had then: where there were any, an
-- earlier database was lost. One that is older than this table is not new.
CREATE TABLE cairn.database_origin (
    is_only     boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    made_at     timestamptz NOT NULL DEFAULT now(),
    log_records bigint NOT NULL
);
INSERT INTO cairn.database_origin (log_records)
    SELECT 0 WHERE EXISTS (SELECT FROM cairn.projection_offsets);
