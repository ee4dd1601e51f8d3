"""Where a text may be cut: a finder for each form of text; ``chunk`` of stage 0 picks one.

Reading order: ``units``, what a finder gives and how it becomes pieces; ``prose``; ``python``,
``code``, ``data``; ``conversation``; ``numbered_facts``, lists in which a larger number is newer.
"""
