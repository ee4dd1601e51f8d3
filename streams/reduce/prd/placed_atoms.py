"""An atom on its way to a section: what its document, headings and wording say of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.events.atom import UNDER
from schemas.events.ledger import AtomRecord, EvidenceRow
from streams.headings import ELSEWHERE, NOWHERE
from streams.reduce.texts.sections import is_excluded
from streams.reduce.texts.vocabulary import find_wordings, weigh_headings

SPEAKS = {  # how much a document speaks for the product; by the attribute «origin»
    "": 1.0,
    "readme": 1.0,
    "overview": 1.0,
    "product": 0.75,
    "record": 0.8,
    "plan": 0.7,
    "architecture": 0.7,
    "doc": 0.6,
    "part": 0.6,
    "talk": 0.6,
    "minutes": 0.6,
    "research": 0.6,
    "guide": 0.3,
    "development": 0.3,
    "reference": 0.3,
    "code": 0.2,
}  # the rest says nothing of it: manifests, manuals of other tools, translations, orders to agents
FOR_THE_PRODUCT = 0.9
FOR_A_PART = 0.6
NEAR = 0.5  # what the nearest heading adds
EARLY_LINES = 40  # where an introduction introduces
TOO_TECHNICAL = 3  # words that only code has, in a statement
_CODE_WORD = re.compile(
    r"\w+[_/]\w*(?:[/.]\w*)?|\w+\.\w+\(|\w+\(\)|[a-z]+[A-Z]\w+|--\w[\w-]*|[\w-]+\.(?:[a-z]{2,4})\b|[{}<>=|\\$]"
)
_OF_PROJECT = re.compile(r"the (?:purpose|goal|aim|mission) of this (?:project|repository)\b", re.I)
_CODE_HEADING = re.compile(r"`?[\w.*-]*(?:[_=<(/{]|\w\.\w)\S*(?: .*)?")


@dataclass(frozen=True, slots=True)
class SectionFit:
    """A section an atom fits in; ``fit`` is added to its score there."""

    section_id: str
    fit: float = 0.0


@dataclass(frozen=True, slots=True)
class SectionFits:
    """The atom's own section, if any, and those that may take it when they are short."""

    own: SectionFit | None = None
    others: tuple[SectionFit, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedAtom:
    """An atom with all that places it."""

    atom: AtomRecord
    headings: dict[str, float]
    wordings: frozenset[str]
    voice: float
    early: bool
    asked_by_heading: bool

    def near(self, section_id: str) -> float:
        """What the headings say for a section."""
        return round(NEAR * self.headings.get(section_id, 0.0), 6)

    def fits(self, own: str | None, *others: str, more: float = 0.0) -> SectionFits:
        """Its own section with what headings and voice add, and the others likewise."""
        return SectionFits(
            self._fit(own, more) if own else None, tuple(self._fit(one, 0.0) for one in others)
        )

    def _fit(self, section_id: str, more: float) -> SectionFit:
        return SectionFit(
            section_id, round(self.near(section_id) + 0.4 * (self.voice - 0.6) + more, 6)
        )

    @property
    def of_product(self) -> bool:
        """Whether it speaks of the whole product, by its document or by its subject."""
        return self.voice >= FOR_THE_PRODUCT or self.atom.attributes.get("about") == "project"

    @property
    def announced(self) -> str:
        """The section that the nearest telling heading announces."""
        return next(iter(self.headings), "")


def voice_of(atom: AtomRecord) -> float:
    """How much the document of an atom speaks for the product, 0 to 1."""
    return SPEAKS.get(atom.attributes.get("origin", ""), 0.0)


def read_atom(atom: AtomRecord, rows: Iterable[EvidenceRow]) -> PlacedAtom | None:
    """The atom with what was found out of it; None for one that no section may take."""
    fresh = sorted((row for row in rows if not row.stale), key=lambda row: row.evidence_id)
    voice = voice_of(atom)
    early = any(row.line_start <= EARLY_LINES for row in fresh) if fresh else True
    headings = read_headings(list_paths(atom, fresh))
    if early and _is_titled_only(atom, fresh):
        headings = {}
    if not voice or ELSEWHERE in headings or headings.get(NOWHERE, 0.0) >= _least_nowhere(atom):
        return None
    asked = any(_asks(row.structure_path, atom.statement) for row in fresh)
    placed_atom = PlacedAtom(atom, headings, find_wordings(atom.statement), voice, early, asked)
    return placed_atom if _stands_alone(placed_atom) else None


def list_paths(atom: AtomRecord, rows: Iterable[EvidenceRow]) -> list[Sequence[str]]:
    """The headings over each row, the title of its document first."""
    return [_path_of(atom, row) for row in rows]


def _path_of(atom: AtomRecord, row: EvidenceRow) -> Sequence[str]:
    """The headings over a row; those inside its chunk are known of where it was first read."""
    under = atom.attributes.get(UNDER, "").split("\n") if UNDER in atom.attributes else []
    if not under or row.source_id != atom.first_provenance.source_id:
        return row.structure_path
    return [*row.structure_path, *(it for it in under if it not in row.structure_path)]


def _is_titled_only(atom: AtomRecord, rows: Sequence[EvidenceRow]) -> bool:
    """Whether it speaks of the project where only the title of its document is over it, which names
    the product and announces nothing: «Lane Benefits».
    """
    return atom.attributes.get("about") == "project" and any(
        len(_path_of(atom, row)) == 1 for row in rows
    )


def read_headings(paths: Sequence[Sequence[str]]) -> dict[str, float]:
    """What the headings of the place tell that tells most; nowhere only if every place says so."""
    read = [
        {NOWHERE: 1.0}
        if path and _CODE_HEADING.fullmatch(path[-1].strip())
        else weigh_headings(path)
        for path in paths
    ]
    telling = [one for one in read if NOWHERE not in one] or read
    return max(telling, key=lambda one: sum(one.values()), default={})


def _least_nowhere(atom: AtomRecord) -> float:
    """How near a heading that tells nothing must be: marked items and names stand under any, a
    decision is one unless the heading right over it says otherwise.
    """
    if atom.attributes.get("scope") or atom.kind == "entity":
        return 2.0
    return 1.0 if atom.kind == "decision" else 0.0001


def _asks(path: Sequence[str], statement: str) -> bool:
    """Whether the statement is a heading of its own document: a question that is answered there."""
    return any(one.strip(" #?").lower() == statement.strip(" ?").lower() for one in path)


def _stands_alone(placed_atom: PlacedAtom) -> bool:
    """Whether a reader who sees only this statement understands it and it is about the product."""
    text, words = placed_atom.atom.statement, placed_atom.wordings
    if placed_atom.atom.kind == "entity":
        return True
    if text.endswith("…"):
        return False
    if "work_on_it" in words and placed_atom.atom.kind != "unknown" and not _OF_PROJECT.match(text):
        return False
    if "setting" in words:
        return False
    if "unfinished" in words and placed_atom.atom.kind != "unknown":
        return False
    if len(text.split()) < (
        2 if is_excluded(placed_atom.atom) or placed_atom.atom.attributes.get("scope") else 4
    ):
        return False
    return count_code_words(text) < TOO_TECHNICAL


def count_code_words(text: str) -> int:
    """How many words of it only code has."""
    return len(_CODE_WORD.findall(text))
