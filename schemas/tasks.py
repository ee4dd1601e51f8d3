"""What is known of a task by its status alone."""

from __future__ import annotations

OVER = frozenset({"done", "dropped"})  # nobody works on it any more
