"""Jira, Cloud and Data Center: its payloads as items, and its issues by pull."""
