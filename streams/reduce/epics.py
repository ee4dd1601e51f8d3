"""Epics: features that share a theme, or at least an area (spec 04 §2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streams.reduce.inputs import ItemInput
from streams.reduce.titles import AREA_TITLES, heading

MIN_FEATURES = 3
MAX_FEATURES = 10


@dataclass(frozen=True, slots=True)
class Group:
    """The features of one epic; the theme or the area is its key."""

    key: str
    title: str
    features: Sequence[ItemInput]

    @property
    def atoms(self) -> frozenset[str]:
        return frozenset(atom.atom_id for one in self.features for atom in one.atoms)


def grouped(features: Sequence[ItemInput]) -> list[Group]:
    """Every feature in one group: the theme most of those left share, then what is left by area."""
    left = {one.key: one for one in features}
    groups: list[Group] = []
    while theme := _strongest(left.values()):
        key, name, members = theme
        groups.append(Group(key, heading(name), members))
        for one in members:
            del left[one.key]
    by_area: dict[str, list[ItemInput]] = {}
    for one in left.values():
        by_area.setdefault(one.area, []).append(one)
    for area, members in sorted(by_area.items()):
        title = f"{AREA_TITLES[area]}: {_named(members)}"
        groups.append(Group(f"area {area}", title, members))
    return groups


def _strongest(features: Iterable[ItemInput]) -> tuple[str, str, list[ItemInput]] | None:
    """The theme that gathers most of the features."""
    gathered: dict[str, list[ItemInput]] = {}
    for one in features:
        for key in one.themes:
            gathered.setdefault(key, []).append(one)
    found = [
        (len(members), key, members)
        for key, members in gathered.items()
        if MIN_FEATURES <= len(members) <= MAX_FEATURES
    ]
    if not found:
        return None
    _, key, members = max(found, key=lambda one: (one[0], one[1]))
    return key, min(one.themes[key] for one in members), members


def _named(features: Sequence[ItemInput]) -> str:
    names = [one.name for one in features[:3]]
    return ", ".join(names) + (" and more" if len(features) > len(names) else "")
