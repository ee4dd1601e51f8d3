"""Names in prose: what a sentence speaks of, and what it defines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.offline.lexicons import Wording, load_words

_CODE_NAME = re.compile(r"`{1,2}([A-Za-z][\w.-]{2,40})`{1,2}")
_CAMEL = re.compile(
    r"[A-Z](?<![\w`./@-][A-Z])(?:[a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z]+[a-z]\w+)(?![\w(/])"
)
_ACRONYM = re.compile(r"[A-Z](?<![\w./-][A-Z])[A-Z0-9]{1,7}(?:-[A-Z0-9]{1,4})?(?![\w/(-])")
_MULTIWORD = re.compile(r"[A-Z](?<![\w.][A-Z])[a-z0-9]+(?: [A-Z][A-Za-z0-9]+){1,3}")
_SINGLE = re.compile(r"[A-Z](?<=[a-z,;] [A-Z])[a-z]{2,}\w*(?![\w/(-])")
_NO_NAME = load_words("names", "no_names")
_NO_SUBJECT = load_words("names", "no_subjects")
_DEFINES = Wording("names", "defines")
_OF_DOING = re.compile(r" of (?:\w+ly )?\w+ing\b")
_TYPE_OF_NOUN = {
    "system": "system",
    "platform": "system",
    "application": "system",
    "app": "system",
    "team": "team",
    "working group": "team",
    "database": "dataset",
    "dataset": "dataset",
    "connector": "integration",
    "api": "integration",
    "provider": "integration",
    "product": "product",
}


def names_in(raw: str, text: str) -> list[str]:
    """Names in one sentence, in order of first appearance, at most eight.

    ``raw`` still has its code spans; ``text`` is the same sentence made plain.
    """
    names: dict[str, None] = {}
    if "`" in raw:
        for match in _CODE_NAME.finditer(raw):
            name = match.group(1).strip(".")
            if _is_name(name):
                names[name] = None
    if text[1:].islower():
        return list(names)[:8]
    for pattern in (_MULTIWORD, _CAMEL, _ACRONYM, _SINGLE):
        for match in pattern.finditer(text):
            name = match.group()
            if pattern is _MULTIWORD and match.start() == 0:
                continue
            if name not in _NO_NAME and not any(name in other for other in names):
                names[name] = None
    return list(names)[:8]


def _is_name(identifier: str) -> bool:
    """Whether a code span names a thing rather than a value, file or flag."""
    if identifier.islower() and "-" not in identifier and "_" not in identifier:
        return len(identifier) > 3 and "." not in identifier
    return not identifier.isupper() and identifier.count(".") <= 1 and "__" not in identifier


def starts_with_name(raw: str, text: str, names: Iterable[str]) -> bool:
    """Whether the sentence's subject, its first three words, holds a name."""
    opening = " ".join(text.split()[:4])
    return raw.lstrip("*_ ").startswith("`") or any(opening.find(name) >= 0 for name in names)


def definition(text: str) -> tuple[str, str, str] | None:
    """Name, entity type and alias (or nothing) of what a sentence defines."""
    match = _DEFINES.match(text)
    if match is None:
        return None
    name = match.group("name").strip()
    head = name.split()
    proper = any(word[:1].isupper() or "-" in word for word in head) and (
        not text.startswith(name) or len(head) > 1 or not name[1:].islower() or not name.isalpha()
    )
    if not proper or any(word.lower() in _NO_SUBJECT for word in head):
        return None
    if match.group("noun") == "process" and (
        (len(head) > 1 and head[0].endswith("ing")) or _OF_DOING.match(text, match.end())
    ):
        return None  # «Building D libraries is a process»: what one does is nothing that exists
    if head[-1].startswith("("):
        return (
            " ".join(head[:-1]),
            _TYPE_OF_NOUN.get(match.group("noun"), "component"),
            head[-1][1:-1],
        )
    return name, _TYPE_OF_NOUN.get(match.group("noun"), "component"), match.group("alias") or ""
