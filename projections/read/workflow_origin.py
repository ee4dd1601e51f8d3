"""What of the ledger a workflow starts from: a feature or a task with its text and its atoms."""

from __future__ import annotations

from typing import Any

from infra.platform.errors import NotFound
from projections.read.session import Conn, ReadModel, select

ORIGIN = """
    SELECT artifact_id, artifact_type, number, title, rendered_markdown, fields FROM artifacts
    WHERE project_id = %s AND artifact_type IN ('feature', 'task') AND number <> ''
        AND %s IN (artifact_id, number)
    ORDER BY artifact_id <> %s, artifact_id LIMIT 1
"""
OF_ATOMS = ("atom_ids", "upstream_atom_ids", "risk_atom_ids")


class LedgerItem(ReadModel):
    """A feature or a task; ``number`` is the one that people use."""

    artifact_id: str
    artifact_type: str
    number: str
    title: str
    rendered_markdown: str
    fields: dict[str, Any]

    @property
    def feature_id(self) -> str:
        """Its own id, or that of the feature that the task is cut from; empty: there is none."""
        own = self.artifact_id if self.artifact_type == "feature" else self.fields["feature_id"]
        return own or ""

    @property
    def task_id(self) -> str:
        return self.artifact_id if self.artifact_type == "task" else ""

    @property
    def atom_ids(self) -> list[str]:
        """The statements that it rests on, each once."""
        listed = (atom for name in OF_ATOMS for atom in self.fields.get(name, ()))
        return list(dict.fromkeys(listed))


def read_ledger_item(connection: Conn, project_id: str, id_or_number: str) -> LedgerItem:
    """Raises NotFound."""
    parameters = (project_id, id_or_number, id_or_number)
    for item in select(connection, LedgerItem, ORIGIN, *parameters):
        return item
    raise NotFound(
        f"There is no feature and no task {id_or_number}.",
        code="unknown_item",
        detail={"item": id_or_number},
    )
