"""Stage 3: the single writer of artifacts; today the PRD, written by rule from the ledger."""
