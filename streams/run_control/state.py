"""What run control remembers of the projects of one partition."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.ledger_order import LedgerOrder, Place, Progress
from streams.due import DueProjects
from streams.run_control.rows import RunRow, Trigger
from streams.run_control.scope import ProjectScope, RunScope
from streams.stage import Table, Tables


class RunControlState:
    """The state of ``RUN_CONTROL``; see ``streams.stage.Writer``."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._projects: dict[str, ProjectScope] = {}
        self._runs: Table[RunRow] = tables.table("runs", RunRow)
        self.order = LedgerOrder(
            tables.table("ledger_places", Place),
            tables.table("ledger_progress", Progress),
            tables.table("ledger_causes", int),
        )
        triggers: Table[Trigger] = tables.table("triggers", Trigger)
        self.due = DueProjects({key.split("|", 1)[0] for key, _ in triggers.items()})

    def project(self, project: str) -> ProjectScope:
        if project not in self._projects:
            self._projects[project] = ProjectScope(self._tables, project)
        return self._projects[project]

    def run(self, project: str, run_id: str) -> RunScope:
        scope = self.project(project)
        return RunScope(scope, scope.runs[run_id])

    def runs(self) -> Iterator[RunScope]:
        """The runs of all projects."""
        for key, run in self._runs.items():
            yield RunScope(self.project(key.split("|", 1)[0]), run)
