"""The reader that needs no model: fixed rules over structure and wording, and linear models.

The packages stand in the order of the steps, and each imports only those before it: ``lexicons``
(lists of wordings as data), ``segment`` (text to passages and sentences), ``models`` (the trained
weights), ``recognise`` (what a sentence states), ``resolve`` (what it is about; drafts), ``judge``
(how sound a draft is), then one package for each form of source, ``prose``, ``talk``, ``code`` and
``manifests``. ``reader`` puts them together.
"""
