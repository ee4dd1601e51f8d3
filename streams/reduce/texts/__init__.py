"""What artifacts are written from, and in which words.

Reading order: ``inputs``, with ``deltas``; ``vocabulary`` and ``sections``, of a PRD; ``topics``,
what an atom is about; ``action_items``, ``means``, ``approach``, what orders work and how it is
done; ``wording``, a statement in the words of its atom.
"""
