"""What people decided, in ledger order, with what the ledger answered."""

from __future__ import annotations

from projections.read.decided import COLUMNS, DecisionAnswer, complete
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn

DECISIONS = Listing(
    "decisions",
    COLUMNS,
    "ledger_hitl_events d",
    {"d.ledger_seq": "bigint", "d.hitl_event_id": "text"},
)


def decisions(
    connection: Conn,
    project_id: str,
    *,
    target: str | None = None,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[DecisionAnswer]:
    """A page of decisions, or of those about one target, oldest first unless said.

    Raises Refusal for a bad cursor.
    """
    conditions: list[Condition] = [("d.project_id = %s", project_id)]
    if target is not None:
        conditions.append(("d.target_id = %s", target))
    found, following = page_of(
        connection, DECISIONS, conditions, cursor, limit, backwards=newest_first
    )
    return Page(items=complete(connection, found), next_cursor=following)
