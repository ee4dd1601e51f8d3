"""Stage 3: the single writer of ``reduce.v1``: the PRD and all lists and plans made beside it.

One settled position of the ledger gives one answer with everything it changed. Inside a run it
writes ahead: speculative sections, features and epics, until the next settled position. Reading
order:

1. ``writer``, ``state``, ``inputs``: positions, what is kept and set aside for each, the answer
2. ``speculation``: what is written ahead, and what becomes of it
3. ``sections``, ``vocabulary``, ``placed_atoms``, ``placement``, ``selection``: which atoms go
   into which section of the PRD
4. ``topics``, ``clusters``, ``findings``, ``epics``: what atoms are about; clusters of items
5. ``wording``, ``titles``, ``section_text``, ``markdown``: statements, titles, the document
6. ``validator``, ``states``, ``gate``: what may be published, its state, how good it is
7. ``loop``, ``making``: one item, then whether to go on; items by rule
8. ``prd``, ``items``, ``features``, ``planning``, ``lists``: new versions, fields and dates
9. ``orders``, ``breakdown``, ``tasks``, ``backlog``: what tasks are cut from; tasks as artifacts
10. ``members``, ``sprint``, ``sprint_plans``: who can do what; sprints; sprints as artifacts
11. ``pending_requests``, ``deltas``, ``forecast``, ``reports``: what people ask for
12. ``edits``, ``edited_sections``, ``edit_answers``, ``owner_words``: what people write, what of
    their sections follows the ledger, and the atoms behind their words
13. ``model_texts``: what a model words in the place of the rules
"""
