"""How work should lie on a team instead: what was proposed, and by whom."""

from __future__ import annotations

from datetime import datetime

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel
from schemas.events.team import RebalanceMove

REBALANCES = Listing(
    "rebalances",
    "r.rebalance_id, r.trigger, r.sprint_id, r.imbalance_before, r.moves, r.state, r.proposed_by,"
    " r.proposed_at",
    "rebalance_proposals r",
    {"r.proposed_at": "timestamptz", "r.rebalance_id": "text"},
)


class Rebalance(ReadModel):
    """Moves of tasks from member to member; ``state`` is ``proposed``: nothing has moved.

    ``imbalance_before`` is the highest load as a share of the capacity over the mean one.
    """

    rebalance_id: str
    trigger: str
    sprint_id: str
    imbalance_before: float
    moves: list[RebalanceMove]
    state: str
    proposed_by: str
    proposed_at: datetime


def list_rebalances(
    connection: Conn,
    project_id: str,
    *,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Rebalance]:
    """A page of proposals, oldest first unless said. Raises Refusal for a bad cursor."""
    of_project = [("r.project_id = %s", project_id)]
    records, following = page_of(
        connection, REBALANCES, of_project, cursor, limit, backwards=newest_first
    )
    return Page(items=[Rebalance(**row) for row in records], next_cursor=following)


def find_rebalance(connection: Conn, project_id: str, rebalance_id: str) -> Rebalance | None:
    conditions: list[Condition] = [
        ("r.project_id = %s", project_id),
        ("r.rebalance_id = %s", rebalance_id),
    ]
    records, _ = page_of(connection, REBALANCES, conditions, None, 1)
    return Rebalance(**records[0]) if records else None


def read_rebalance(connection: Conn, project_id: str, rebalance_id: str) -> Rebalance:
    """Raises NotFound."""
    rebalance = find_rebalance(connection, project_id, rebalance_id)
    if rebalance is None:
        raise NotFound(f"There is no rebalance {rebalance_id}.", code="unknown_rebalance")
    return rebalance
