"""The files of an export: pages, their JSON, what is searched, styles, a badge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from infra.http.console.rendering import exact
from infra.http.console.spans import visible
from infra.http.export.badge import draw_badge
from infra.http.export.entries import LISTS, Book, open_book
from infra.http.export.paging import (
    Entry,
    Part,
    fill,
    group_by_size,
    page_name,
    places_of,
    put_links,
)
from infra.http.export.rendering import read_static, render
from infra.service.reading.exporting import ExportedProject
from schemas.events.ledger import LIVE

DISPUTED = ("open", "escalated")


def build_site(project: ExportedProject) -> dict[str, bytes]:
    """Every file by its name. The same project makes the same bytes."""
    book = open_book(project)
    lists = {name: fill(name, entries(book)) for name, (_, _, entries) in LISTS.items()}
    places: dict[str, str] = {}
    for parts in lists.values():
        places |= places_of(parts)
    files = read_static()
    for name, parts in lists.items():
        for part in parts:
            files[f"{part.name}.html"] = put_links(_page(book, name, part), places).encode()
            files[f"{part.name}.json"] = _json(project, entries=part.entries)
    indexes = {
        f"{page_name('index', number)}.js": index
        for number, index in enumerate(_indexes(book, places), 1)
    }
    files |= indexes
    figures = _figures(book)
    start = _render(
        "start.html",
        book,
        "index",
        title=project.name,
        scripts=[*indexes, "search.js"],
        figures=figures,
        counts={name: _count(parts) for name, parts in lists.items()},
    )
    files["index.html"] = start.encode()
    files["index.json"] = _json(project, **figures)
    files["badge.svg"] = draw_badge(**figures).encode()
    return files


def _page(book: Book, name: str, part: Part) -> str:
    title, _, _ = LISTS[name]
    return _render(
        "list.html",
        book,
        name,
        title=title,
        scripts=[],
        part=part,
        entries=[Markup(entry.html) for entry in part.entries],
        names=[page_name(name, number) for number in range(1, part.of + 1)],
    )


def _render(template: str, book: Book, here: str, **values: Any) -> str:
    lists = {name: (title, picture) for name, (title, picture, _) in LISTS.items()}
    return render(template, project=book.project, lists=lists, here=here, **values)


def _count(parts: list[Part]) -> int:
    """Entries that are something of their own: neither a section nor the rest of a source."""
    told = (entry for part in parts for entry in part.entries if entry.data["what"] != "section")
    return len({entry.data.get("source_id", entry.anchor) for entry in told})


def _json(project: ExportedProject, entries: Sequence[Entry] = (), **more: Any) -> bytes:
    """The project and its position, then what is there, an entry a line."""
    told = {
        "project_id": project.project_id,
        "name": project.name,
        "ledger_seq": project.position.ledger_seq,
        "ledger_time": exact(project.position.recorded_at),
        **more,
    }
    text = json.dumps(told, ensure_ascii=False).removesuffix("}")
    lines = ",\n".join(entry.json for entry in entries)
    return f'{text}, "entries": [\n{lines}\n]}}\n'.encode(errors="replace")


def _figures(book: Book) -> dict[str, Any]:
    live = [atom for atom in book.project.atoms if atom.status in LIVE]
    cited = {quote.source_id for atom in live for quote in atom.evidence if not quote.stale}
    prd = next((it for it in book.project.documents if it.artifact_type == "prd"), None)
    return {
        "statements": len(live),
        "sources": len(cited),
        "open_contradictions": sum(it.status in DISPUTED for it in book.project.contradictions),
        "prd_state": prd.artifact_state if prd else "not written",
    }


def _indexes(book: Book, places: Mapping[str, str]) -> Iterator[bytes]:
    """What is searched, as scripts: a page that is opened as a file may load no other."""
    rows = [
        *(
            [it.artifact_type, visible(it.title), it.number, places[it.artifact_id], ""]
            for it in book.project.documents
        ),
        *(
            [
                *(atom.kind, visible(atom.title)),
                visible(f"{atom.evidence[0].path}:{atom.evidence[0].line_start}")
                if atom.evidence
                else "",
                places[atom.atom_id],
                visible(atom.body) if atom.body != atom.title else "",
            ]
            for atom in book.project.atoms
        ),
    ]
    for group in group_by_size([json.dumps(row) for row in rows], lambda row: len(row) + 2):
        lines = ",\n".join(group)
        yield f"(window.cairnIndex ??= []).push([\n{lines}\n]);\n".encode()
