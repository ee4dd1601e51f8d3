"""Two writers of one handover: what was built on a record nobody accepted is none itself."""

from __future__ import annotations

from schemas.events.hitl import AtomDismissed
from streams.ledger.turns.fold import LedgerView
from streams.ledger.writer import LEDGER
from streams.stage import Record
from streams.tables import MemoryTables
from tests.ledger.story import (
    Batch,
    Chunk,
    Run,
    Story,
    change_set_in,
    decided,
    ingestion_of,
    judged,
    results_of,
)
from tests.ledger.test_decisions_atoms import about

FIRST = Chunk("c1", [judged("Parcels are weighed")])
LATER = [Chunk(f"c{n}", [judged(f"Lorry {n} is late", f"Lorry {n} left late.")]) for n in (2, 3)]
RUN = Run([Batch([FIRST, *LATER])], trigger="t1")


def a_handover() -> tuple[Story, list[Record]]:
    """The new owner has applied a decision that the old one, which writes on, has not seen."""
    new = Story().play([*ingestion_of(RUN), results_of(RUN)[0]])
    old = Story(log=list(new.log))
    old.fold(new.inputs)
    for record in new.log:
        LEDGER.evolve(old.state, record)
    dismissed = decided(AtomDismissed(**about(new.atom("Parcels are weighed"))))
    new.play([dismissed])
    old.play(results_of(RUN)[1:])
    return new, old.log[1:3]


def fold(records: list[Record]) -> list[int]:
    view = LedgerView(MemoryTables())
    return [change_set_in(each).ledger_seq for each in records if view.fold(each)]


def test_what_was_built_on_a_change_set_nobody_accepted_is_none():
    new, strays = a_handover()
    assert [change_set_in(record).ledger_seq for record in strays] == [2, 3]
    assert fold([*new.log, *strays]) == [1, 2]


def test_the_new_owner_applies_the_turns_the_old_one_wrote_in_vain():
    new, strays = a_handover()
    for record in strays:
        LEDGER.evolve(new.state, record)
    written = len(new.log)
    new.play(results_of(RUN)[1:])
    turns = [each.turn.chunk_id for each in new.change_sets[written:] if each.turn]
    assert turns == ["c2", "c3", None]
    assert fold([*new.log[:written], *strays, *new.log[written:]]) == [1, 2, 3, 4, 5]


def test_the_first_of_two_chains_that_fork_is_the_ledger():
    new, strays = a_handover()
    assert fold([new.log[0], *strays, *new.log[1:]]) == [1, 2, 3]
