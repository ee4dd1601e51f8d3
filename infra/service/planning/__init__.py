"""Edit artifacts, and plan with them: features, tasks, sprints, the team."""
