"""What people decide about the ledger.

Reading order: ``people``; ``ruling``, what all decisions share; ``decided_atoms``,
``decided_contradictions``, ``decided_merges``, ``decided_documents``; ``proposals``, decisions that
wait for somebody who may make them.
"""
