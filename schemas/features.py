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
TOPIC = "topic"  # a document of a sort that is named after anything

_SUREST = (PAGE, CARD, LISTED, PLAN, RECORD, DOC, TOPIC)
_MARKS = frozenset({FEATURE, FEATURE_STATE, FEATURE_PLACE, FEATURE_GROUP})


def keep_feature(
    earlier: dict[str, str], new: dict[str, str], *, renewed: bool = False
) -> dict[str, str]:
    """``earlier`` attributes with the feature that either introduces: that of the surer place,
    which is there where one of them says so. ``renewed``: the place of ``earlier`` was read again.
    """
    if FEATURE not in new:
        return earlier
    ours, theirs = ({k: it[k] for k in _MARKS & it.keys()} for it in (earlier, new))
    if FEATURE not in earlier or renewed:
        chosen = theirs
    else:
        chosen = min(ours, theirs, key=_rank)
        states = {ours.get(FEATURE_STATE), theirs.get(FEATURE_STATE)}
        chosen |= {FEATURE_STATE: DONE} if DONE in states else {}
    return {k: v for k, v in earlier.items() if k not in _MARKS} | chosen


def _rank(marks: dict[str, str]) -> tuple[int, str, str]:
    place = marks.get(FEATURE_PLACE, TOPIC)
    index = _SUREST.index(place) if place in _SUREST else len(_SUREST)
    return index, marks[FEATURE], marks.get(FEATURE_GROUP, "")
