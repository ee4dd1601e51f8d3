-- Operational: decisions that were published, so that each has an address before it is answered.
-- The answers are in ledger_hitl_events. No fold of any topic, so a rebuild leaves this table alone.
CREATE TABLE cairn.sent_decisions (
    hitl_event_id text PRIMARY KEY,
    project_id    text NOT NULL,
    target_id     text NOT NULL,
    may_decide    boolean NOT NULL,
    sent_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sent_decisions_by_target ON cairn.sent_decisions (target_id, sent_at);
