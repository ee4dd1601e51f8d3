"""Whether a requirement says what a system does or how well it does it.

Signs of the qualities of ISO/IEC 25010 and of a service's setting on one side, of an ability that
is given to somebody on the other; each feature has a weight and the sum decides.
"""

from __future__ import annotations

from agents.offline.lexicons import Wording, list_ids

NAMES = list_ids("qualities", "features")
_COMPILED = tuple((name, Wording("qualities", "features", entry=name)) for name in NAMES)


def quality_features(text: str) -> list[str]:
    """The names of the features that ``text`` shows."""
    return [name for name, pattern in _COMPILED if pattern.search(text)]
