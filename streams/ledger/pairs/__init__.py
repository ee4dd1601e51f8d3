"""Two atoms that say the same, or that cannot both hold.

Reading order: ``contradictions``, with ``authority``, whom to believe, as a suggestion; ``doubts``
and ``judged_pairs``, pairs that a model is asked about; ``merging``, with ``reviews``, pairs that a
person is asked about; ``revival``, pairs of an atom that lives again.
"""
