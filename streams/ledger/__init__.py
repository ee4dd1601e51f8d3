"""Stage 2: the ledger of one project after the other, changed one turn at a time."""
