"""What a heading says of the text under it, by ``placement.toml``: goals, users, risks, decisions …

Stage 0 tells it of each heading of a document, the PRD places statements by it.
"""

from __future__ import annotations

import functools
import re

from schemas.bounded_cache import MIB, bounded_cache
from streams.lexicons import Wording, read_lexicons

NOWHERE, ELSEWHERE = "nowhere", "elsewhere"
MOST_WORDS = 7  # of a heading that announces a section; a longer one tells a matter of its own
_NUMBERING = re.compile(r"^(?:[\divx]+(?:[.)][\divx]*)+|\d+)\s+", re.IGNORECASE)
_SIGNS = re.compile(r"[^\w]+")


@functools.cache
def _list_roles() -> tuple[tuple[str, str, Wording], ...]:
    """Each role of a heading in the file's order, with the section that it announces."""
    return tuple(
        (entry.id, entry.fields["of"], Wording("placement", "heading", entry=entry.id))
        for entry in read_lexicons("placement")["heading"].entries
    )


@bounded_cache(2 * MIB, 2)
def find_role(heading: str) -> tuple[str, str]:
    """The role of a heading and the section that it announces, ``nowhere`` for one whose text tells
    nothing; both empty where it tells neither.
    """
    bare = " ".join(_SIGNS.sub(" ", _NUMBERING.sub("", heading.strip()).lower()).split())
    for role, of, wording in _list_roles():
        if wording.match(bare):
            is_plain = of in (NOWHERE, ELSEWHERE) or len(bare.split()) <= MOST_WORDS
            return (role, of) if is_plain else ("", "")
    return "", ""


def find_heading(heading: str) -> str:
    """The section a heading announces, ``nowhere`` for one whose text tells nothing, or nothing."""
    return find_role(heading)[1]
