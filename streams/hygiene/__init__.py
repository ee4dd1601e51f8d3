"""Stage 0, the hygiene gate: normalise, redact, annotate, filter, chunk (spec 01).

Read in that order; ``stage`` puts the steps together.
"""
