"""Stage 2: the ledger of one project after the other, changed one turn at a time.

Single writer of ``ledger.v1``: one turn of one project, or one decision of a person, gives one
change set. Reading order:

1. ``turns``: what the ledger is, which turn is next, what one does
2. ``writer``: a turn becomes one change set
3. ``upsert``: a candidate comes in, and ``atoms``: what an atom is and becomes
4. ``figures``, ``likeness``, ``opposition``: whether two texts say the same, or cannot both hold.
   They know nothing of the ledger
5. ``pairs``: two atoms that say the same, or cannot both hold
6. ``sources``: a source changed
7. ``people``: what people decide
8. ``summary``; ``judging``: a model's answers about pairs; ``giving_up``: what cannot be decided

Inputs and own output may be folded in any interleaving: a table is fed from one topic and emptied
by another. Runs of different triggers meet only at batch borders; ``ledger_seq`` records where.
Numbers that decide are whole or rounded to 6 decimals. A turn too large for a record becomes one
without effect, and the end of the run makes up for it, in parts of some 2,000 records.
"""
