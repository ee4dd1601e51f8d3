-- The number of a quote in a list of facts of which the newer counts.
ALTER TABLE cairn.ledger_evidence ADD COLUMN serial bigint;
