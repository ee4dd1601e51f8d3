"""Whether two statements can both hold.

Reading order: ``statements``; ``alignment``, what is the same is written the same; ``contrast``,
``traits``, ``roles``, what differs; ``scopes``, whether both speak of the same; ``opposition``, the
answer; ``duplicates``, whether they say the same, with the answer at hand.
"""
