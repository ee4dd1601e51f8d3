"""Connectors list and read outside sources; the feeder publishes them as facts.

This module imports nothing: the child process that reads untrusted files belongs to this package
(``unpacking``) and must start quickly.
"""
