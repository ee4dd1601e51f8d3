"""Lines of a numbered list of facts: ``12. …``, ``[12] …``, ``#12 …``, ``Fact 12: …``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(
    r"^[ \t>*-]*(?:(?:fact|no|nr|item)\.? ?)?"
    r"(?:[\[(#]{1,2}(?P<marked>\d{1,9})[\])]?[.:)]?|(?P<plain>\d{1,9})[.:)])[ \t]+(?P<fact>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)


class NumberedFact(NamedTuple):
    """A line from ``start`` to ``end``, whose fact begins at ``at``."""

    number: int
    start: int
    at: int
    end: int


def list_numbered_facts(text: str) -> Iterator[NumberedFact]:
    """The numbered lines of ``text`` in their order."""
    for line in _LINE.finditer(text):
        number = int(line["marked"] or line["plain"])
        yield NumberedFact(number, line.start(), line.start("fact"), line.end())
