"""The end of a run that judges more atoms than fit into one record goes in parts."""

from __future__ import annotations

import pytest

from schemas.events.hitl import AtomDismissed
from schemas.events.ingestion import SourceChange
from schemas.events.ledger import LedgerChanged
from schemas.ids import sha256_hex
from streams.ledger.turns.current import MAX_RECORDS_CHANGED
from streams.ledger.writer import LEDGER
from tests.ledger.story import (
    PROJECT,
    Chunk,
    Run,
    Story,
    a_run,
    decided,
    facts_of,
    judged,
    story,
)

COUNT = MAX_RECORDS_CHANGED // 2 + 50
REVISED = SourceChange(kind="revised", source_id="src_a", old_hash="h1", new_hash="h2")


def many() -> Run:
    names = [sha256_hex(str(number))[:12] for number in range(COUNT)]
    said = [judged(f"Port {name} is {name}") for name in names]
    return a_run(*(Chunk(f"c{at}", said[at : at + 50]) for at in range(0, COUNT, 50)))


def ended(trigger: str = "t2") -> Run:
    """A run that learns at its end that all of it is gone."""
    return a_run(trigger=trigger, removals=[REVISED])


@pytest.fixture(scope="module")
def read() -> Story:
    return story(many())


def after(read: Story) -> Story:
    """A story of its own that goes on from there."""
    told = Story(log=list(read.log), inputs=list(read.inputs))
    told.refold()
    return told


def parts_of(told: Story, run: Run) -> list[LedgerChanged]:
    return [each for each in told.change_sets if each.turn and each.turn.run_id == run.run_id]


def test_all_atoms_are_judged_in_parts_that_fit(read: Story):
    told = after(read).given(ended())
    assert {atom.status for atom in told.view.atoms.values()} == {"obsolete"}
    turns = [each.turn for each in parts_of(told, ended()) if each.turn]
    assert [(turn.kind, turn.batch_no, turn.position) for turn in turns] == [
        ("sources", 0, 0),
        ("sources", 1, 0),
        ("run_end", -1, 0),
    ]
    causes = [each.caused_by_event_id for each in told.change_sets]
    assert len(causes) == len(set(causes))
    assert [each.ledger_seq for each in told.change_sets] == list(range(1, len(causes) + 1))


def test_a_store_lost_between_two_parts_changes_nothing(read: Story):
    quiet = after(read).given(ended())
    for own_first in (True, False):
        told = after(read)
        *before, stopped = facts_of(ended())
        told.play(before).fold([stopped])
        first_part = LEDGER.decide(told.state)
        assert first_part
        told.write(first_part)
        told.refold(own_first)
        told.play([stopped])
        assert told.bytes() == quiet.bytes()


def test_a_person_may_decide_between_two_parts_and_other_runs_wait(read: Story):
    told = after(read)
    later = a_run(Chunk("n1", [judged("The bell rings at noon")]), trigger="t3")
    told.fold(facts_of(ended(), later))
    while len(parts := parts_of(told, ended())) < 2:
        decision = LEDGER.decide(told.state)
        assert decision
        told.write(decision)
    target = next(iter(told.view.atoms.values()))
    event = AtomDismissed(
        atom_id=target.atom_id,
        expected_revision=target.revision,
        actor_role="owner",
        rationale="not ours",
    )
    told.play([decided(event)])
    rest = told.change_sets[told.change_sets.index(parts[-1]) + 1 :]
    assert [each.turn and (each.turn.run_id, each.turn.kind) for each in rest] == [
        None,
        (ended().run_id, "run_end"),
        (later.run_id, "chunk"),
        (later.run_id, "run_end"),
    ]
    dismissed = told.view.atoms[f"{PROJECT}|{target.atom_id}"]
    assert dismissed.status == "dismissed"
