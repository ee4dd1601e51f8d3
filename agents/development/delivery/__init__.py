"""The delivery agents: a plan, its tasks one by one, each reviewed before it is committed."""
