"""Whether a sentence speaks of stand-ins: Alice and Bob, tx1 and tx2, p and q, foo and bar.

Such a sentence tells a scene or a step of a proof. It is true of the example, not of the project,
and nobody can read it without what stood before.
"""

from __future__ import annotations

import re

_PEOPLE = re.compile(
    r"\b(?:Alice|Bob|Carol|Charlie|Dave|Mallory|Jane Doe|John Doe|Acme)\b(?!['’]?s law)"
)
_EMPTY_NAMES = re.compile(
    r"\b(?:foo|foobar|baz|qux|lorem ipsum|hello,? world)\b(?!-)", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?<![\w.-])([A-Za-z]{1,8}?)_?(\d)(?!\w|\.\d)")
_REAL = frozenset({"v", "ipv", "http", "utf", "sha", "h", "R", "Q", "P", "T", "REQ", "FR", "NFR"})
_LETTER = re.compile(r"(?<![\w'’\".$/`-])[b-hj-z](?:\+\d)?(?![\w'’\"./-])|\b[h-v]\+\d\b")
_CAPITAL = re.compile(
    r"\b(?:[Mm]odule|[Ss]ervice|[Nn]ode|[Bb]lock|[Pp]rocess|[Pp]eer|[Uu]ser|[Cc]lient|[Vv]alidator|"
    r"[Cc]luster|[Tt]ype|[Cc]lass|[Cc]omponent|[Pp]ackage|[Tt]ask|[Tt]eam|[Oo]ption|[Tt]able|"
    r"[Aa]pp|[Ss]ystem|[Vv]alue) [A-Z](?![\w'’+#])"
)
_FEW_LETTERS = 2


def speaks_of_stand_ins(text: str) -> bool:
    """Whether names in ``text`` stand for anything of their sort."""
    if _PEOPLE.search(text) or _EMPTY_NAMES.search(text) or _CAPITAL.search(text):
        return True
    if len(_LETTER.findall(text)) >= _FEW_LETTERS:
        return True
    numbers: dict[str, str] = {}
    for stem, number in _NUMBERED.findall(text):
        if numbers.setdefault(stem, number) != number and stem not in _REAL:
            return True
    return False
