"""Slack: its messages as threads, from polls, events and exports."""
