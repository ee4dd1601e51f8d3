"""The words of ``pairs.toml`` as the pair rules look them up, read once."""

from __future__ import annotations

from streams.lexicons import load_groups, load_words

NEGATORS = load_words("pairs", "negators")
GERMAN_NEGATORS = load_words("pairs", "german_negators")
FUNCTION_WORDS = load_words("pairs", "function_words")
GERMAN_FUNCTION_WORDS = load_words("pairs", "german_function_words")
FILLERS = load_words("pairs", "fillers")

SAME: dict[str, str] = {}
for _group in load_groups("pairs", "same"):
    for _word in _group:
        SAME.setdefault(_word, _group[0])

IRREGULAR = {word: group[0] for group in load_groups("pairs", "irregular") for word in group[1:]}

CLASS_OF: dict[str, frozenset[str]] = {}
for _head, *_members in load_groups("pairs", "classes"):
    for _word in _members:
        CLASS_OF[_word] = CLASS_OF.get(_word, frozenset()) | {_head}

OPPOSITES: frozenset[tuple[str, str]] = frozenset(
    pair
    for one, other in load_groups("pairs", "opposites")
    for pair in ((one, other), (other, one))
)

EXCLUSIVE: dict[str, int] = {}  # word -> its set, the first one that has it
for _number, _group in enumerate(load_groups("pairs", "exclusive")):
    for _word in _group:
        EXCLUSIVE.setdefault(_word, _number)

SIDE_BY_SIDE = {
    word: number
    for number, group in enumerate(load_groups("pairs", "side_by_side"))
    for word in group
}

_LIVING = ("person", "people", "animal", "crowd", "group", "children", "kids", "family", "human")
SEEN_IN_SCENES: frozenset[str] = frozenset(
    form
    for word, heads in CLASS_OF.items()
    if not heads.isdisjoint(_LIVING) and word not in load_words("pairs", "no_scenes")
    for form in (word, f"{word}s")
) | frozenset(_LIVING)
