"""The tools of agents: what each is called, takes and may do. What they do is handed in."""
