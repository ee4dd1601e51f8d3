"""Language models: who serves them, what a call is, and how one is asked. Nothing here decides."""
