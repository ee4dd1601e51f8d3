"""GitHub: its items, its lists, its ways to authenticate."""
