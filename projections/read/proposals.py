"""What members have proposed, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from infra.platform.errors import NotFound
from projections.read.decided import COLUMNS, titles_of
from projections.read.decision_words import describe, describe_proposed, sides_of
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows

LISTED = f"{COLUMNS}, state, answer_id, answered_by, answer_rationale, answered_at, revision"
PROPOSALS = Listing(
    "proposals", LISTED, "proposals", {"ledger_seq": "bigint", "hitl_event_id": "text"}
)
BY_ID = f"SELECT {LISTED} FROM proposals WHERE hitl_event_id = ANY(%s)"


class Proposal(ReadModel):
    """What a member proposes. ``state``: waiting, accepted, declined or withdrawn, then with the
    answer.

    ``proposes`` says what, ``summary`` also who and why. ``changed``: what it is about is at
    another ``revision`` than the member saw, so accepting it is refused unless the answer names
    the new one. ``atom_ids`` are the statements that it is about.
    """

    proposal_id: str
    project_id: str
    ledger_seq: int
    action: str
    decision: str | None
    target_type: str
    target_id: str
    atom_ids: list[str]
    proposes: str
    summary: str
    rationale: str
    proposed_by: str
    proposed_at: datetime
    state: str
    expected_revision: int
    revision: int | None
    changed: bool
    answer_id: str | None
    answered_by: str | None
    answer_rationale: str | None
    answered_at: datetime | None


def list_proposals(
    connection: Conn,
    project_id: str,
    *,
    state: str | None = None,
    target: str | None = None,
    only: str | None = None,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Proposal]:
    """A page of proposals, oldest first unless said; all, or those of a ``state``, about a
    ``target``, or ``only`` that one. Raises Refusal for a bad cursor.
    """
    conditions: list[Condition] = [("project_id = %s", project_id)]
    wanted = {"state": state, "target_id": target, "hitl_event_id": only}
    conditions += [(f"{name} = %s", value) for name, value in wanted.items() if value is not None]
    records, following = page_of(
        connection, PROPOSALS, conditions, cursor, limit, backwards=newest_first
    )
    return Page(items=_as_proposals(connection, records), next_cursor=following)


def find_proposals(connection: Conn, ids: Sequence[str]) -> dict[str, Proposal]:
    """Those of the ids that are proposals."""
    results = _as_proposals(connection, rows(connection, BY_ID, list(ids))) if ids else []
    return {each.proposal_id: each for each in results}


def read_proposal(connection: Conn, proposal_id: str) -> Proposal:
    """Raises NotFound."""
    by_id = find_proposals(connection, [proposal_id])
    if proposal_id not in by_id:
        raise NotFound(f"There is no proposal {proposal_id}.", code="unknown_proposal")
    return by_id[proposal_id]


def _as_proposals(connection: Conn, records: Sequence[Row]) -> list[Proposal]:
    titles = titles_of(connection, records)
    named = ("project_id", "ledger_seq", "action", "decision", "target_type", "target_id")
    answered = ("rationale", "state", "answer_id", "answered_by", "answer_rationale", "answered_at")
    revisions = ("expected_revision", "revision")
    return [
        Proposal(
            **{name: row[name] for name in (*named, *answered, *revisions)},
            proposal_id=row["hitl_event_id"],
            atom_ids=_atoms_of(row),
            proposes=describe_proposed(row, titles),
            summary=describe(row, titles),
            proposed_by=row["actor_id"],
            proposed_at=row["occurred_at"],
            changed=row["state"] == "waiting" and row["revision"] != row["expected_revision"],
        )
        for row in records
    ]


def _atoms_of(row: Row) -> list[str]:
    return [] if row["target_type"] == "document" else [each for each in sides_of(row) if each]
