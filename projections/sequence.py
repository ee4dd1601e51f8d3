"""Numbered logs: on ``ledger.v1`` and ``reduce.v1`` only the next number of a project is a fact.

What that is on ``ledger.v1`` says ``schemas.ledger_order``; here it is asked from what the tables
hold. What two writers of one handover wrote besides is ignored by every reader alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection

from projections.checkpoint import Record
from projections.rows import Rows
from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactChanged
from schemas.events.ledger import LedgerChanged
from schemas.ids import sha256_hex
from schemas.ledger_order import LedgerOrder, Place, Progress

Conn = Connection[tuple[Any, ...]]
Placed = tuple[Record, Envelope]

RUN_END = "run_end"

LAST_TURNS = """
    SELECT run.id, last.batch_no, last.position, last.kind
    FROM unnest(%s::text[]) AS run(id)
    CROSS JOIN LATERAL (
        SELECT batch_no, position, kind FROM ledger_change_sets c
        WHERE c.run_id = run.id ORDER BY c.ledger_seq DESC LIMIT 1) last
"""
KNOWN_CAUSES = (
    "SELECT project_id, caused_by_event_id, ledger_seq FROM ledger_change_sets"
    " WHERE caused_by_event_id = ANY(%s) AND run_id IS NULL"
)


@dataclass(slots=True)
class ArtifactOrder:
    """How far the artifact log of a project has come."""

    seq: int = 0

    def accepts(self, event: ArtifactChanged) -> bool:
        return event.artifact_seq == self.seq + 1

    def take(self, event: ArtifactChanged) -> None:
        self.seq = event.artifact_seq


def out_of_sequence(connection: Conn, rows: Rows, placed: Sequence[Placed]) -> set[int]:
    """The ``id()`` of those facts of a numbered log that are none; ``rows`` moves the heads."""
    numbered = [
        pair for pair in placed if isinstance(pair[1].event, LedgerChanged | ArtifactChanged)
    ]
    if not numbered:
        return set()
    ledgers, artifacts = _orders(connection, [fact for _, fact in numbered])
    ignored: set[int] = set()
    for record, fact in numbered:
        project = fact.project_id
        match fact.event:
            case LedgerChanged() as event if ledgers.accepts(project, event):
                ledgers.take(project, event, sha256_hex(record.value or b""))
                place = ledgers.place(project)
                head = {"log": "ledger", "seq": place.seq, "value_hash": place.value_hash}
                rows.add(fact, "log_heads", {"project_id": project} | head)
            case ArtifactChanged() as answer if artifacts[project].accepts(answer):
                artifacts[project].take(answer)
                head = {"log": "artifact", "seq": answer.artifact_seq, "value_hash": None}
                rows.add(fact, "log_heads", {"project_id": project} | head)
            case _:
                ignored.add(id(fact))
    return ignored


def _orders(
    connection: Conn, facts: Sequence[Envelope]
) -> tuple[LedgerOrder, dict[str, ArtifactOrder]]:
    """Both orders of each project, as far as the tables hold them and ``facts`` need them."""
    ledgers = LedgerOrder({}, {}, {})
    artifacts: dict[str, ArtifactOrder] = defaultdict(ArtifactOrder)
    changes = [(f.project_id, f.event) for f in facts if isinstance(f.event, LedgerChanged)]
    projects = sorted({fact.project_id for fact in facts})
    heads = connection.execute(
        "SELECT project_id, log, seq, value_hash FROM log_heads WHERE project_id = ANY(%s)",
        (projects,),
    )
    for project, log, seq, value_hash in heads:
        if log == "ledger":
            if value_hash is None:
                value_hash = _hash_named_by_next(changes, project, seq)
            ledgers.places[project] = Place(seq=seq, value_hash=value_hash)
        else:
            artifacts[project].seq = seq
    runs = {event.turn.run_id: project for project, event in changes if event.turn}
    for run_id, batch_no, position, kind in connection.execute(LAST_TURNS, (sorted(runs),)):
        ended = kind == RUN_END
        last = Progress(batch_no=batch_no, position=position, ended=ended)
        ledgers.progress[f"{runs[run_id]}|{run_id}"] = last
    if causes := [event.caused_by_event_id for _, event in changes if event.turn is None]:
        for project, cause, seq in connection.execute(KNOWN_CAUSES, (causes,)):
            ledgers.causes[f"{project}|{cause}"] = seq
    return ledgers, artifacts


def _hash_named_by_next(
    changes: Sequence[tuple[str, LedgerChanged]], project: str, seq: int
) -> str:
    """The hash of a head folded before hashes were kept, as the next change set has it."""
    named = (e.prev_hash for of, e in changes if of == project and e.ledger_seq == seq + 1)
    return next(named, "")
