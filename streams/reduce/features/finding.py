"""A finding, and what the rules that look for findings are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.events.ledger import AtomRecord
from streams.reduce.features.candidates import Candidate
from streams.reduce.features.material import Material
from streams.reduce.features.wordings import Wordings, sources_of, speaks_for_project
from streams.reduce.texts.inputs import Pick
from streams.reduce.texts.titles import lower
from streams.reduce.texts.topics import Topic
from streams.reduce.texts.wording import content_words, position

MAX_SHOWN = 5
WORDS_OF_ANCHOR = 6
_BINDING = frozenset({"decision", "requirement", "risk"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing, the leading statements first."""

    category: str
    anchor: str
    name: str
    title: str
    picks: Sequence[Pick]
    worth: float
    copied: bool = False  # told of text that goes from one document into others
    of_feature: bool = False  # led by the statement that introduces one

    @property
    def key(self) -> str:
        return f"{self.category}|{self.anchor}"

    @property
    def atoms(self) -> list[AtomRecord]:
        return [atom for pick in self.picks for atom in pick.atoms]

    @property
    def own_ids(self) -> set[str]:
        """Its statements but for the one that introduces a feature, which leads others, too."""
        own = self.atoms[1:] if self.of_feature else self.atoms
        return {atom.atom_id for atom in own}


@dataclass(frozen=True, slots=True)
class Grounds:
    """One position; ``named`` are its features, ``wordings`` its statements by their words."""

    material: Material
    named: Sequence[Candidate]
    wordings: Wordings

    def list_first(self, kinds: frozenset[str], most: int) -> list[AtomRecord]:
        """The statements of these kinds that findings are drawn from, those to be seen first."""
        atoms = self.material.best(self.material.topics.scores, kinds)
        return [atom for atom in atoms if speaks_for_project(atom)][:most]


def say(atom: AtomRecord, *, in_context: bool = False) -> str:
    """What the atom says, as it goes on in a title."""
    text = position(atom, in_context=in_context)
    return text if in_context else lower(text)


def tell_of(
    grounds: Grounds, topic: Topic, category: str, title: str, atoms: Sequence[AtomRecord]
) -> Finding:
    """A finding about a topic."""
    picks = grounds.material.section("description", atoms[:MAX_SHOWN]).picks
    return Finding(category, topic.key, topic.name, title, picks, _weigh(grounds, atoms))


def tell_about(
    grounds: Grounds,
    category: str,
    title: str,
    atoms: Sequence[AtomRecord],
    worth: float = 0.0,
) -> Finding:
    """A finding about what its first statement says; ``worth`` is added to that of its atoms."""
    words = sorted(content_words(atoms[0].statement), key=lambda word: (-len(word), word))
    anchor = " ".join(sorted(words[:WORDS_OF_ANCHOR]))
    picks = grounds.material.section("description", atoms[:MAX_SHOWN]).picks
    weight = round(_weigh(grounds, atoms) + worth, 6)
    return Finding(category, anchor, anchor, title, picks, weight)


def _weigh(grounds: Grounds, atoms: Sequence[AtomRecord]) -> float:
    shown = atoms[:MAX_SHOWN]
    weight = sum(grounds.material.topics.scores[it.atom_id] for it in shown) / len(shown)
    weight += 0.1 * len(sources_of(atoms)) + 0.3 * (shown[0].kind in _BINDING)
    return round(weight, 6)
