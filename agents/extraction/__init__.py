"""Reading with a model: what it is asked, and what becomes of its answer."""
