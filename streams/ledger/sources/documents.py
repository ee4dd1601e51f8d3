"""Documents that others replace: «Supersedes ADR-3», said by the successor alone.

The ledger notes of each document what it is called and which others it names as replaced. At the
end of a run what rests on replaced documents alone is superseded, and what no longer is comes back.
So it does not matter which was read first, or when a document stopped saying so. A name that fits
no document, or several alike, replaces nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from schemas.events.atom import DocumentFacts, Reading
from schemas.events.ledger import AtomRecord
from streams.ledger.atoms.evidence import ACTIVE_CONFIDENCE, TWO_ROWS_KINDS, is_confirmed
from streams.ledger.atoms.lifecycle import REPLACED, retire
from streams.ledger.pairs.revival import come_back
from streams.ledger.sources.reanchor import rows_of_source
from streams.ledger.turns.changes import Changes, add_link, end_link, note, put_atom
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live
from streams.lexicons import Wording

DOCUMENT = "document"  # the reason of a note of what a document is called
HOLDS_AGAIN = "document_holds"
_NUMBER = Wording("ledger", "numbered_document")
_LEADING = re.compile(r"(?:[a-z]{1,10}[-_ ])?" + _NUMBER.pattern.pattern, re.IGNORECASE)
_ENTITLED = re.compile(r"[-_ .:–—)]*(?P<name>.*)$", re.DOTALL)
_WORDS = re.compile(r"[^\W_]+")
_GENERAL = frozenset({"", "decision", "record", "proposal", "entscheidung"})


class Document(NamedTuple):
    """``number`` without leading zeros, ``name`` the title in lower-case words."""

    source_id: str
    facts: DocumentFacts
    family: str
    number: str
    names: frozenset[str]


def note_document(ledger: CurrentLedger, reading: Reading) -> Changes[None]:
    """Note what the document of a reading is called and replaces, once for each payload."""
    if reading.document is None or reading.outcome == "poison":
        return
    key = f"{ledger.project}|{reading.source_id}"
    detail = f"{reading.sanitized_hash}|{reading.document.model_dump_json()}"
    known = ledger.state.documents.get(key, "")
    if known.partition("|")[0] != reading.sanitized_hash:
        yield note("source_settled", reading.source_id, None, DOCUMENT, detail)


def settle_documents(ledger: CurrentLedger, gone: Collection[str]) -> Changes[bool]:
    """Supersede what rests on replaced documents alone, and bring back what does no more.

    What the sources that are ``gone`` say counts no more. False when the change set is full before
    all of it is done.
    """
    successors = find_successors(it for it in _documents_of(ledger) if it.source_id not in gone)
    replaced = ledger.state.replaced.with_prefix(f"{ledger.project}|")
    for atom_id in [key.split("|")[1] for key, _ in replaced]:
        if ledger.is_full:
            return False
        yield from _bring_back(ledger, ledger.atom(atom_id), successors)
    for source in sorted(successors):
        for atom_id in dict.fromkeys(atom_id for atom_id, _ in rows_of_source(ledger, source)):
            if ledger.is_full:
                return False
            yield from _replace(ledger, ledger.get_atom(atom_id), successors)
    return True


def find_successors(documents: Iterable[Document]) -> dict[str, str]:
    """Source of each replaced document → that of the document which says so."""
    known = list(documents)
    found: dict[str, str] = {}
    for successor in known:
        for name in successor.facts.supersedes:
            older = _find_named(name, successor, known)
            if older and not _leads_back(found, successor.source_id, older.source_id):
                found.setdefault(older.source_id, successor.source_id)
    return found


def _leads_back(found: dict[str, str], successor: str, older: str) -> bool:
    """Whether ``older`` replaces ``successor`` already: of two that say so one has to hold."""
    at: str | None = successor
    for _ in range(len(found) + 2):
        if at is None:
            return False
        if at == older:
            return True
        at = found.get(at)
    return True


def _documents_of(ledger: CurrentLedger) -> Iterator[Document]:
    prefix = f"{ledger.project}|"
    for key, told in ledger.state.documents.with_prefix(prefix):
        yield _describe(key.removeprefix(prefix), told.partition("|")[2])


@lru_cache(maxsize=4096)
def _describe(source_id: str, told: str) -> Document:
    """A document by what it was called: its number, and its title with and without it."""
    facts = DocumentFacts.model_validate_json(told)
    stem = posixpath.basename(facts.path).rpartition(".")[0] or posixpath.basename(facts.path)
    family, number = "", ""
    names = {_simplify(stem), _simplify(facts.title)}
    for text in (stem, facts.title):
        if match := _LEADING.match(text.strip()):
            family = family or (match["family"] or "").lower()
            number = number or match["number"]
            rest = _ENTITLED.match(text.strip()[match.end() :])
            names.add(_simplify(rest["name"] if rest else ""))
    folder = posixpath.basename(posixpath.dirname(facts.path)).lower().rstrip("s")
    family = family or (folder if folder in ("adr", "rfc", "kep", "pep", "rfd") else "")
    return Document(source_id, facts, family, number, frozenset(names - {""}))


def _find_named(name: str, successor: Document, documents: list[Document]) -> Document | None:
    """The one document that ``name`` means, in the words of ``successor``."""
    others = [
        it
        for it in documents
        if it.source_id != successor.source_id and it.facts.root == successor.facts.root
    ]
    path = name.partition("#")[0]
    if by_path := [it for it in others if it.facts.path == path]:
        return by_path[0]
    base = posixpath.basename(path)
    if "." in base:
        return _only(it for it in others if posixpath.basename(it.facts.path) == base)
    if match := _NUMBER.fullmatch(name.strip(" #\"'")):
        numbered = [it for it in others if it.number == match["number"] and _is_of(it, match)]
        folder = posixpath.dirname(successor.facts.path)
        beside = [it for it in numbered if posixpath.dirname(it.facts.path) == folder]
        return _only(beside) or _only(numbered)
    return _only(it for it in others if _simplify(name) in it.names)


def _is_of(document: Document, match: re.Match[str]) -> bool:
    """Whether a number is one of the document's family, where both say of which they are."""
    family = (match["family"] or "").lower()
    return family in _GENERAL or document.family in _GENERAL or family == document.family


def _only(documents: Iterable[Document]) -> Document | None:
    found = list(documents)
    return found[0] if len(found) == 1 else None


def _simplify(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))


def _sources_of(ledger: CurrentLedger, atom: AtomRecord) -> set[str]:
    """The sources whose rows under an atom are fresh."""
    return {row.source_id for row in ledger.rows_of(atom.atom_id) if not row.stale}


def _replace(ledger: CurrentLedger, atom: AtomRecord, successors: dict[str, str]) -> Changes[None]:
    sources = _sources_of(ledger, atom)
    if not is_live(atom) or not sources or not sources <= successors.keys():
        return
    if atom.verified_by:
        yield note("review_item_raised", atom.atom_id, min(sources), REPLACED)
        return
    newer = _decision_of(ledger, successors[min(sources)], atom)
    if newer is not None:
        yield from add_link(ledger, newer.atom_id, atom.atom_id, "supersedes", REPLACED)
    yield from retire(ledger, atom, "superseded", REPLACED, by=newer)


def _decision_of(ledger: CurrentLedger, source: str, older: AtomRecord) -> AtomRecord | None:
    """The surest live atom of the same kind that the successor states, for a reader to go on to."""
    atoms = {atom_id: ledger.atom(atom_id) for atom_id, _ in rows_of_source(ledger, source)}
    alike = [it for it in atoms.values() if it and is_live(it) and it.kind == older.kind]
    return max(alike, key=lambda it: (it.confidence, it.atom_id), default=None)


def _bring_back(
    ledger: CurrentLedger, atom: AtomRecord | None, successors: dict[str, str]
) -> Changes[None]:
    """An atom that was superseded with its document lives again once some document holds."""
    if atom is None or (atom.status, atom.status_reason) != ("superseded", REPLACED):
        return
    sources = _sources_of(ledger, atom)
    if not sources or sources <= successors.keys():
        return
    if newer := atom.superseded_by:
        yield from end_link(ledger, newer, atom.atom_id, "supersedes", HOLDS_AGAIN)
    unsure = atom.kind in TWO_ROWS_KINDS and not (
        atom.confidence >= ACTIVE_CONFIDENCE and is_confirmed(ledger, atom)
    )
    status = "draft" if unsure else "active"
    yield note("status_set", atom.atom_id, None, HOLDS_AGAIN, status)
    after = yield from put_atom(
        ledger, atom, status=status, status_reason=HOLDS_AGAIN, superseded_by=None
    )
    yield from come_back(ledger, after)
