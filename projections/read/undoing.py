"""Whether a decision can be taken back: as long as nothing stands on it.

The ledger has the last word when it is done (``streams/ledger``); this says it of whole lists, by
the records as they are in the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from projections.read.decision_words import REFUSALS, loser_of, sides_of
from projections.read.session import Conn, Row, rows
from schemas.events.ledger import LIVE

ATOMS = """
    SELECT atom_id, status, merged_into, superseded_by, resolution->>'hitl_event_id' AS last
    FROM ledger_atoms WHERE atom_id = ANY(%s)
"""
PAIRS = """
    SELECT merge_candidate_id AS id, state, hitl_event_id AS last FROM ledger_merge_candidates
        WHERE merge_candidate_id = ANY(%s)
    UNION ALL SELECT contradiction_id, status, hitl_event_id FROM ledger_contradictions
        WHERE contradiction_id = ANY(%s)
    UNION ALL SELECT source_id, role, hitl_event_id FROM ledger_document_roles
        WHERE source_id = ANY(%s)
"""
TAKEN_BACK = """
    SELECT undoes, hitl_event_id FROM ledger_hitl_events
    WHERE outcome = 'applied' AND undoes = ANY(%s)
"""
# Decisions about what a merge has made, also in whatever that was merged into since.
ON_A_MERGE = """
    WITH RECURSIVE holders AS (
        SELECT a.atom_id, a.status, a.merged_into, a.resolution FROM ledger_atoms a
            WHERE a.atom_id = %s
        UNION SELECT a.atom_id, a.status, a.merged_into, a.resolution FROM ledger_atoms a
            JOIN holders h ON h.status = 'merged' AND a.atom_id = h.merged_into)
    SELECT d.hitl_event_id FROM ledger_hitl_events d
    WHERE d.ledger_seq > %s AND d.project_id = %s AND d.hitl_event_id IN (
        SELECT h.resolution->>'hitl_event_id' FROM holders h
        UNION ALL SELECT c.hitl_event_id FROM ledger_contradictions c
            JOIN holders h ON h.atom_id IN (c.atom_a_id, c.atom_b_id))
    ORDER BY d.ledger_seq DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a decision stays; ``later_id`` names the decision that stands on it, if one does."""

    reason: str
    later_id: str | None = None


SIDE_GONE = Obstacle(REFUSALS["side_gone"])


@dataclass(frozen=True, slots=True)
class _Records:
    """What decisions are about, as it is now, by id."""

    atoms: Mapping[str, Row]
    pairs: Mapping[str, Row]

    def are_live(self, atom_ids: Iterable[str | None]) -> bool:
        return all(each in self.atoms and self._is_live(str(each)) for each in atom_ids)

    def _is_live(self, atom_id: str) -> bool:
        return self.atoms[atom_id]["status"] in LIVE

    def last_of(self, atom_id: str | None) -> str | None:
        """The last decision about an atom."""
        atom = self.atoms.get(atom_id or "")
        return atom["last"] if atom else None


def find_obstacles(connection: Conn, decisions: Sequence[Row]) -> dict[str, Obstacle]:
    """What keeps each of the decisions from being taken back; those that can be are not there."""
    obstacles = {
        row["hitl_event_id"]: Obstacle(reason) for row in decisions if (reason := why_final(row))
    }
    applied = [row for row in decisions if row["hitl_event_id"] not in obstacles]
    ids = [row["hitl_event_id"] for row in applied]
    for row in rows(connection, TAKEN_BACK, ids) if ids else ():
        obstacles[row["undoes"]] = Obstacle("it was taken back", row["hitl_event_id"])
    still = [row for row in applied if row["hitl_event_id"] not in obstacles]
    records = _read_records(connection, still)
    for row in still:
        if obstacle := _find_obstacle(connection, records, row):
            obstacles[row["hitl_event_id"]] = obstacle
    return obstacles


def why_final(row: Row) -> str:
    """Why nothing ever takes a decision back; empty when something may."""
    if row["outcome"] != "applied":
        return "it changed nothing"
    if row["action"] == "unmerge":
        return "only a review of the two can merge them again"
    if row["decision"] == "reopen":
        return "it takes another decision back itself"
    return ""


def _read_records(connection: Conn, records: Sequence[Row]) -> _Records:
    atom_ids = sorted({each for row in records for each in sides_of(row) if each})
    targets = [row["target_id"] for row in records if row["target_type"] != "atom"]
    atoms = rows(connection, ATOMS, atom_ids) if atom_ids else []
    pairs = rows(connection, PAIRS, targets, targets, targets) if targets else []
    return _Records({it["atom_id"]: it for it in atoms}, {it["id"]: it for it in pairs})


def _find_obstacle(connection: Conn, records: _Records, row: Row) -> Obstacle | None:
    known_id, sides = row["hitl_event_id"], sides_of(row)
    if row["target_type"] == "atom":
        return _of_atom(records, row)
    if (row["action"], row["decision"]) == ("merge_review", "approve"):
        return _of_merge(connection, records, row)
    pair = records.pairs.get(row["target_id"])
    if pair is None or pair["last"] != known_id:
        return _decided_since(pair["last"] if pair else None)
    if row["target_type"] == "document":
        return None
    if row["decision"] in ("a_wins", "b_wins"):
        winner, loser = sides if row["decision"] == "a_wins" else (sides[1], sides[0])
        for side in (winner, loser):
            if records.last_of(side) != known_id:
                return _decided_since(records.last_of(side))
        lost = records.atoms.get(loser or "")
        is_won = lost and lost["status"] == "superseded" and lost["superseded_by"] == winner
        return None if is_won and records.are_live([winner]) else SIDE_GONE
    return None if records.are_live(sides) else SIDE_GONE


def _of_atom(records: _Records, row: Row) -> Obstacle | None:
    target = row["target_id"]
    if records.last_of(target) != row["hitl_event_id"]:
        return _decided_since(records.last_of(target))
    needs_live = row["action"] == "atom_reinclusion" or (
        row["action"] == "unverify" and row["outcome"] == "applied"
    )
    if needs_live and not records.are_live([target]):
        return Obstacle(REFUSALS["not_live"])
    return None


def _of_merge(connection: Conn, records: _Records, row: Row) -> Obstacle | None:
    loser_id = loser_of(row)
    loser = records.atoms.get(loser_id or "")
    if loser is None or loser["status"] != "merged":
        return Obstacle(REFUSALS["not_merged"])
    if loser["last"] != row["hitl_event_id"]:
        return _decided_since(loser["last"])
    place = (loser["merged_into"], row["ledger_seq"], row["project_id"])
    later = rows(connection, ON_A_MERGE, *place)
    return _decided_since(later[0]["hitl_event_id"]) if later else None


def _decided_since(later_id: str | None) -> Obstacle:
    return Obstacle(REFUSALS["decided_since"], later_id)
