"""What stands on the pages of an export: documents, atoms with quotes, contradictions, sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from infra.http.export.paging import Entry, mark
from infra.http.export.rendering import render, show_excerpt
from infra.service.reading.exporting import ExportedDocument, ExportedProject
from projections.read.artifacts import CitingSection
from projections.read.atoms import Atom, Quote

MOST_QUOTES = 100  # of one atom
MOST_STATEMENTS = 200  # of one entry: a longer section goes on in the next one
MOST_PLACES = 300  # of one entry of a source
DOCUMENT_FIELDS = (
    *("artifact_id", "artifact_type", "number", "title", "artifact_state", "version"),
    *("input_ledger_seq", "fields"),
)
SECTION_FIELDS = ("section_id", "title", "state", "gap")
ATOM_FIELDS = (
    *("atom_id", "kind", "title", "body", "polarity", "severity", "impact", "tags", "area"),
    *("confidence", "status", "status_reason", "evidence_count", "evidence_state", "verified_by"),
    *("merged_into", "superseded_by", "first_seq", "revision"),
)
QUOTE_FIELDS = (
    *("evidence_id", "path", "source_id", "sanitized_hash", "char_start", "char_end"),
    *("line_start", "line_end", "snippet", "evidence_type", "stale", "speaker"),
)


@dataclass(frozen=True)
class Book:
    """A project, and what a template may ask of it besides."""

    project: ExportedProject
    atoms: dict[str, Atom]
    cited_by: dict[str, list[tuple[str, str]]]
    """Of an atom: the anchor of each section that cites it, and what it is called."""
    disputes: frozenset[str]
    """The ids of the contradictions."""

    def render(self, template: str, **values: Any) -> str:
        return render(template, book=self, link=mark, **values)


def open_book(project: ExportedProject) -> Book:
    cited: dict[str, dict[str, str]] = {}
    for document in project.documents:
        for section, anchor, statements in _parts_of(document):
            called = f"{document.title}: {section.title}"
            for statement in statements:
                for citation in statement.citations:
                    cited.setdefault(citation.atom_id, {})[anchor] = called
    return Book(
        project,
        {atom.atom_id: atom for atom in project.atoms},
        {atom_id: list(places.items()) for atom_id, places in cited.items()},
        frozenset(each.contradiction_id for each in project.contradictions),
    )


def document_entries(book: Book, artifact_type: str) -> Iterator[Entry]:
    """Of each document its head, then its sections."""
    for document in book.project.documents:
        if document.artifact_type != artifact_type:
            continue
        yield Entry(
            document.artifact_id,
            book.render("entry_document.html", document=document),
            {
                "what": "document",
                **_pick(document, DOCUMENT_FIELDS),
                "blocked_by": list(document.blocked_by),
            },
        )
        for section, anchor, statements in _parts_of(document):
            html = book.render(
                "entry_section.html", section=section, anchor=anchor, statements=statements
            )
            data = {
                "what": "section",
                "artifact_id": document.artifact_id,
                **_pick(section, SECTION_FIELDS),
                "statements": [each.model_dump(mode="json") for each in statements],
            }
            yield Entry(anchor, html, data)


def _parts_of(document: ExportedDocument) -> Iterator[tuple[CitingSection, str, Sequence[Any]]]:
    """Sections, long ones in pieces, each with its anchor and statements."""
    for section in document.sections:
        for start in range(0, max(len(section.statements), 1), MOST_STATEMENTS):
            anchor = f"{document.artifact_id}-{section.section_id}"
            piece = section.statements[start : start + MOST_STATEMENTS]
            yield section, f"{anchor}-{start}" if start else anchor, piece


def atom_entries(book: Book) -> Iterator[Entry]:
    """Every atom with its quotes, in the order in which the ledger met them."""
    excerpts = book.project.excerpts
    for atom in book.project.atoms:
        shown = [
            (quote, show_excerpt(excerpts[quote.evidence_id]))
            if quote.evidence_id in excerpts
            else (quote, None)
            for quote in atom.evidence[:MOST_QUOTES]
        ]
        data = {
            "what": "atom",
            **_pick(atom, ATOM_FIELDS),
            "first_seen_at": _utc(atom.first_seen_at),
            "last_seen_at": _utc(atom.last_seen_at),
            "evidence": [_pick(quote, QUOTE_FIELDS) for quote, _ in shown],
        }
        html = book.render("entry_atom.html", atom=atom, shown=shown)
        yield Entry(atom.atom_id, html, data)


def contradiction_entries(book: Book) -> Iterator[Entry]:
    """The gravest first."""
    for each in book.project.contradictions:
        html = book.render(
            "entry_contradiction.html",
            it=each,
            sides=[book.atoms[each.atom_a_id], book.atoms[each.atom_b_id]],
        )
        yield Entry(
            each.contradiction_id, html, {"what": "contradiction", **each.model_dump(mode="json")}
        )


def source_entries(book: Book) -> Iterator[Entry]:
    """Every source that is quoted, by path, with the atoms that quote it, by place."""
    quoted: dict[str, list[tuple[Quote, Atom]]] = {}
    for atom in book.project.atoms:
        for quote in atom.evidence:
            quoted.setdefault(quote.source_id, []).append((quote, atom))
    by_path = sorted(quoted.items(), key=lambda item: (item[1][0][0].path or "", item[0]))
    for source_id, places in by_path:
        places.sort(key=lambda place: (place[0].char_start, place[0].evidence_id))
        for start in range(0, len(places), MOST_PLACES):
            anchor = f"{source_id}-{start}" if start else source_id
            piece = places[start : start + MOST_PLACES]
            path = piece[0][0].path or source_id
            html = book.render("entry_source.html", anchor=anchor, path=path, places=piece)
            told = [
                {"line_start": quote.line_start, "line_end": quote.line_end, "stale": quote.stale}
                | {"atom_id": atom.atom_id}
                for quote, atom in piece
            ]
            data = {"what": "source", "source_id": source_id, "path": path, "quotes": told}
            yield Entry(anchor, html, data)


LISTS: dict[str, tuple[str, str, Callable[[Book], Iterator[Entry]]]] = {
    "prd": ("PRD", "document", lambda book: document_entries(book, "prd")),
    "insights": ("Insights", "document", lambda book: document_entries(book, "insight")),
    "epics": ("Epics", "document", lambda book: document_entries(book, "epic")),
    "features": ("Features", "document", lambda book: document_entries(book, "feature")),
    "tasks": ("Tasks", "document", lambda book: document_entries(book, "task")),
    "ledger": ("Ledger", "ledger", atom_entries),
    "contradictions": ("Contradictions", "contradiction", contradiction_entries),
    "sources": ("Sources", "source", source_entries),
}
"""Of each list by its file: its title, its icon and its entries."""


def _pick(holder: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(holder, name) for name in names}


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
