"""Ways to a coding model: `api`, `claude` and `codex`, all with the same events and replies."""
