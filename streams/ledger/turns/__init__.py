"""What the ledger holds, which turn is next, and what a turn has changed so far.

Reading order:

1. ``fold``: what the ledger is, for every reader of ``ledger.v1``
2. ``arrivals``, ``turns``: inputs wait for those before them
3. ``decisions``, ``retries``, ``judgements``, ``refusals``: what people and models say
4. ``indexes``, ``conversations``, ``fact_frames``: what must be found without a walk over all atoms
5. ``state``: all of that, of one partition
6. ``current``, ``changes``, ``draft``: what a step of a turn may ask and change; a change set in
   the making, laid over the state
"""
