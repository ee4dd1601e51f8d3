"""Runs of agents: one log for all of them, over the events of any family."""
