"""Talk with the agents of a project."""
