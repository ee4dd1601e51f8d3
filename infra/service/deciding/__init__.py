"""Decide about the ledger."""
