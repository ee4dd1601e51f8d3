"""Facts to facts: the stages as pure functions, and the shells that move records around them."""
