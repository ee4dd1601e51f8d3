"""The small digest of a ledger that readers are given."""

from __future__ import annotations

from infra.platform.errors import NotFound
from projections.read.session import Conn, rows
from schemas.events.working_summary import WorkingSummary


def read_working_summary(connection: Conn, project_id: str) -> WorkingSummary:
    """Raises NotFound while nothing of the project was read."""
    records = rows(
        connection,
        "SELECT summary FROM project_working_summary WHERE project_id = %s",
        project_id,
    )
    if not records:
        raise NotFound("Nothing of this project was read yet.", code="nothing_read_yet")
    return WorkingSummary.model_validate(records[0]["summary"])
