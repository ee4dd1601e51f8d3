"""Bitbucket: what its webhooks tell. It is not polled (spec 06 §9)."""
