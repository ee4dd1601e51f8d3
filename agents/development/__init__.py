"""Agents that write code: governed workflows and delivery, over ports that are handed in."""
