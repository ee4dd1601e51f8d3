-- The audit log is a fold of audit.v1 now. Its facts commit in the outbox, before a write is done
-- and after it; audit_log shows those that are not folded yet, too.

-- Ids go on where those of an earlier database have ended: they begin at the milliseconds of now.
CREATE SEQUENCE cairn.audit_ids;
DO $$
BEGIN
    EXECUTE format('ALTER SEQUENCE cairn.audit_ids START WITH %1$s RESTART WITH %1$s',
                   (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
END $$;

ALTER TABLE cairn.api_audit_outcomes DROP CONSTRAINT api_audit_outcomes_audit_id_fkey;
ALTER TABLE cairn.api_audit
    ALTER COLUMN audit_id DROP IDENTITY,
    ALTER COLUMN at DROP DEFAULT,
    ADD COLUMN updated_from_event_id uuid;
ALTER TABLE cairn.api_audit_outcomes
    ALTER COLUMN at DROP DEFAULT,
    ADD COLUMN project_id text,
    ADD COLUMN updated_from_event_id uuid;

CREATE INDEX outbox_writes_begun ON cairn.outbox (((payload ->> 'audit_id')::bigint))
    WHERE event_type = 'audit.write_begun';
CREATE INDEX outbox_writes_ended ON cairn.outbox (((payload ->> 'audit_id')::bigint))
    WHERE event_type = 'audit.write_ended';

CREATE VIEW cairn.audit_log AS
SELECT w.*, o.status, coalesce(o.code, 'begun') AS code
FROM (
    SELECT audit_id, at, project_id, token_id, actor, role, operation, path, key, reason,
        correlation_id
    FROM cairn.api_audit
    UNION ALL
    SELECT (b.payload ->> 'audit_id')::bigint, b.occurred_at, b.project_id,
        b.payload ->> 'token_id', b.payload ->> 'actor', b.payload ->> 'role',
        b.payload ->> 'operation', b.payload ->> 'path', b.payload ->> 'key',
        b.payload ->> 'reason', b.correlation_id
    FROM cairn.outbox b
    WHERE b.event_type = 'audit.write_begun' AND NOT EXISTS (
        SELECT FROM cairn.api_audit a WHERE a.audit_id = (b.payload ->> 'audit_id')::bigint)
) w
LEFT JOIN LATERAL (
    SELECT o.status, o.code FROM cairn.api_audit_outcomes o WHERE o.audit_id = w.audit_id
    UNION ALL
    SELECT (b.payload ->> 'status')::int, b.payload ->> 'code' FROM cairn.outbox b
    WHERE b.event_type = 'audit.write_ended' AND (b.payload ->> 'audit_id')::bigint = w.audit_id
    LIMIT 1
) o ON true;
