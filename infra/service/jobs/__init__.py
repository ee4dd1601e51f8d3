"""Work in the background: jobs, schedules and what each does."""
