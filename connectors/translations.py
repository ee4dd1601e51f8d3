"""Which listed files are translations of others, by their names alone.

A name says so where it has the tag of a language and the same name without it, or with the tag of
English, is listed beside it. Texts in English are never left for those in another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from connectors.connector import Item
from schemas.source_kinds import PROSE_SUFFIXES, suffix_of

LANGUAGES = frozenset(
    (
        *("ar", "bg", "bn", "ca", "cs", "da", "de", "el", "es", "et", "fa", "fi", "fr", "he", "hi"),
        *("hr", "hu", "id", "it", "ja", "ka", "ko", "lt", "lv", "ms", "nb", "nl", "pl", "pt", "ro"),
        *("ru", "sk", "sl", "sr", "sv", "ta", "th", "tr", "uk", "ur", "vi", "zh", "cn", "jp", "kr"),
    )
)
_TAG = r"(?P<tag>[a-z]{2})(?P<region>[-_](?:[a-z]{2}|hans|hant))?"
IN_NAME = re.compile(rf"^(?P<stem>.+?)(?P<by>[._-]){_TAG}(?P<suffix>\.\w+)$", re.IGNORECASE)
FOLDER = re.compile(rf"^{_TAG}$", re.IGNORECASE)
ENGLISH = ("en", "en-us", "en_us", "en-US", "en_US", "english")
LEAST_SHARE = 0.5  # of a folder's files that have a file of the same name above


def tell_translations(items: Sequence[Item]) -> list[Item]:
    """The items; of those that are translations it is said."""
    files = [
        item
        for item in items
        if item.source_type is None and suffix_of(item.path) in PROSE_SUFFIXES
    ]
    translations = translations_in(item.path for item in files)
    return [
        replace(item, unread=("translation", f"of {translations[item.path]}"))
        if item.path in translations
        else item
        for item in items
    ]


def translations_in(paths: Iterable[str]) -> dict[str, str]:
    """The path of each translation, with that of its original."""
    listed = set(paths)
    translations: dict[str, str] = {}
    by_folder: dict[str, list[tuple[str, str | None]]] = {}
    for path in sorted(listed):
        if original := _beside(path, listed) or _under_english(path, listed):
            translations[path] = original
        elif place := _tagged_folder(path):
            above = path.replace(f"{place}/", f"{place.rpartition('/')[0]}/".lstrip("/"), 1)
            by_folder.setdefault(place, []).append((path, above if above in listed else None))
    for files in by_folder.values():
        twins = [(path, above) for path, above in files if above]
        if len(twins) > 1 and len(twins) >= LEAST_SHARE * len(files):
            translations.update(twins)
    return translations


def _beside(path: str, listed: set[str]) -> str | None:
    """``guide.de.md`` beside ``guide.md``; with another sign in front only where it is clear."""
    folder, slash, name = path.rpartition("/")
    match = IN_NAME.match(name)
    if not match or match["tag"].lower() not in LANGUAGES:
        return None
    if match["by"] != "." and not match["region"] and not match["stem"].isupper():
        return None
    stem, suffix = f"{folder}{slash}{match['stem']}", match["suffix"]
    names = (f"{stem}{suffix}", *(f"{stem}{match['by']}{tag}{suffix}" for tag in ENGLISH))
    return next((each for each in names if each in listed), None)


def _under_english(path: str, listed: set[str]) -> str | None:
    """``docs/ja/guide.md`` where there is ``docs/en/guide.md``."""
    place = _tagged_folder(path)
    if place is None:
        return None
    above = place.rpartition("/")[0]
    rest = path[len(place) :]
    names = (f"{above}/{tag}{rest}".lstrip("/") for tag in ENGLISH)
    return next((each for each in names if each in listed), None)


def _tagged_folder(path: str) -> str | None:
    """The path down to the first folder that is called like a language."""
    parts = path.split("/")[:-1]
    for number, part in enumerate(parts):
        match = FOLDER.match(part)
        if match and match["tag"].lower() in LANGUAGES:
            return "/".join(parts[: number + 1])
    return None
