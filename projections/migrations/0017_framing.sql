-- Whether a quote only frames what is said, as a heading or lead-in does.

ALTER TABLE cairn.ledger_evidence ADD COLUMN framing boolean NOT NULL DEFAULT false;
