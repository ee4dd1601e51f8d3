"""GitHub: its items, its lists, its ways to prove who we are."""
