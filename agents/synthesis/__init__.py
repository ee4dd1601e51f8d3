"""A model words artifacts from atoms: what it is given, what it answers, what is made of that.

Reading order: ``order`` (what is to be worded), ``prompts``, ``answers``, ``wording`` (one call,
and one more with what was wrong), ``lists`` (what came before an item, and whether to go on).
"""
