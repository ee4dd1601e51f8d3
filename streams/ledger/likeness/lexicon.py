"""The words of ``lexicon.toml`` as the pair rules look them up, read once."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

ENTRIES: dict[str, dict[str, Any]] = {
    entry["id"]: entry
    for entry in tomllib.loads(
        resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    )["entry"]
}


def load_words(entry_id: str) -> frozenset[str]:
    """Raises KeyError for an entry that the lexicon does not have."""
    return frozenset(ENTRIES[entry_id]["words"])


def _groups(entry_id: str) -> list[list[str]]:
    return [group.split() for group in ENTRIES[entry_id]["groups"]]


NEGATORS = load_words("negators")
GERMAN_NEGATORS = load_words("german-negators")
FUNCTION_WORDS = load_words("function-words")
GERMAN_FUNCTION_WORDS = load_words("german-function-words")
FILLERS = load_words("fillers")

SAME: dict[str, str] = {}
for _group in _groups("same"):
    for _word in _group:
        SAME.setdefault(_word, _group[0])

IRREGULAR = {word: group[0] for group in _groups("irregular") for word in group[1:]}

CLASS_OF: dict[str, frozenset[str]] = {}
for _head, *_members in _groups("classes"):
    for _word in _members:
        CLASS_OF[_word] = CLASS_OF.get(_word, frozenset()) | {_head}

OPPOSITES: frozenset[tuple[str, str]] = frozenset(
    pair for one, other in _groups("opposites") for pair in ((one, other), (other, one))
)

EXCLUSIVE: dict[str, int] = {}  # word -> its set, the first one that has it
for _number, _group in enumerate(_groups("exclusive")):
    for _word in _group:
        EXCLUSIVE.setdefault(_word, _number)

SIDE_BY_SIDE = {
    word: number for number, group in enumerate(_groups("side-by-side")) for word in group
}

_LIVING = ("person", "people", "animal", "crowd", "group", "children", "kids", "family", "human")
SEEN_IN_SCENES: frozenset[str] = frozenset(
    form
    for word, heads in CLASS_OF.items()
    if not heads.isdisjoint(_LIVING) and word not in load_words("no-scenes")
    for form in (word, f"{word}s")
) | frozenset(_LIVING)
