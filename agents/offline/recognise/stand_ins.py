"""Whether a sentence speaks of stand-ins: Alice and Bob, tx1 and tx2, p and q, foo and bar.

Such a sentence tells a scene or a step of a proof. It is true of the example, not of the project,
and nobody can read it without what stood before.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words

_PEOPLE = Wording("stand_ins", "people")
_COLLEAGUES = Wording("stand_ins", "colleagues")
_EMPTY_NAMES = Wording("stand_ins", "empty_names")
_NUMBERED = re.compile(r"(?<![\w.-])([A-Za-z]{1,8}?)_?(\d)(?!\w|\.\d)")
_REAL = load_words("stand_ins", "real_numbered")
_LETTER = re.compile(r"(?<![\w'’\".$/`-])[b-hj-z](?:\+\d)?(?![\w'’\"./-])|\b[h-v]\+\d\b")
_CAPITAL = Wording("stand_ins", "lettered")
_FEW_LETTERS = 2


def speaks_of_stand_ins(text: str) -> bool:
    """Whether names in ``text`` stand for anything of their sort."""
    if _EMPTY_NAMES.says(text) or _CAPITAL.says(text):
        return True
    people = {match.group() for match in _PEOPLE.finditer(text)}
    if len(people) > 1 or (people and not _COLLEAGUES.says(text)):
        return True
    if len(_LETTER.findall(text)) >= _FEW_LETTERS:
        return True
    numbers: dict[str, str] = {}
    for stem, number in _NUMBERED.findall(text):
        if numbers.setdefault(stem, number) != number and stem not in _REAL:
            return True
    return False
