"""Ask about a project."""
