"""The reader of one project, over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, TypeVar

from infra.cli.remote.asking import adopt, client_of, project_of, unchecked
from infra.client.client import Client
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.service.reading.ledger_reader import LedgerReader
from projections.read.artifact_list import ArtifactSummary, WholeArtifact
from projections.read.atom_detail import WholeAtom
from projections.read.atoms import Atom
from projections.read.changes import Changes
from projections.read.contradictions import Card
from projections.read.coverage import Coverage
from projections.read.lineage import Node
from projections.read.page import Page
from projections.read.search import Answer

T = TypeVar("T")


class RemoteReader:
    def __init__(self, client: Client, project_id: str) -> None:
        self._client, self._project_id = client, project_id

    async def search(
        self, query: str, *, kinds: Sequence[str], areas: Sequence[str], limit: int
    ) -> Answer:
        return await self._ask(
            Answer,
            lambda client, known: client.search(
                known, q=query, kind=list(kinds), area=list(areas), limit=limit
            ),
        )

    async def read_atom(self, atom_id: str) -> WholeAtom:
        return await self._ask(WholeAtom, lambda client, known: client.read_atom(known, atom_id))

    async def list_atoms(self, cursor: str | None, limit: int) -> Page[Atom]:
        return await self._ask(
            Page[Atom], lambda client, known: client.list_atoms(known).page(cursor, limit)
        )

    async def trace(self, known_id: str) -> Node:
        return await self._ask(Node, lambda client, known: client.trace(known, known_id))

    async def list_contradictions(
        self, status: str | None, cursor: str | None, limit: int
    ) -> Page[Card]:
        def question(client: Client, project_id: str) -> object:
            found = client.list_contradictions(project_id, status=unchecked(status or "all"))
            return found.page(cursor, limit)

        return await self._ask(Page[Card], question)

    async def list_artifacts(
        self, artifact_type: str | None, cursor: str | None, limit: int
    ) -> Page[ArtifactSummary]:
        def question(client: Client, project_id: str) -> object:
            found = client.list_artifacts(project_id, type=unchecked(artifact_type))
            return found.page(cursor, limit)

        return await self._ask(Page[ArtifactSummary], question)

    async def read_artifact(self, artifact_id: str) -> WholeArtifact:
        return await self._ask(
            WholeArtifact, lambda client, known: client.read_artifact(known, artifact_id)
        )

    async def read_coverage(self) -> Coverage:
        return await self._ask(Coverage, lambda client, known: client.read_coverage(known))

    async def read_changes(
        self, since: int | datetime, window: int, cursor: str | None, limit: int
    ) -> Changes:
        place: dict[str, Any] = (
            {"since": since.isoformat()} if isinstance(since, datetime) else {"since_seq": since}
        )
        page: dict[str, Any] = {"window": window, "cursor": cursor, "limit": limit}
        return await self._ask(
            Changes, lambda client, known: client.list_changes(known, **place, **page)
        )

    async def _ask(self, kind: type[T], question: Callable[[Client, str], object]) -> T:
        return adopt(kind, await in_thread(lambda: question(self._client, self._project_id)))


@asynccontextmanager
async def open_ledger_reader(settings: Settings, project: str) -> AsyncIterator[LedgerReader]:
    with client_of(settings) as client:
        yield RemoteReader(client, await in_thread(lambda: project_of(client, project)))
