"""Lists of what a reader wants from five projects of others, and how much of it Cairn finds.

A folder for each project: ``source.json`` pins its source distribution and which documents of it
are read; the lists (``infra/measure/gold.py``) name places in them and hold none of their text.
``figures.json`` is the record; ``python -m tests.reading.recall`` records anew.

The annotator had not seen what Cairn makes of these projects. Do not look at single misses when
you tune the reader: then the figure says nothing any more. Take other projects for that.
"""
