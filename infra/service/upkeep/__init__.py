"""Keep an installation in order: its state, its log, its tables."""
