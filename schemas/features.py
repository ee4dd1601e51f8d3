"""The attributes of an atom that introduces a feature: readers set them, writers name by them.

``feature`` is the name as the product says it. An atom without it may still belong to a feature,
by its source or as it names it.
"""

from __future__ import annotations

FEATURE = "feature"
FEATURE_STATE = "feature_state"
FEATURE_PLACE = "feature_place"
FEATURE_GROUP = "feature_group"

DONE, PLANNED = "done", "planned"

# Where a feature was introduced, the surest place first.
PAGE = "page"  # a document of its own among those that tell of features
CARD = "card"  # of an introduction
LISTED = "list"  # an item or row of a list of features
PLAN = "plan"  # an item of a roadmap
RECORD = "record"  # a proposal or design of its own
DOC = "doc"  # any other document named after one thing
