"""Stage 0, the hygiene gate: normalise, redact, annotate, filter, chunk.

Read in that order; ``stage`` puts the steps together.
"""
