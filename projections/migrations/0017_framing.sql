-- Whether a quote of talk only frames what is said.

ALTER TABLE cairn.ledger_evidence ADD COLUMN framing boolean NOT NULL DEFAULT false;
