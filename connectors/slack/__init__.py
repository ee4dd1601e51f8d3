"""Slack: its messages as threads, by pull, by event and from an export."""
