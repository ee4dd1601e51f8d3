"""Run control: which chunks are read, in which batch, and why. Single writer of ``ingestion.v1``.

Reading order: ``rows``, ``run_view``, ``scope`` and ``state`` hold what is remembered; ``writer``
folds it. ``changes`` and ``views`` derive a run's view from it. ``starting`` begins runs,
``planning`` and ``choice`` choose batches, ``deep_dive`` looks around contradictions,
``rereading`` re-ingests changed sources that no run reads, ``stops`` and ``cancelling`` end runs,
``awaiting`` names requests without an answer.
"""
