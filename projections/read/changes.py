"""What is different in a project since a change set: what came, went, changed and was decided.

The differences are net: an atom that came and went between the two is not told. Each comes with the
places it rests on, so that nobody has to ask again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from projections.read.atoms import Quote, find_sequence, head, quotes_of
from projections.read.decided import COLUMNS, complete
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.ledger import LIVE

WINDOW, LARGEST_WINDOW = 500, 2_000  # change sets of one answer
ATOMS = """
    WITH touched AS (SELECT DISTINCT atom_id FROM ledger_atom_history
        WHERE project_id = %s AND ledger_seq > %s AND ledger_seq <= %s)
    SELECT t.atom_id, b.record AS before, a.record AS after, a.ledger_seq
    FROM touched t
    CROSS JOIN LATERAL (SELECT record, ledger_seq FROM ledger_atom_history h
        WHERE h.atom_id = t.atom_id AND h.ledger_seq <= %s
        ORDER BY h.ledger_seq DESC LIMIT 1) a
    LEFT JOIN LATERAL (SELECT record FROM ledger_atom_history h
        WHERE h.atom_id = t.atom_id AND h.ledger_seq <= %s
        ORDER BY h.ledger_seq DESC LIMIT 1) b ON true
    ORDER BY a.ledger_seq, t.atom_id
"""
DECIDED = f"""
    SELECT {COLUMNS} FROM ledger_hitl_events
    WHERE project_id = %s AND ledger_seq > %s AND ledger_seq <= %s ORDER BY ledger_seq
"""
DISPUTED = """
    SELECT c.contradiction_id, c.status, c.severity, c.atom_a_id, a.title AS title_a, c.atom_b_id,
        b.title AS title_b, c.opened_seq, c.updated_seq
    FROM ledger_contradictions c LEFT JOIN ledger_atoms a ON a.atom_id = c.atom_a_id
    LEFT JOIN ledger_atoms b ON b.atom_id = c.atom_b_id
    WHERE c.project_id = %s AND c.updated_seq > %s AND c.updated_seq <= %s
    ORDER BY c.updated_seq, c.contradiction_id
"""
WRITTEN = """
    SELECT v.artifact_id, v.artifact_type, a.number, a.title, v.version, v.input_ledger_seq,
        v.recomputed_sections, v.reason
    FROM artifact_versions v JOIN artifacts a USING (artifact_id)
    WHERE v.project_id = %s AND v.input_ledger_seq > %s AND v.input_ledger_seq <= %s
    ORDER BY v.input_ledger_seq, a.artifact_type, a.number, v.version
"""
COMPARED = (
    *("title", "body", "status", "confidence", "polarity", "severity", "impact", "area", "tags"),
    *("attributes", "evidence_state", "evidence_count", "verified_by"),
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
    """The difference between ``since_seq`` and ``to_seq``.

    Where ``to_seq`` is below ``head_seq``, the next question begins there.
    """

    since_seq: int
    to_seq: int
    head_seq: int
    came: list[ChangedAtom]
    went: list[ChangedAtom]
    changed: list[ChangedAtom]
    contradictions: list[Dispute]
    decided: list[DecidedThing]
    written: list[WrittenVersion]


def changes_since(
    connection: Conn, project_id: str, since: int | datetime, window: int = WINDOW
) -> Changes:
    """What differs after a change set, or after the last one that was recorded by a time, over at
    most ``window`` change sets.

    Raises NotFound for a sequence that the ledger does not have.
    """
    since_seq = find_sequence(connection, project_id, since)
    last = head(connection, project_id)
    to_seq = min(last, since_seq + window)
    place = (project_id, since_seq, to_seq)
    groups = _group_atoms(connection, project_id, since_seq, to_seq)
    return Changes(
        since_seq=since_seq,
        to_seq=to_seq,
        head_seq=last,
        came=groups["came"],
        went=groups["went"],
        changed=groups["changed"],
        contradictions=select(connection, Dispute, DISPUTED, *place),
        decided=[
            DecidedThing.model_validate(it.model_dump(include=set(DecidedThing.model_fields)))
            for it in complete(connection, rows(connection, DECIDED, *place))
        ],
        written=select(connection, WrittenVersion, WRITTEN, *place),
    )


Group = Literal["came", "went", "changed"]


def _group_atoms(
    connection: Conn, project_id: str, since_seq: int, to_seq: int
) -> dict[Group, list[ChangedAtom]]:
    found = rows(connection, ATOMS, project_id, since_seq, to_seq, to_seq, since_seq)
    quotes = quotes_of(connection, [row["atom_id"] for row in found])
    groups: dict[Group, list[ChangedAtom]] = {"came": [], "went": [], "changed": []}
    for row in found:
        before, after = row["before"], row["after"]
        group, fields = difference(before, after)
        if group is not None:
            found_quotes = quotes.get(row["atom_id"], [])
            groups[group].append(
                build_change(after, row["ledger_seq"], group, fields, found_quotes)
            )
    return groups


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
