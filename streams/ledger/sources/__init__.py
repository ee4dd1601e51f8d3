"""A source changed, or a model has read what rules had read: evidence moves, ends, comes back.

Reading order: ``sources``; ``reanchor``, evidence whose chunk moved; ``rereading``; ``wording``, an
atom keeps to words that a source still says; ``documents``, what a newer document replaces;
``document_roles``, what a person says of a document.
"""
