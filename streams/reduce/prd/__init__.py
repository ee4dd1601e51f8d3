"""The PRD: which atoms go into which section, what people write there, how good it is.

Reading order: ``placed_atoms``, ``subjects``, ``admission``, ``placement``, ``selection``; ``prd``;
``edits``, ``owner_words``; ``gate``, ``revision``.
"""
