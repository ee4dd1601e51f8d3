"""Whether a requirement says what a system does or how well it does it.

Signs of the qualities of ISO/IEC 25010 and of a service's setting on one side, of an ability that
is given to somebody on the other; each sign has a weight and the sum decides.
"""

from __future__ import annotations

from agents.offline.lexicons import Wording, list_ids

NAMES = list_ids("qualities", "signs")
_COMPILED = tuple((name, Wording("qualities", "signs", entry=name)) for name in NAMES)


def quality_signs(text: str) -> list[str]:
    """The names of the signs that ``text`` shows."""
    return [name for name, pattern in _COMPILED if pattern.search(text)]
