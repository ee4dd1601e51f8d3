-- What confirms an atom at the place of its evidence.
ALTER TABLE cairn.ledger_evidence ADD COLUMN confirmed_by text NOT NULL DEFAULT '';
