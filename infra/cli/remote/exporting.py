"""What is made of a whole project, over HTTP: its export, and what a diff touches of it."""

from __future__ import annotations

from collections.abc import Iterable

from infra.cli.remote.asking import adopt, adopt_all, ask_of
from infra.cli.remote.reads import list_atoms
from infra.client.client import Client
from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.reading.exporting import ExportedProject, gather
from infra.service.reading.reads import View
from infra.service.reading.touching import Touched, match_diff
from projections.read.atoms import Atom
from projections.read.contradictions import Contradiction
from projections.read.ledger_position import LedgerPosition
from projections.read.source_detail import WholeSource

ATTEMPTS = 3


async def read_export(settings: Settings, project: str) -> ExportedProject:
    def question(client: Client, project_id: str) -> ExportedProject:
        reader = _Service(client, project_id)
        for _ in range(ATTEMPTS):
            found = gather(project_id, reader)
            if reader.read_position() == found.position:
                return found
        raise Conflict(
            f"The ledger of {project} changed during each of {ATTEMPTS} readings: export it when"
            " its runs have ended.",
            code="ledger_is_moving",
        )

    return await ask_of(settings, project, question)


async def find_touched(settings: Settings, project: str, diff: str) -> Touched:
    return await match_diff(diff, lambda kind: list_atoms(settings, project, kind=kind))


class _Service:
    """A reader of one project over HTTP."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client, self._project_id = client, project_id

    def read_name(self) -> str:
        return self._client.read_project(self._project_id).name

    def read_position(self) -> LedgerPosition:
        return adopt(LedgerPosition, self._client.read_position(self._project_id))

    def list_atoms(self) -> Iterable[Atom]:
        found = self._client.list_atoms(self._project_id, status="all", order="age")
        return adopt_all(Atom, found.take(None))

    def list_contradictions(self) -> Iterable[Contradiction]:
        found = self._client.list_contradiction_pairs(self._project_id, status="all")
        return adopt_all(Contradiction, found)

    def read_view(self, artifact_type: str) -> View:
        return adopt(View, self._client.read_view(self._project_id, artifact_type))

    def read_source(self, source_id: str) -> WholeSource:
        return adopt(WholeSource, self._client.read_source(self._project_id, source_id))
