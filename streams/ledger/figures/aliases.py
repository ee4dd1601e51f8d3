"""Well-known products and standards under one name each, from `aliases.toml`.

Only names that mean one thing wherever they stand: «go» and «node» stay as they are.
"""

from __future__ import annotations

import re

from schemas.bounded_cache import MIB, bounded_cache
from schemas.data_files import read_table
from streams.ledger.figures.measure_tables import join_patterns

_TABLE: dict[str, list[str]] = read_table(__package__, "aliases.toml")
NAME_OF = {alias: name for name, aliases in _TABLE.items() for alias in aliases}
_ALIAS = re.compile(rf"(?<![\w.#+/-])(?:{join_patterns(NAME_OF)})(?![\w#+/-]|\.\w)", re.I)
_WORD = re.compile(r"[^\W_]+")
_FIRST_WORDS = frozenset(_WORD.findall(" ".join(alias for alias in NAME_OF)))


@bounded_cache(MIB, 2)
def write_names_alike(text: str) -> str:
    """The text with each known alias written as the name it stands for."""
    if _FIRST_WORDS.isdisjoint(_WORD.findall(text.lower())):
        return text
    return _ALIAS.sub(lambda match: NAME_OF[" ".join(match.group().lower().split())], text)
