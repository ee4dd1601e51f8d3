-- The audit log keeps both names where somebody has asked on behalf of another person.
ALTER TABLE cairn.api_audit ADD COLUMN spoken_by text NOT NULL DEFAULT '';
DROP VIEW cairn.audit_log;
CREATE VIEW cairn.audit_log AS
SELECT w.*, o.status, coalesce(o.code, 'begun') AS code
FROM (
    SELECT audit_id, at, project_id, token_id, actor, role, operation, path, key, reason, spoken_by,
        correlation_id
    FROM cairn.api_audit
    UNION ALL
    SELECT (b.payload ->> 'audit_id')::bigint, b.occurred_at, b.project_id,
        b.payload ->> 'token_id', b.payload ->> 'actor', b.payload ->> 'role',
        b.payload ->> 'operation', b.payload ->> 'path', b.payload ->> 'key',
        b.payload ->> 'reason', coalesce(b.payload ->> 'spoken_by', ''), b.correlation_id
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
