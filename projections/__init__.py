"""Facts to rows: the read model in PostgreSQL and the questions asked of it. See README.md."""
