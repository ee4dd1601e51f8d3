"""Cairn on three brokers and a database with TLS, as on a cluster of others."""
