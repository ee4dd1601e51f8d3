"""What the columns of an exported table mean, in the languages Jira is shown in.

A heading that no list has is no loss: the key of an issue is found by its form, and a column that
holds sentences is read under its own heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from connectors.jira.fields import is_prose
from connectors.jira.items import is_key
from schemas.data_files import read_table

NAMES: dict[str, list[str]] = read_table(__package__, "columns.toml")
_MEANS = {name: meaning for meaning, names in NAMES.items() for name in names}
_NAMED = re.compile(r"[^()]+\((?P<name>.+)\)\s*")  # «Custom field (Acceptance Criteria)»


def meanings_of(heads: Sequence[str], rows: Sequence[Sequence[tuple[int, str]]]) -> list[str]:
    """What each column means; of an unknown one nothing: an empty word.

    Where no heading names the keys, they are in the first column that holds most of them. Where
    none names the summary, it is in the first unknown column that mostly holds several words.
    """
    meanings = [_MEANS.get(" ".join(head.casefold().split()), "") for head in heads]
    for meaning, is_one in (("key", is_key), ("summary", is_prose)):
        if meaning not in meanings:
            fits = Counter(place for row in rows for place, it in row if is_one(it.strip()))
            named = {
                place for place, head in enumerate(heads) if meanings[place] or field_name(head)
            }
            most = max((n for place, n in fits.items() if place not in named), default=0)
            first = [place for place, n in sorted(fits.items()) if n == most and place not in named]
            if most * 2 > len(rows):
                meanings[first[0]] = meaning
    return meanings


def field_name(head: str) -> str | None:
    """The name of a field of a site's own, which an export puts into brackets; otherwise None."""
    named = _NAMED.fullmatch(head)
    return named["name"].strip() if named else None
