"""The assistant: conversations that belong to a person, and what its agents may use."""
