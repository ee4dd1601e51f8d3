"""What people decided, in ledger order, with what the ledger answered."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from projections.read.atoms import find_sequence
from projections.read.decided import COLUMNS, DecisionAnswer, complete
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn

DECISIONS = Listing(
    "decisions",
    COLUMNS,
    "ledger_hitl_events d",
    {"d.ledger_seq": "bigint", "d.hitl_event_id": "text"},
)


def list_decisions(
    connection: Conn,
    project_id: str,
    *,
    target: str | None = None,
    updated_since: int | datetime | None = None,
    is_slim: bool = False,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[DecisionAnswer]:
    """A page of decisions, or of those about one target, oldest first unless said.

    ``updated_since``: only those that the ledger answered after this change set or time.
    ``is_slim``: without the records before and after. Raises Refusal for a bad cursor.
    """
    conditions: list[Condition] = [("d.project_id = %s", project_id)]
    if target is not None:
        conditions.append(("d.target_id = %s", target))
    if updated_since is not None:
        since_seq = find_sequence(connection, project_id, updated_since)
        conditions.append(("d.ledger_seq > %s", since_seq))
    records, following = page_of(
        connection, DECISIONS, conditions, cursor, limit, backwards=newest_first
    )
    answers = complete(connection, records)
    if is_slim:
        without: dict[str, Any] = {"before_state": {}, "after_state": None}
        answers = [each.model_copy(update=without) for each in answers]
    return Page(items=answers, next_cursor=following)
