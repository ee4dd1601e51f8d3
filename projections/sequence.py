"""Numbered logs: on ``ledger.v1`` and ``reduce.v1`` only the next number of a project is a fact.

The fold rule of spec 08 §4 and 03 §9: a change set is accepted when its number is the next one and
its turn lies ahead in its run (without a turn: when its cause is new). What two writers of one
handover wrote besides is ignored by every reader alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from psycopg import Connection

from projections.rows import Rows
from schemas.envelope import Envelope
from schemas.events.artifact import ArtifactChanged
from schemas.events.ledger import LedgerChanged

Conn = Connection[tuple[Any, ...]]
Place = tuple[int, int]

START: Place = (-1, 0)  # before the first turn of a run
RUN_END = "run_end"

LAST_TURNS = """
    SELECT run.id, last.batch_no, last.position, last.kind
    FROM unnest(%s::text[]) AS run(id)
    CROSS JOIN LATERAL (
        SELECT batch_no, position, kind FROM ledger_change_sets c
        WHERE c.run_id = run.id ORDER BY c.ledger_seq DESC LIMIT 1) last
"""
KNOWN_CAUSES = (
    "SELECT project_id, caused_by_event_id FROM ledger_change_sets"
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


@dataclass(slots=True)
class LedgerOrder:
    """How far a project's ledger has come: its last number, and the last turn of each run.

    ``turns`` is None for a run that has ended. ``causes`` are those of change sets without a turn.
    """

    seq: int = 0
    turns: dict[str, Place | None] = field(default_factory=dict)
    causes: set[str] = field(default_factory=set)

    def accepts(self, event: LedgerChanged) -> bool:
        return event.ledger_seq == self.seq + 1 and self.lies_ahead(event)

    def lies_ahead(self, event: LedgerChanged) -> bool:
        if event.turn is None:
            return event.caused_by_event_id not in self.causes
        last = self.turns.get(event.turn.run_id, START)
        if last is None:
            return False
        return event.turn.kind == RUN_END or (event.turn.batch_no, event.turn.position) > last

    def take(self, event: LedgerChanged) -> None:
        self.seq = event.ledger_seq
        if event.turn is None:
            self.causes.add(event.caused_by_event_id)
        else:
            place = (event.turn.batch_no, event.turn.position)
            self.turns[event.turn.run_id] = None if event.turn.kind == RUN_END else place


def out_of_sequence(connection: Conn, rows: Rows, facts: Sequence[Envelope]) -> set[int]:
    """The ``id()`` of those facts of a numbered log that are none; ``rows`` moves the heads."""
    numbered = [fact for fact in facts if isinstance(fact.event, LedgerChanged | ArtifactChanged)]
    if not numbered:
        return set()
    ledgers, artifacts = _orders(connection, numbered)
    ignored: set[int] = set()
    for fact in numbered:
        head = {"project_id": fact.project_id}
        match fact.event:
            case LedgerChanged() as event if ledgers[fact.project_id].accepts(event):
                ledgers[fact.project_id].take(event)
                rows.add(fact, "log_heads", head | {"log": "ledger", "seq": event.ledger_seq})
            case ArtifactChanged() as answer if artifacts[fact.project_id].accepts(answer):
                artifacts[fact.project_id].take(answer)
                rows.add(fact, "log_heads", head | {"log": "artifact", "seq": answer.artifact_seq})
            case _:
                ignored.add(id(fact))
    return ignored


def _orders(
    connection: Conn, facts: Sequence[Envelope]
) -> tuple[dict[str, LedgerOrder], dict[str, ArtifactOrder]]:
    """Both orders of each project, as far as the tables hold them and ``facts`` need them."""
    ledgers: dict[str, LedgerOrder] = defaultdict(LedgerOrder)
    artifacts: dict[str, ArtifactOrder] = defaultdict(ArtifactOrder)
    projects = sorted({fact.project_id for fact in facts})
    heads = connection.execute(
        "SELECT project_id, log, seq FROM log_heads WHERE project_id = ANY(%s)", (projects,)
    )
    for project, log, seq in heads:
        if log == "ledger":
            ledgers[project].seq = seq
        else:
            artifacts[project].seq = seq
    changes = [(f.project_id, f.event) for f in facts if isinstance(f.event, LedgerChanged)]
    runs = {event.turn.run_id: project for project, event in changes if event.turn}
    for run_id, batch_no, position, kind in connection.execute(LAST_TURNS, (sorted(runs),)):
        place = None if kind == RUN_END else (batch_no, position)
        ledgers[runs[run_id]].turns[run_id] = place
    if causes := [event.caused_by_event_id for _, event in changes if event.turn is None]:
        for project, cause in connection.execute(KNOWN_CAUSES, (causes,)):
            ledgers[project].causes.add(cause)
    return ledgers, artifacts
