-- Who said what is quoted, and when.

ALTER TABLE cairn.ledger_evidence ADD COLUMN speaker text;
ALTER TABLE cairn.ledger_evidence ADD COLUMN speaker_role text;
ALTER TABLE cairn.ledger_evidence ADD COLUMN stated_at timestamptz;
