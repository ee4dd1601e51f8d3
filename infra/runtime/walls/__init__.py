"""Walls around commands that a model wrote: what they can see, change and use up (README.md)."""
