"""The tools of agents that write code: files of one workspace, and commands behind walls."""
