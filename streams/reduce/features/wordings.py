"""Which statements of a project are alike in words, and whether that is because one is copied.

Two documents agree where each says it in its own words. A text that goes from one into the other
agrees with itself, however it is cut.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from schemas.events.atom import ORIGIN
from schemas.events.ledger import AtomRecord
from schemas.fingerprint import norm_text
from schemas.worth import UNTOLD
from streams.ledger.likeness.agreement import keep_order
from streams.reduce.texts.wording import content_words

ALIKE = 0.5  # of the words of two statements that say the same
FEW = 6  # words of two short statements together, of which one word makes another thing
ALIKE_OF_FEW = 0.8
REPEATED = 0.8
LEAST_SHARED = 3
RARE = 40  # statements that a word is in, so that it tells which are alike
COPIED_RUN = 0.6  # of the words of the shorter of two, one behind the other
_DESCRIBING = ("product", "doc", "guide", "reference", "part", "architecture", "development")
_KIND_OF_ORIGIN = {
    "readme": "introduction",
    "overview": "introduction",
    "record": "record",
    "plan": "plan",
    "minutes": "talk",
    "talk": "talk",
    "research": "research",
} | dict.fromkeys(_DESCRIBING, "documentation")
_NAMES = {
    "readme": "the README",
    "overview": "an overview",
    "product": "a product page",
    "guide": "a guide",
    "reference": "a reference page",
    "part": "the README of a part",
    "architecture": "an architecture document",
    "development": "a page on how the team works",
    "record": "a decision record",
    "plan": "a proposal",
    "minutes": "the minutes of a meeting",
    "talk": "a conversation",
    "research": "user research",
}
OTHER_DOCUMENT = "a document"


def origin_of(atom: AtomRecord) -> str:
    return atom.attributes.get(ORIGIN, UNTOLD)


def speaks_for_project(atom: AtomRecord) -> bool:
    """Whether its document is one that findings are drawn from: no licence, translation or code."""
    return origin_of(atom) in _KIND_OF_ORIGIN


def kind_of_document(atom: AtomRecord) -> str:
    """Documents of one kind are written for one another, and repeat each other."""
    return _KIND_OF_ORIGIN.get(origin_of(atom), "")


def name_document(atom: AtomRecord) -> str:
    """What a reader calls its document."""
    return _NAMES.get(origin_of(atom), OTHER_DOCUMENT)


def sources_of(atoms: Iterable[AtomRecord]) -> set[str]:
    """The sources that the atoms were first or last read from."""
    return {
        provenance.source_id
        for atom in atoms
        for provenance in (atom.first_provenance, atom.latest_provenance)
    }


def are_apart(one: AtomRecord, other: AtomRecord) -> bool:
    """Whether no document has both."""
    return not sources_of([one]) & sources_of([other])


def is_alike(one: AtomRecord, other: AtomRecord) -> bool:
    """Whether two documents say the same of one thing, in the same sense."""
    if not are_apart(one, other) or one.polarity != other.polarity:
        return False
    ours, theirs = content_words(one.statement), content_words(other.statement)
    share = ALIKE if len(ours | theirs) > FEW else ALIKE_OF_FEW
    enough = max(LEAST_SHARED, share * len(ours | theirs)) <= len(ours & theirs)
    return enough and keep_order(one.statement, other.statement)


def is_repeated(one: AtomRecord, other: AtomRecord) -> bool:
    """Whether two statements, in one document or two, have nearly the same words."""
    ours, theirs = content_words(one.statement), content_words(other.statement)
    return len(ours & theirs) >= REPEATED * len(ours | theirs)


def is_copied(one: AtomRecord, other: AtomRecord) -> bool:
    """Whether most of the shorter statement stands in the longer one word for word."""
    ours, theirs = norm_text(one.statement).split(), norm_text(other.statement).split()
    run = SequenceMatcher(None, ours, theirs, autojunk=False).find_longest_match()
    return run.size >= COPIED_RUN * min(len(ours), len(theirs))


@dataclass(slots=True)
class Wordings:
    """The statements of one position by their words."""

    atoms: dict[str, AtomRecord] = field(default_factory=dict)
    having: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, atoms: Iterable[AtomRecord]) -> Wordings:
        made = cls()
        for atom in atoms:
            made.atoms[atom.atom_id] = atom
            for word in content_words(atom.statement):
                made.having[word].append(atom.atom_id)
        return made

    def find_near(self, atom: AtomRecord, share: float) -> list[AtomRecord]:
        """Statements of other documents with that share of its words, those with most first."""
        words = content_words(atom.statement)
        counted: Counter[str] = Counter()
        for word in words:
            ids = self.having.get(word, ())
            if len(ids) <= RARE:
                counted.update(ids)
        least = max(LEAST_SHARED, share * len(words))
        near = [
            (-len(words & content_words(other.statement)), atom_id)
            for atom_id in counted
            if are_apart(atom, other := self.atoms[atom_id])
        ]
        return [self.atoms[atom_id] for count, atom_id in sorted(near) if -count >= least]
