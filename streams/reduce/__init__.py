"""Stage 3: the single writer of ``reduce.v1``: the PRD and all lists and plans made beside it.

One settled position of the ledger gives one answer with everything it changed. Inside a run it
writes ahead: speculative sections, features and epics, until the next settled position. Reading
order:

1. ``writer``, ``state``: positions, what is kept and set aside for each, the answer
2. ``texts``: what is written from, and in which words
3. ``artifacts``: what is alike in all that is written: sections, items, what may be published
4. ``prd``, ``features``, ``plan``, ``reports``: what is written
5. ``pending_requests``, ``request_answers``, ``edit_answers``: what people ask for
6. ``speculation``: what is written ahead, and what becomes of it
7. ``model_texts``: what a model words in the place of the rules; ``giving_up``
"""
