"""The questions about one project that a program asks again and again over one connection.

Which project it is, is settled when the reader is made; no question names one. So an id of another
project is unknown here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import projections.read.artifact_list as artifact_list
import projections.read.atoms as atoms
import projections.read.contradictions as contradictions
import projections.read.search as ledger_search
from infra.service.foundation.connections import Tables
from projections.read.artifact_list import ArtifactSummary, WholeArtifact
from projections.read.atom_detail import WholeAtom
from projections.read.atom_detail import read_atom as whole_atom
from projections.read.atoms import Atom
from projections.read.belonging import check_belongs
from projections.read.changes import Changes, list_changes
from projections.read.contradictions import Card
from projections.read.coverage import Coverage
from projections.read.coverage import read_coverage as coverage
from projections.read.lineage import Node, trace
from projections.read.page import Page
from projections.read.search import Answer, Filters
from projections.read.session import Conn


class LedgerReader(Protocol):
    """Each raises NotFound for an id that the project does not have, and Unavailable.

    Cursors are those of the lists, and raise Invalid where they are none.
    """

    async def search(
        self, query: str, *, kinds: Sequence[str], areas: Sequence[str], limit: int
    ) -> Answer: ...

    async def read_atom(self, atom_id: str) -> WholeAtom: ...

    async def list_atoms(self, cursor: str | None, limit: int) -> Page[Atom]: ...

    async def trace(self, known_id: str) -> Node: ...

    async def list_contradictions(
        self, status: str | None, cursor: str | None, limit: int
    ) -> Page[Card]: ...

    async def list_artifacts(
        self, artifact_type: str | None, cursor: str | None, limit: int
    ) -> Page[ArtifactSummary]: ...

    async def read_artifact(self, artifact_id: str) -> WholeArtifact: ...

    async def read_coverage(self) -> Coverage: ...

    async def read_changes(
        self, since: int | datetime, window: int, cursor: str | None, limit: int
    ) -> Changes: ...


class TablesReader:
    """A reader over the tables. ``project_id`` has to exist."""

    def __init__(self, tables: Tables, project_id: str) -> None:
        self._tables, self._project_id = tables, project_id

    async def search(
        self, query: str, *, kinds: Sequence[str], areas: Sequence[str], limit: int
    ) -> Answer:
        filters = Filters(kinds=tuple(kinds), areas=tuple(areas))
        return await self._tables.ask(
            ledger_search.search_ledger, self._project_id, query, filters, limit
        )

    async def read_atom(self, atom_id: str) -> WholeAtom:
        return await self._tables.ask(whole_atom, self._project_id, atom_id)

    async def list_atoms(self, cursor: str | None, limit: int) -> Page[Atom]:
        return await self._tables.ask(
            atoms.list_atoms, self._project_id, cursor=cursor, limit=limit
        )

    async def trace(self, known_id: str) -> Node:
        return await self._tables.ask(_trace_within, self._project_id, known_id)

    async def list_contradictions(
        self, status: str | None, cursor: str | None, limit: int
    ) -> Page[Card]:
        return await self._tables.ask(
            contradictions.list_contradictions, self._project_id, status, cursor=cursor, limit=limit
        )

    async def list_artifacts(
        self, artifact_type: str | None, cursor: str | None, limit: int
    ) -> Page[ArtifactSummary]:
        return await self._tables.ask(
            artifact_list.list_artifacts,
            self._project_id,
            artifact_type=artifact_type,
            cursor=cursor,
            limit=limit,
        )

    async def read_artifact(self, artifact_id: str) -> WholeArtifact:
        return await self._tables.ask(artifact_list.read_artifact, self._project_id, artifact_id)

    async def read_coverage(self) -> Coverage:
        return await self._tables.ask(coverage, self._project_id)

    async def read_changes(
        self, since: int | datetime, window: int, cursor: str | None, limit: int
    ) -> Changes:
        return await self._tables.ask(
            list_changes, self._project_id, since, window, cursor=cursor, limit=limit
        )


def _trace_within(connection: Conn, project_id: str, known_id: str) -> Node:
    check_belongs(connection, project_id, known_id)
    return trace(connection, known_id)
