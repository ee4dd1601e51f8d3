"""What is different in a project since a change set: what came, went, changed and was decided.

The differences are net: an atom that came and went between the two is not told. Each comes with the
places it rests on, so that nobody has to ask again.

They are four lists, one behind the other, each by an index that orders it. A page reads what it
shows: the other change sets between the two cost it nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from projections.read.atoms import Quote, find_sequence, list_quotes, read_head
from projections.read.decided import COLUMNS, complete
from projections.read.page import (
    LARGEST_PAGE,
    PAGE,
    Condition,
    Listing,
    bad_cursor,
    cursor_behind,
    page_of,
)
from projections.read.session import Conn, ReadModel, Row
from schemas.events.ledger import LIVE

WINDOW, LARGEST_WINDOW = 500, 2_000  # change sets of one question
COMPARED = (
    *("title", "body", "status", "confidence", "polarity", "severity", "impact", "area", "tags"),
    *("attributes", "evidence_state", "evidence_count", "verified_by"),
)
LEAST_LOOKED_AT, MOST_LOOKED_AT = 20, 5_000  # records of atoms for one page
CURSOR = re.compile(r"(\d{1,15})\.(\d{1,15})\.([0-3])\.(.*)", re.ASCII)
BETWEEN = "{0} > %s AND {0} <= %s"
DECIDED = Listing(
    "decided",
    COLUMNS,
    "ledger_hitl_events",
    {"ledger_seq": "bigint", "hitl_event_id": "text"},
)
DISPUTED = Listing(
    "disputed",
    "c.contradiction_id, c.status, c.severity, c.atom_a_id, a.title AS title_a, c.atom_b_id,"
    " b.title AS title_b, c.opened_seq, c.updated_seq",
    "ledger_contradictions c LEFT JOIN ledger_atoms a ON a.atom_id = c.atom_a_id"
    " LEFT JOIN ledger_atoms b ON b.atom_id = c.atom_b_id",
    {"c.updated_seq": "bigint", "c.contradiction_id": "text"},
)
WRITTEN = Listing(
    "written",
    "v.artifact_id, v.artifact_type, a.number, a.title, v.version, v.input_ledger_seq,"
    " v.recomputed_sections, v.reason",
    "artifact_versions v JOIN artifacts a USING (artifact_id)",
    {"v.input_ledger_seq": "bigint", "v.artifact_id": "text", "v.version": "int"},
)


class CitedPlace(ReadModel):
    evidence_id: str
    source_id: str
    path: str | None
    line_start: int
    line_end: int
    snippet: str
    stale: bool


class ChangedAtom(ReadModel):
    """An atom whose state differs. ``fields`` are those that do; ``why`` it went."""

    atom_id: str
    kind: str
    title: str
    status: str
    confidence: float
    ledger_seq: int
    fields: list[str] = []
    why: str = ""
    citations: list[CitedPlace]


class DecidedThing(ReadModel):
    """A decision, as `DecisionAnswer` says it."""

    hitl_event_id: str
    ledger_seq: int
    action: str
    decision: str | None
    target_type: str
    target_id: str
    outcome: str
    refusal: str
    rationale: str
    actor_id: str
    actor_role: str
    summary: str
    undoable: bool
    undo_refusal: str


class Dispute(ReadModel):
    """A contradiction as it is now, whose last change is in the window."""

    contradiction_id: str
    status: str
    severity: str
    atom_a_id: str
    title_a: str | None
    atom_b_id: str
    title_b: str | None
    opened_seq: int
    updated_seq: int


class WrittenVersion(ReadModel):
    artifact_id: str
    artifact_type: str
    number: str | None
    title: str | None
    version: int
    input_ledger_seq: int
    recomputed_sections: list[str]
    reason: str


class Changes(ReadModel):
    """The difference between ``since_seq`` and ``to_seq``, or a page of it.

    Where ``next_cursor`` is there, more of the same difference follows. After its last page, and
    where ``to_seq`` is below ``head_seq``, the next question begins at ``to_seq``.
    """

    since_seq: int
    to_seq: int
    head_seq: int
    came: list[ChangedAtom] = []
    went: list[ChangedAtom] = []
    changed: list[ChangedAtom] = []
    contradictions: list[Dispute] = []
    decided: list[DecidedThing] = []
    written: list[WrittenVersion] = []
    next_cursor: str | None = None


Group = Literal["came", "went", "changed"]
Lists = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Span:
    """The change sets of a project after ``since_seq`` up to ``to_seq``."""

    project_id: str
    since_seq: int
    to_seq: int

    def has(self, project: str, seq: str) -> list[Condition]:
        between = (BETWEEN.format(seq), self.since_seq, self.to_seq)
        return [(f"{project} = %s", self.project_id), between]


def read_changes(
    connection: Conn, project_id: str, since: int | datetime, window: int = WINDOW
) -> Changes:
    """What differs after a change set, or after the last one that was recorded by a time, over at
    most ``window`` change sets; all of it.

    Raises NotFound for a sequence that the ledger does not have.
    """
    whole = page = list_changes(connection, project_id, since, window, limit=LARGEST_PAGE)
    while page.next_cursor is not None:
        page = list_changes(
            connection, project_id, since, window, cursor=page.next_cursor, limit=LARGEST_PAGE
        )
        both = {name: getattr(whole, name) + getattr(page, name) for name in LISTED}
        whole = page.model_copy(update=both)
    return whole


def list_changes(
    connection: Conn,
    project_id: str,
    since: int | datetime,
    window: int = WINDOW,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Changes:
    """At most ``limit`` items: what was decided and disputed, then atoms, then what was written.

    All pages end where the first one did, however the ledger has grown meanwhile. Raises NotFound
    for a sequence that the ledger does not have, and Refusal for a cursor of another question.
    """
    since_seq = find_sequence(connection, project_id, since)
    last = read_head(connection, project_id)
    to_seq, place, behind = min(last, since_seq + window), 0, None
    if cursor is not None:
        to_seq, place, behind = _read_cursor(cursor, since_seq, last)
    span = Span(project_id, since_seq, to_seq)
    by_group: Lists = {}
    following: str | None = None
    while place < len(STEPS):
        left = limit - sum(map(len, by_group.values()))
        if left <= 0:
            following = _write_cursor(span, place, None)
            break
        lists, behind = STEPS[place](connection, span, behind, left)
        by_group |= lists
        if behind is not None:
            following = _write_cursor(span, place, behind)
            break
        place += 1
    return Changes(
        since_seq=since_seq, to_seq=to_seq, head_seq=last, next_cursor=following, **by_group
    )


def _decided(
    connection: Conn, span: Span, cursor: str | None, limit: int
) -> tuple[Lists, str | None]:
    records, following = page_of(
        connection, DECIDED, span.has("project_id", "ledger_seq"), cursor, limit
    )
    entries = [
        DecidedThing.model_validate(it.model_dump(include=set(DecidedThing.model_fields)))
        for it in complete(connection, records)
    ]
    return {"decided": entries}, following


def _disputed(
    connection: Conn, span: Span, cursor: str | None, limit: int
) -> tuple[Lists, str | None]:
    conditions = span.has("c.project_id", "c.updated_seq")
    records, following = page_of(connection, DISPUTED, conditions, cursor, limit)
    return {"contradictions": [Dispute(**row) for row in records]}, following


def _moved(
    connection: Conn, span: Span, cursor: str | None, limit: int
) -> tuple[Lists, str | None]:
    """Each atom at the last of its records, by the change set that left it.

    Records are read in order until the page is full: what a condition finds of them is only known
    of each one, so the database could not tell where a page ends. After so many that are not told
    the page ends early.
    """
    listing, conditions = _records(span), span.has("h.project_id", "h.ledger_seq")
    entries: list[tuple[Row, Group, list[str]]] = []
    following, left = cursor, MOST_LOOKED_AT
    while left > 0:
        size = max(limit, LEAST_LOOKED_AT)
        records, following = page_of(connection, listing, conditions, following, size)
        for row in records:
            group, fields = difference(row["before"], row["after"])
            if group is not None and row["later_seq"] is None:
                entries.append((row, group, fields))
        if len(entries) > limit:
            last = entries[limit - 1][0]
            following = cursor_behind(listing, last["ledger_seq"], last["atom_id"])
        if following is None or len(entries) >= limit:
            break
        left -= size
    return _cite(connection, entries[:limit]), following


def _cite(connection: Conn, entries: Sequence[tuple[Row, Group, list[str]]]) -> Lists:
    quotes = list_quotes(connection, [row["atom_id"] for row, _, _ in entries])
    groups: Lists = {"came": [], "went": [], "changed": []}
    for row, group, fields in entries:
        cited = quotes.get(row["atom_id"], [])
        change = build_change(row["after"], row["ledger_seq"], group, fields, cited)
        groups[group].append(change)
    return groups


def _written(
    connection: Conn, span: Span, cursor: str | None, limit: int
) -> tuple[Lists, str | None]:
    conditions = span.has("v.project_id", "v.input_ledger_seq")
    records, following = page_of(connection, WRITTEN, conditions, cursor, limit)
    return {"written": [WrittenVersion(**row) for row in records]}, following


STEPS = (_decided, _disputed, _moved, _written)
LISTED = ("came", "went", "changed", "contradictions", "decided", "written")


def _records(span: Span) -> Listing:
    """Records of atoms, each with the one that stood before the span, and whether one followed."""
    of_atom = "FROM ledger_atom_history e WHERE e.atom_id = h.atom_id AND e.ledger_seq"
    before = f"SELECT e.record {of_atom} <= {span.since_seq:d} ORDER BY e.ledger_seq DESC LIMIT 1"
    later = (
        f"SELECT e.ledger_seq {of_atom} > h.ledger_seq AND e.ledger_seq <= {span.to_seq:d} LIMIT 1"
    )
    return Listing(
        "moved",
        f"h.atom_id, h.ledger_seq, h.record AS after, ({before}) AS before, ({later}) AS later_seq",
        "ledger_atom_history h",
        {"h.ledger_seq": "bigint", "h.atom_id": "text"},
    )


def _write_cursor(span: Span, place: int, behind: str | None) -> str:
    return f"{span.since_seq}.{span.to_seq}.{place}.{behind or ''}"


def _read_cursor(cursor: str, since_seq: int, last: int) -> tuple[int, int, str | None]:
    """Where the question ends, which list is next, and behind what of it. Raises Refusal."""
    match = CURSOR.fullmatch(cursor)
    if match is None or int(match[1]) != since_seq or not since_seq <= int(match[2]) <= last:
        raise bad_cursor()
    return int(match[2]), int(match[3]), match[4] or None


def build_change(
    after: dict[str, Any], ledger_seq: int, group: Group, fields: list[str], quotes: Sequence[Quote]
) -> ChangedAtom:
    """An atom whose record became ``after``, with the places it rests on."""
    return ChangedAtom(
        **{name: after[name] for name in ("atom_id", "kind", "title", "status")},
        confidence=after["confidence"],
        ledger_seq=ledger_seq,
        fields=fields,
        why=after["status_reason"] if group == "went" else "",
        citations=[
            CitedPlace(**quote.model_dump(include=set(CitedPlace.model_fields))) for quote in quotes
        ],
    )


def difference(
    before: dict[str, Any] | None, after: dict[str, Any]
) -> tuple[Group | None, list[str]]:
    """What became of an atom, and in which fields it differs if it was and is live."""
    was, is_now = before is not None and before["status"] in LIVE, after["status"] in LIVE
    if was != is_now:
        return ("came" if is_now else "went"), []
    fields = [name for name in COMPARED if before and before.get(name) != after.get(name)]
    return ("changed" if was and fields else None), fields
