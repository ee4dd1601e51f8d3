"""Stage 0, the hygiene gate: normalise, redact, annotate, filter, chunk.

Reading order:

1. ``normalise``: a revision's bytes as text
2. ``redaction``: secrets and personal data become placeholders; ``secrets`` has the rules
3. ``prompt_injection``: spans that could mislead a model are marked
4. ``filter``, ``boilerplate``: what is not read on, and why
5. ``chunk``: the text as pieces. ``chunks`` finds the places to cut, ``documents`` what a document
   says of itself
6. ``stage``: the steps in one, and the facts that come of it; ``left_out``: a text that takes too
   long

Words and plain forms are rows of the tables in ``lexicons`` and ``streams.lexicons``, each with an
example and a counterexample; patterns that are logic stay beside the code that uses them.
"""
