-- Search asks which atoms quote a passage: those whose span in the source meets its own.
CREATE INDEX ledger_evidence_by_place ON cairn.ledger_evidence (source_id, char_start, char_end)
    WHERE NOT stale;
