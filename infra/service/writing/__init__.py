"""Have artifacts judged and worded: the quality gate and synthesis."""
