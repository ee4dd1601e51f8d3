"""The figures of a text, each as what it stands for: `30 s` and `half a minute` are the same.

Reading order:

1. ``readings``: what a figure may stand for
2. ``measure_tables``, ``aliases``: the tables of `measures.toml` and `aliases.toml`
3. ``numerals``, ``prices``, ``periods``, ``moments``, ``limits``: one form of figure each
4. ``quantity_scan``: finds all of them; ``quantities`` and ``amounts``: what is compared
"""
