"""Outside services as tools of the assistant: each is a definition file, called over HTTP."""
