"""Stage 3: the single writer of ``reduce.v1``: PRD, insights, features and epics, from the ledger.

One settled position of the ledger gives one answer with everything it changed. Inside a run it
writes ahead: speculative sections, features and epics, until the next settled position. Reading
order:

1. ``writer``, ``state``, ``inputs``: positions, what is kept and set aside for each, the answer
2. ``speculation``: what is written ahead, and what becomes of it
3. ``sections``, ``vocabulary``, ``placed_atoms``, ``placement``, ``selection``: which atoms go
   into which section of the PRD
4. ``topics``, ``clusters``, ``findings``, ``epics``: what atoms are about; clusters of items
5. ``wording``, ``titles``, ``markdown``: statements, titles, the document
6. ``validator``, ``states``, ``gate``: what may be published, its state, how good it is
7. ``loop``, ``making``: one item, then whether to go on; items by rule
8. ``prd``, ``items``, ``features``, ``planning``, ``lists``: new versions, fields and dates
"""
