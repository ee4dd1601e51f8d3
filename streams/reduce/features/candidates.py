"""Features that the sources name themselves: each with what introduces it and what else is of it.

A reader marks the statements that introduce a feature (``schemas.features``). Here those of one
name come together; a statement that introduces none belongs to the feature whose page it stands on,
or else to the one with the longest name it says. What exists comes before what is planned, and what
several places name before what one does.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.ledger import AtomRecord
from schemas.features import (
    CARD,
    DOC,
    FEATURE,
    FEATURE_GROUP,
    FEATURE_PLACE,
    FEATURE_STATE,
    LISTED,
    PAGE,
    PLAN,
    PLANNED,
    RECORD,
    TOPIC,
)
from schemas.worth import worth
from streams.reduce.features.material import Material
from streams.reduce.texts.inputs import ItemInput, ListInput, SectionInput
from streams.reduce.texts.topics import key_of

MAX_FEATURES = 60
MAX_PAGES = 45
MANY = 12  # features that are named as such; then pages that are only named after a thing are none
MAX_INTRODUCED = 2
MAX_CONTEXT = 3
MAX_CRITERIA = 6
MAX_RISKS = 3
MAX_QUESTIONS = 3
MAX_NAME_WORDS = 7
MAX_MENTIONS = 4
_WEIGHT = {PAGE: 3.0, CARD: 3.0, LISTED: 2.5, PLAN: 2.0, RECORD: 2.0, DOC: 1.0, TOPIC: 0.5}
_WHOLE_DOCUMENT = frozenset({PAGE, RECORD, DOC, TOPIC})
_NAMED_AFTER = frozenset({DOC, TOPIC})
OF_PRODUCT = 3
MANY_OF_PRODUCT = 6
HEAD_SHARE = 0.2
LEAST_NAME = 3
EVERYWHERE = 0.3  # of the sources
LEAST_EVERYWHERE = 10
_OF_PRODUCT = re.compile(
    r" (?:in|for|with|and|to|on|by|of|used by) (?:the )?(?P<product>[A-Za-z]\w+(?: [A-Z]\w+)?)$"
)
_RELEASE = re.compile(r"^v?\d[\d.]* ")
_WORD = re.compile(r"[^\W_]+")
_LEADING = frozenset({"the", "a", "an"})


@dataclass(slots=True)
class Candidate:
    """One name with the atoms that introduce it, those that are of it, and who speaks of it."""

    key: str
    name: str
    introducing: list[AtomRecord] = field(default_factory=list)
    others: list[AtomRecord] = field(default_factory=list)
    speaking_atoms: list[AtomRecord] = field(default_factory=list)
    named: set[str] = field(default_factory=set)

    @property
    def state(self) -> Literal["done", "planned"]:
        """Done where any place says that it is there."""
        done = any(it.attributes.get(FEATURE_STATE) != PLANNED for it in self.introducing)
        return "done" if done else "planned"

    @property
    def speaking(self) -> set[str]:
        """The sources that say its name."""
        return {atom.first_provenance.source_id for atom in self.speaking_atoms}

    @property
    def is_named_only_by_page(self) -> bool:
        return all(place_of(it) in _NAMED_AFTER for it in self.introducing)

    @property
    def is_doubtful(self) -> bool:
        """Whether only documents of a sort that is named after anything have its name, and no
        other speaks of it.
        """
        named_so = all(place_of(it) == TOPIC for it in self.introducing)
        return named_so and not self.speaking - self.sources

    @property
    def sources(self) -> set[str]:
        """The documents that introduce it."""
        return {it.first_provenance.source_id for it in self.introducing}

    @property
    def weight(self) -> float:
        places = {place_of(it) for it in self.introducing}
        sources = self.sources
        return round(
            max(_WEIGHT.get(it, 1.0) for it in places)
            + 0.5 * (len(sources) - 1)
            + 0.25 * min(MAX_MENTIONS, len(self.speaking - sources))
            + 0.2 * math.log1p(len(self.others))
            + 0.5 * max(map(worth, self.introducing)),
            6,
        )


def place_of(atom: AtomRecord) -> str:
    return atom.attributes.get(FEATURE_PLACE, DOC)


def name_key(name: str) -> str:
    """One key for the ways a name is written: case, hyphens, singular and plural."""
    words = words_in(name)
    return " ".join(words[1:] if words[:1] and words[0] in _LEADING and len(words) > 1 else words)


def find_products(names: Iterable[str]) -> frozenset[str]:
    """What several names end with after «in», «for» or «with», or many begin with: the product
    that all are of.
    """
    tails: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    all_names = list(names)
    for name in all_names:
        heads[name.split(" ", 1)[0].lower()] += " " in name
        if tail := _OF_PRODUCT.search(name):
            tails[tail["product"].lower()] += 1
    most = max(MANY_OF_PRODUCT, HEAD_SHARE * len(all_names))
    keys = {key for key, seen in tails.items() if seen >= OF_PRODUCT}
    return frozenset(keys | {key for key, seen in heads.items() if seen >= most})


def shorten_name(name: str, products: frozenset[str]) -> str:
    """``name`` without the product it is of: «Hooks in Sorter» and «Sorter support for hooks»."""
    tail = _OF_PRODUCT.search(name)
    if tail and tail["product"].lower() in products and tail.start() >= LEAST_NAME:
        name = name[: tail.start()]
    for product in sorted(products, key=len, reverse=True):
        before = re.match(
            rf"{re.escape(product)} (?:(?:support|and|with) )?(?:for |in |on )?", name, re.I
        )
        if before:
            rest = _RELEASE.sub("", name[before.end() :])
            return rest[:1].upper() + rest[1:] if len(rest) >= LEAST_NAME else name
    return name


@bounded_cache(4 * MIB, 20)  # a title is asked for at every position that is written
def words_in(text: str) -> tuple[str, ...]:
    return tuple(key_of(word) for word in _WORD.findall(text.lower()))


def find_candidates(material: Material) -> list[Candidate]:
    """All features that live atoms name, with their atoms, by key."""
    live = sorted(material.shortlist.live & material.topics.scores.keys())
    atoms = [material.atoms[atom_id] for atom_id in live]
    marked = [atom for atom in atoms if FEATURE in atom.attributes]
    rest = [atom for atom in atoms if FEATURE not in atom.attributes]
    products = find_products({atom.attributes[FEATURE] for atom in marked})
    found: dict[str, Candidate] = {}
    for atom in sorted(marked, key=_rank_as_lead):
        name = shorten_name(atom.attributes[FEATURE], products)
        if name.lower() not in products:
            key = name_key(name)
            found.setdefault(key, Candidate(key, name)).introducing.append(atom)
    _spread(found, rest, material)
    sources = len({atom.first_provenance.source_id for atom in atoms})
    return [found[key] for key in sorted(found) if not _is_everywhere(found[key], sources)]


def _is_everywhere(candidate: Candidate, sources: int) -> bool:
    """Whether so many documents speak of it that it is the product itself."""
    return len(candidate.speaking) > max(LEAST_EVERYWHERE, EVERYWHERE * sources)


def _rank_as_lead(atom: AtomRecord) -> tuple[float, float, str]:
    return -_WEIGHT.get(place_of(atom), 1.0), -worth(atom), atom.atom_id


def _spread(found: dict[str, Candidate], rest: Iterable[AtomRecord], material: Material) -> None:
    """Give every other atom to the feature of its page, else to one that it names."""
    pages = _pages_of(found.values())
    for candidate in found.values():
        for atom in candidate.introducing:
            _note_named(found, atom, {candidate.key})
    for atom in rest:
        named = _note_named(found, atom, set())
        home = pages.get(atom.first_provenance.source_id) or next(iter(named), None)
        if home and material.topics.scores[atom.atom_id] > 0:
            found[home].others.append(atom)


def _pages_of(candidates: Iterable[Candidate]) -> dict[str, str]:
    """The feature of each document that tells of one alone, by source."""
    keys: dict[str, set[str]] = defaultdict(set)
    for candidate in candidates:
        for atom in candidate.introducing:
            if place_of(atom) in _WHOLE_DOCUMENT:
                keys[atom.first_provenance.source_id].add(candidate.key)
    return {source: min(of_one) for source, of_one in keys.items() if len(of_one) == 1}


def _note_named(found: dict[str, Candidate], atom: AtomRecord, own: set[str]) -> list[str]:
    """The features whose names the atom says, the longest first; each learns who speaks of it."""
    named = [key for key in keys_named(atom, found) if key not in own]
    for key in named:
        found[key].speaking_atoms.append(atom)
    for key in own:
        found[key].named.update(named)
    return named


def keys_named(atom: AtomRecord, known: Container[str]) -> list[str]:
    """Which of ``known`` the atom's title says, the longest first; a single word only where the
    title begins with it or its context is no more.
    """
    words = words_in(atom.title)
    keys = {
        key
        for size in range(MAX_NAME_WORDS, 1, -1)
        for at in range(len(words) - size + 1)
        if (key := " ".join(words[at : at + size])) in known
    }
    alone = {part for part in map(name_key, atom.context.split(", ")) if part in known}
    if words[:1] and words[0] in known:
        alone.add(words[0])
    return sorted(keys | alone, key=lambda key: (-len(key), key))


def named_features(
    material: Material, candidates: Sequence[Candidate], standing: frozenset[str]
) -> ListInput:
    """The features that the sources name, the weightiest first; none where they name none."""
    chosen = _choose(candidates)
    kept = {one.key for one in chosen}
    items = [_item_of(material, one, kept, standing) for one in chosen]
    eligible = sum(len(one.introducing) + len(one.others) for one in chosen)
    kinds: list[str] = sorted({atom.kind for item in items for atom in item.atoms})
    return ListInput(items=items, eligible=eligible, kinds=kinds)


def _choose(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The weightiest. Pages that are only named after a thing fill up what is named as such; where
    that is much, others must speak of them.
    """
    ranked = sorted(
        (candidate for candidate in candidates if not candidate.is_doubtful),
        key=lambda one: (-one.weight, one.key),
    )
    sure = [one for one in ranked if not one.is_named_only_by_page]
    pages = [one for one in ranked if one.is_named_only_by_page]
    if len(sure) >= MANY:
        pages = [page for page in pages if page.speaking or len(page.others) > 1][: len(sure)]
    return (sure + pages[:MAX_PAGES])[:MAX_FEATURES]


def _item_of(
    material: Material, candidate: Candidate, kept: set[str], standing: frozenset[str]
) -> ItemInput:
    sections = [
        material.section("description", _description(material, candidate)),
        material.section(
            "acceptance_criteria", _best(material, candidate, {"requirement"}, MAX_CRITERIA)
        ),
        material.section("risks", _best(material, candidate, {"risk"}, MAX_RISKS)),
        _questions(material, candidate),
    ]
    atoms = [atom for section in sections for pick in section.picks for atom in pick.atoms]
    return ItemInput(
        artifact_type="feature",
        area=Counter(sorted(atom.area for atom in atoms)).most_common(1)[0][0],
        anchor=candidate.key,
        name=candidate.name,
        title=candidate.name,
        state=candidate.state,
        groups=_groups_of(candidate),
        standing=f"|{candidate.key}" in standing,
        sections=[section for section in sections if section.picks],
        about=sorted((candidate.named & kept) - {candidate.key}),
    )


def _description(material: Material, candidate: Candidate) -> list[AtomRecord]:
    """What introduces it, then what was decided of it and what else is said; a bare name last."""
    telling = [atom for atom in candidate.introducing if not _only_names(atom)]
    told = telling[:MAX_INTRODUCED]
    more = _best(material, candidate, {"decision"}, MAX_CONTEXT)
    more += _best(material, candidate, {"claim", "entity", "domain_signal"}, MAX_CONTEXT)
    bare = [] if telling else candidate.introducing[:1]
    return [*told, *more[:MAX_CONTEXT], *bare]


def _only_names(atom: AtomRecord) -> bool:
    """Whether it says no more of a feature than that it is there."""
    return atom.title.endswith(f": {atom.attributes[FEATURE]}")


def _best(material: Material, candidate: Candidate, kinds: set[str], most: int) -> list[AtomRecord]:
    ids = (atom.atom_id for atom in candidate.others)
    best = material.best(ids, frozenset(kinds))
    return [atom for atom in best if not material.is_contradicted(atom)][:most]


def _questions(material: Material, candidate: Candidate) -> SectionInput:
    found = material.collect_contradictions([*candidate.introducing, *candidate.others])
    asked = _best(material, candidate, {"unknown"}, MAX_QUESTIONS)
    return found.model_copy(update={"picks": [*found.picks, *material.section("", asked).picks]})


def _groups_of(candidate: Candidate) -> dict[str, str]:
    """What its places call the group it is in, the surest place first."""
    groups: dict[str, str] = {}
    for atom in candidate.introducing:
        if group := atom.attributes.get(FEATURE_GROUP):
            groups.setdefault(name_key(group), group)
    return groups
