"""Text that gives orders to a model: it is marked, none of it is removed.

Reading order: ``annotate``; ``rules`` and ``languages``, the patterns; ``disguise``, views of a
text that undo what hides an order; ``concealed``, orders where readers do not look; ``likeness``,
a learnt scorer beside the patterns; ``marks``, the same for a text that is no source.
"""
