"""How answers are held against labels: one file a family, and the table of every figure.

The match rules are those of the data's own scorer, written anew for the figures needed here.
"""
