"""Epics: features that the sources put under one heading or folder.

Where no source names features, those that share a theme, a word of their names, or an area.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streams.lexicons import load_words
from streams.reduce.texts.inputs import ItemInput
from streams.reduce.texts.titles import AREA_TITLES, capitalize
from streams.reduce.texts.topics import key_of

MIN_FEATURES = 2
MAX_FEATURES = 10
_GENERAL = load_words("reduce", "tells_nothing")


@dataclass(frozen=True, slots=True)
class Group:
    """The features of one epic; the theme or the area is its key."""

    key: str
    title: str
    features: Sequence[ItemInput]

    @property
    def atoms(self) -> frozenset[str]:
        return frozenset(atom.atom_id for feature in self.features for atom in feature.atoms)


def group_features(features: Sequence[ItemInput]) -> list[Group]:
    """The groups of features, each feature in one at most."""
    if any(feature.state for feature in features):
        return _group_as_told(features)
    left = {feature.key: feature for feature in features}
    groups: list[Group] = []
    while theme := _strongest(left.values()):
        key, title, members = theme
        groups.append(Group(key, title, members))
        for member in members:
            del left[member.key]
    by_area: dict[str, list[ItemInput]] = {}
    for feature in left.values():
        by_area.setdefault(feature.area, []).append(feature)
    for area, members in sorted(by_area.items()):
        groups.append(Group(f"area {area}", AREA_TITLES[area], members))
    return groups


def _group_as_told(features: Sequence[ItemInput]) -> list[Group]:
    """By the headings and folders features stand under, each under that which has most of them; a
    feature that is called like one belongs to it.
    """
    sizes = Counter(key for feature in features for key in {*feature.groups, feature.anchor})
    named = {key for feature in features for key in feature.groups}
    gathered: dict[str, list[ItemInput]] = {}
    for feature in features:
        keys = [key for key in (*feature.groups, feature.anchor) if key in named]
        if keys:
            gathered.setdefault(max(keys, key=lambda key: sizes[key]), []).append(feature)
    return [
        Group(
            f"group {key}",
            next(member.groups[key] for member in members if key in member.groups),
            members,
        )
        for key, members in gathered.items()
        if len(members) >= MIN_FEATURES and any(key in member.groups for member in members)
    ]


def _strongest(features: Iterable[ItemInput]) -> tuple[str, str, list[ItemInput]] | None:
    """The theme that gathers most of the features; a phrase before a word alone."""
    gathered: dict[tuple[bool, str], list[ItemInput]] = {}
    for feature in features:
        for key in feature.themes:
            gathered.setdefault((True, key), []).append(feature)
        for word in _words(feature.name):
            gathered.setdefault((False, word), []).append(feature)
    found = [
        (len(members), place, members)
        for place, members in gathered.items()
        if MIN_FEATURES <= len(members) <= MAX_FEATURES
    ]
    if not found:
        return None
    _, (is_theme, key), members = max(found, key=lambda one: one[:2])
    if is_theme:
        return key, capitalize(min(member.themes[key] for member in members)), members
    name = min(_words(member.name)[key] for member in members)
    return f"word {key}", capitalize(name), members


def _words(name: str) -> dict[str, str]:
    """The words by which a name of several may belong to others: what it is, or whose."""
    owner, *rest = name.split() or [""]
    found = rest[-1:]
    if any(sign.isupper() or sign.isdigit() for sign in owner[1:]):
        found.append(owner)
    keyed = {key_of(word): word for word in found}
    return {key: word for key, word in keyed.items() if key not in _GENERAL}
