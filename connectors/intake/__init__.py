"""Turns stored deliveries into items, testimony and changed files."""
