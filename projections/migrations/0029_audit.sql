-- A write is in the audit log before it is done; what came of it is a row of its own. So a write
-- cannot be without its row, also when its server ends in the middle.
CREATE TABLE cairn.api_audit_outcomes (
    audit_id bigint PRIMARY KEY REFERENCES cairn.api_audit ON DELETE CASCADE,
    at       timestamptz NOT NULL DEFAULT now(),
    status   int NOT NULL,
    code     text NOT NULL
);
INSERT INTO cairn.api_audit_outcomes (audit_id, at, status, code)
    SELECT audit_id, at, status, code FROM cairn.api_audit;
ALTER TABLE cairn.api_audit DROP COLUMN status, DROP COLUMN code;

-- Rows are never changed, and go only when they are old: 30 days whatever the settings say. An
-- outcome goes with its write.
CREATE FUNCTION cairn.refuse_young_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.at > now() - interval '30 days' THEN
        RAISE EXCEPTION 'rows of the audit log are kept for 30 days at least'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;
CREATE FUNCTION cairn.refuse_lone_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM cairn.api_audit WHERE audit_id = OLD.audit_id) THEN
        RAISE EXCEPTION 'the outcome of a write goes with the write'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;
DROP TRIGGER api_audit_append_only ON cairn.api_audit;
CREATE TRIGGER api_audit_append_only
    BEFORE UPDATE OR TRUNCATE ON cairn.api_audit
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.refuse_change();
CREATE TRIGGER api_audit_kept
    BEFORE DELETE ON cairn.api_audit
    FOR EACH ROW EXECUTE FUNCTION cairn.refuse_young_audit();
CREATE TRIGGER api_audit_outcomes_append_only
    BEFORE UPDATE OR TRUNCATE ON cairn.api_audit_outcomes
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.refuse_change();
CREATE TRIGGER api_audit_outcomes_kept
    BEFORE DELETE ON cairn.api_audit_outcomes
    FOR EACH ROW EXECUTE FUNCTION cairn.refuse_lone_outcome();

CREATE INDEX api_audit_by_age ON cairn.api_audit (at);
CREATE INDEX api_requests_by_age ON cairn.api_requests (created_at);
CREATE INDEX job_history_expired ON cairn.job_history (job_id)
    WHERE event_type = 'job.lease_expired';
