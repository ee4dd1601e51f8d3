"""Create, rename and delete projects; begin one with onboarding."""
