"""Run control: which chunks are read, in which batch, and why."""
