"""Stage 2: the ledger of one project after the other, changed one turn at a time.

Single writer of ``ledger.v1``: one turn of one project, or one decision of a person, gives one
change set. Reading order:

1. ``fold``: what the ledger is, for every reader of ``ledger.v1``
2. ``turns``: which turn is next; results wait for those before them
3. ``state``, ``indexes``, ``near_index``: tables, each fed by one topic, and what memory derives
4. ``writer``, ``draft``: a turn becomes one change set, laid over the state
5. ``upsert``, ``evidence``, ``lifecycle``: a candidate comes in; its figures; how atoms stop
   living
6. ``similarity``, ``amounts``, ``signs``, ``agreement``: whether alike texts say the same;
   ``merging``, ``reviews``, ``wording``: the same in other words is merged, asked about, or
   replaces an older wording
7. ``lexicon``, ``terms``, ``pair_features``, ``duplicates``, ``nearest``, ``weighing``: how alike
   two texts are, by learnt weights (``pair_weights.json``)
8. ``statements``, ``contrast``, ``opposition``, ``contradictions``, ``authority``: whether two
   statements can both hold, and which to believe, as a suggestion
9. ``arrivals``, ``decisions``, ``retries``, ``people``, ``ruling``, ``decided_atoms``,
   ``decided_contradictions``, ``decided_merges``, ``revival``: what people decide
10. ``entities``, ``reasoning``, ``sources``, ``documents``, ``reanchor``, ``standing``,
   ``answers``, ``talk``, ``summary``: names; reasons; changes of sources; documents that others
   replace; documents that were turned down; questions and answers of a conversation; the working
   summary

Inputs and own output may be folded in any interleaving: a table is fed from one topic and emptied
by another. Runs of different triggers meet only at batch borders; ``ledger_seq`` records where.
Numbers that decide are whole or rounded to 6 decimals. A turn too large for a record becomes one
without effect, and the end of the run makes up for it, in parts of some 2,000 records.
"""
