"""Tell other services of a project's news."""
