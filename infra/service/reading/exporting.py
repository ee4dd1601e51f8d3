"""What an export of a project holds, read at one position of its ledger.

Reports and sprint plans are left out: they speak of people, and an export is made to be passed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from infra.platform.clock import SystemClock
from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.service.foundation.database import ask_project
from projections.read.artifacts import Artifact, CitingSection, Item
from projections.read.atoms import Atom, Quote, list_atoms
from projections.read.contradictions import Contradiction, list_contradiction_pairs
from projections.read.ledger_position import LedgerPosition, read_position
from projections.read.page import take
from projections.read.projects import list_projects
from projections.read.session import Conn
from projections.read.source_detail import read_source
from projections.read.views import read_view

ARTIFACT_TYPES = ("prd", "insight", "epic", "feature", "task")
FIELDS = (
    *("priority", "status", "effort_points", "estimate_points", "complexity", "domain"),
    *("required_skills", "start_date", "end_date"),
)
LINES_AROUND = 2
MOST_AROUND = 400  # characters on each side: a line may be a whole file


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a source; ``span`` is where the quote stands in it, the end excluded."""

    text: str
    first_line: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ExportedDocument:
    """A published artifact. ``fields`` are what its type has besides statements, of `FIELDS`."""

    artifact_id: str
    artifact_type: str
    number: str
    title: str
    artifact_state: str
    version: int
    input_ledger_seq: int
    blocked_by: Sequence[str]
    sections: Sequence[CitingSection]
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExportedProject:
    """``atoms`` by age, whatever their status; ``excerpts`` by the id of the evidence row.

    A quote has none where its source says it no more, or its text is not kept.
    """

    project_id: str
    name: str
    position: LedgerPosition
    documents: Sequence[ExportedDocument]
    atoms: Sequence[Atom]
    contradictions: Sequence[Contradiction]
    excerpts: dict[str, Excerpt]


async def read_export(settings: Settings, project: str) -> ExportedProject:
    """All of a project that is exported. Raises NotFound, Conflict, DatabaseUnavailable."""

    def question(tables: Conn, project_id: str) -> ExportedProject:
        with tables.transaction():
            tables.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return _gather(tables, project_id)

    return await ask_project(settings, project, question)


def _gather(tables: Conn, project_id: str) -> ExportedProject:
    whole = partial(list_atoms, tables, project_id, status="all", order="age")
    held = [atom for atom in take(whole) if atom.ledger == "pkl"]
    known = {atom.atom_id for atom in held}
    return ExportedProject(
        project_id=project_id,
        name=list_projects(tables, only=[project_id]).items[0].name,
        position=read_position(tables, project_id),
        documents=[
            each for kind in ARTIFACT_TYPES for each in _documents(tables, project_id, kind)
        ],
        atoms=held,
        contradictions=[
            each
            for each in take(partial(list_contradiction_pairs, tables, project_id, None))
            if known.issuperset((each.atom_a_id, each.atom_b_id))
        ],
        excerpts=_excerpts(tables, project_id, held),
    )


def _documents(tables: Conn, project_id: str, artifact_type: str) -> list[ExportedDocument]:
    with suppress(NotFound):
        found = read_view(tables, project_id, artifact_type, SystemClock().now())
        published: list[Artifact | Item] = [*([found.prd] if found.prd else []), *found.items]
        return [_document(each, artifact_type) for each in published]
    return []


def _document(it: Artifact | Item, artifact_type: str) -> ExportedDocument:
    fields = it.fields if isinstance(it, Item) else {}
    return ExportedDocument(
        *(it.artifact_id, artifact_type, it.number, it.title, it.artifact_state, it.version),
        input_ledger_seq=it.input_ledger_seq,
        blocked_by=it.blocked_by,
        sections=it.sections,
        fields={name: fields[name] for name in FIELDS if fields.get(name) not in (None, "", [])},
    )


def _excerpts(tables: Conn, project_id: str, held: Iterable[Atom]) -> dict[str, Excerpt]:
    quotes: dict[str, list[Quote]] = {}
    for atom in held:
        for quote in atom.evidence:
            if not quote.stale:
                quotes.setdefault(quote.source_id, []).append(quote)
    found: dict[str, Excerpt] = {}
    for source_id in sorted(quotes):
        with suppress(NotFound):
            source = read_source(tables, project_id, source_id)
            for quote in quotes[source_id]:
                if source.text is not None and quote.sanitized_hash == source.sanitized_hash:
                    excerpt = cut_excerpt(source.text, quote)
                    found |= {quote.evidence_id: excerpt} if excerpt else {}
    return found


def cut_excerpt(text: str, quote: Quote) -> Excerpt | None:
    """The quote with the lines around it; None where the text at its place is not the quote."""
    start, end = quote.char_start, quote.char_end
    if not 0 <= start < end <= len(text) or text[start:end] != quote.snippet:
        return None
    before, after = start, end - 1
    for _ in range(LINES_AROUND + 1):
        before = text.rfind("\n", 0, before) if before >= 0 else before
        after = text.find("\n", after + 1) if after >= 0 else after
    begin = max(before + 1, start - MOST_AROUND)
    finish = min(after if after >= 0 else len(text), end + MOST_AROUND)
    first_line = quote.line_start - text.count("\n", begin, start)
    return Excerpt(text[begin:finish], first_line, (start - begin, end - begin))
