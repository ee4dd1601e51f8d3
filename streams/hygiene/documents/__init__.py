"""What a document says of itself; its chunks carry it on.

Reading order: ``title``; ``status``, with ``notices`` and ``status_words``: proposed, accepted,
rejected or superseded; ``successor`` and ``predecessors``: which document replaces which;
``options``: what it has chosen among; ``describe``: what it is to the product, for people.
"""
