"""The order of turns: results wait for theirs, whatever comes first."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.ingestion import RunStarted, SourceChange
from schemas.events.ledger import Turn
from streams.ledger.writer import LEDGER
from streams.stage import Record
from tests.ledger.story import (
    Batch,
    Chunk,
    Run,
    Story,
    a_row,
    a_run,
    change_set_in,
    facts_of,
    ingestion_of,
    judged,
    results_of,
    story,
)

REVISED = SourceChange(kind="revised", source_id="src_a", old_hash="h0", new_hash="h1")
STATEMENTS = (
    "Auth uses JWT tokens",
    "Auth uses session cookies",
    "Orders are kept for ten years",
    "Orders are kept for eleven years",
    "The web shop sends orders to the intake",
    "The web shop sends all orders to the intake",
)


def a_batch(trigger: str, number: int, lane: str) -> Batch:
    chunks = [
        Chunk(
            f"{trigger}{lane}{number}{at}",
            [
                judged(STATEMENTS[(number + at + n) % 6], entities=["Web shop", "Intake"])
                for n in range(2)
            ]
            + [
                judged("Web shop", "Web shop is a system", kind="entity"),
                judged(f"Batch {number} was decided", kind="decision", rows=[a_row(start=at)]),
            ],
            source_id=f"src_{'ab'[at % 2]}",
            outcome="poison" if (number, at) == (1, 1) else "extracted",
        )
        for at in range(3)
    ]
    return Batch(chunks, [REVISED] if number == 1 else [])


def both_lanes(trigger: str) -> list[Run]:
    return [
        Run([a_batch(trigger, n, lane) for n in range(2)], trigger=trigger, lane=lane)
        for lane in ("preview", "deep")
    ]


def shuffled(facts: Sequence[Record], seed: int) -> list[Record]:
    """Runs begin in their order; all else comes in any order, some of it again."""
    chance = random.Random(seed)
    first = [each for each in facts if isinstance(each.envelope.event, RunStarted)]
    rest = [each for each in facts if each not in first]
    rest += chance.choices(facts, k=len(facts) // 2)
    chance.shuffle(rest)
    return [*first, *rest]


def turns_of(told: Story) -> list[Turn]:
    return [each.turn for each in told.change_sets if each.turn]


QUIET = story(*both_lanes("t1")).bytes()


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), forget=st.integers(0, 60), own_first=st.booleans())
def test_any_order_any_repeats_and_a_refold_anywhere_give_the_same_bytes(
    seed: int, forget: int, own_first: bool
):
    facts = shuffled(facts_of(*both_lanes("t1")), seed)
    told = Story().play(facts[:forget])
    told.refold(own_first)
    told.play(facts[forget:])
    assert told.bytes() == QUIET


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_two_triggers_share_the_ledger_at_batch_borders_only(seed: int):
    told = Story().play(shuffled(facts_of(*both_lanes("t1"), *both_lanes("t2")), seed))
    turns = turns_of(told)
    assert [each.ledger_seq for each in told.change_sets] == list(range(1, len(turns) + 1))
    assert len(turns) == 4 * 2 * 3 + 4 + 4
    for before, after in zip(turns, turns[1:], strict=False):
        if not before.last_in_batch and before.kind != "run_end":
            assert (after.run_id, after.batch_no) == (before.run_id, before.batch_no)
    for trigger in ("t1", "t2"):
        lanes = [turn.lane for turn in turns if turn.run_id.startswith(f"run_{trigger}")]
        assert lanes == sorted(lanes, reverse=True)


def test_each_change_set_names_the_hash_of_the_one_before():
    told = story(*both_lanes("t1"))
    before = ""
    for record in told.log:
        assert change_set_in(record).prev_hash == before
        before = record.value_hash


def test_an_early_result_waits_for_those_before_it():
    run = a_run(Chunk("c1"), Chunk("c2"), Chunk("c3"))
    first, second, third = results_of(run)
    told = Story().play([*ingestion_of(run), third, second])
    assert not told.log
    told.play([first])
    assert [turn.chunk_id for turn in turns_of(told)] == ["c1", "c2", "c3", None]


def test_a_preview_of_another_trigger_comes_in_at_the_next_batch_border():
    long = Run([Batch([Chunk("a1"), Chunk("a2")]), Batch([Chunk("a3")])], trigger="t1")
    quick = a_run(Chunk("b1"), trigger="t2", lane="preview")
    plans, results = ingestion_of(long), results_of(long)
    told = Story().play([*plans, results[0], *facts_of(quick), *results[1:]])
    assert [turn.chunk_id for turn in turns_of(told)] == ["a1", "a2", "b1", None, "a3", None]


def test_a_run_whose_result_is_late_holds_no_other_run_back_at_a_border():
    slow, other = a_run(Chunk("a1"), trigger="t1"), a_run(Chunk("b1"), trigger="t2")
    told = Story().play([*ingestion_of(slow), *facts_of(other), *results_of(slow)])
    assert [turn.chunk_id for turn in turns_of(told)] == ["b1", None, "a1", None]


def test_the_deep_run_waits_for_the_preview_of_its_own_trigger():
    preview, deep = both_lanes("t1")
    told = Story().play(
        [*ingestion_of(preview), *facts_of(deep)],
    )
    assert not told.log
    told.play(results_of(preview))
    assert [turn.lane for turn in turns_of(told)] == ["preview"] * 8 + ["deep"] * 8


def test_withdrawn_batches_are_no_turns():
    run = Run([Batch([Chunk("c1")]), Batch([Chunk("c2")]), Batch([Chunk("c3")])], withdrawn=[1, 2])
    plans, results = ingestion_of(run), results_of(run)
    told = Story().play([*plans, *results])
    assert [turn.chunk_id for turn in turns_of(told)] == ["c1", None]


def test_nothing_waits_for_what_was_applied():
    told = story(*both_lanes("t1"))
    told.play(facts_of(*both_lanes("t1")))
    waiting = told.state.turns
    assert not waiting.plans and not waiting.results and not waiting.ends and not waiting.runs
    assert len(told.log) == 16


def test_a_batch_with_neither_chunks_nor_changes_still_commits():
    told = story(Run([Batch()]))
    assert [(turn.kind, turn.last_in_batch) for turn in turns_of(told)] == [
        ("sources", True),
        ("run_end", False),
    ]


def test_the_change_set_is_caused_by_the_fact_that_brought_its_turn():
    run = a_run(Chunk("c1"), changes=[REVISED])
    started, planned, stopped = ingestion_of(run)
    (result,) = results_of(run)
    told = story(run)
    causes = [record.envelope.causation_id for record in told.log]
    assert causes == [each.envelope.event_id for each in (planned, result, stopped)]
    assert {record.envelope.lane for record in told.log} == {"deep"}
    assert {record.envelope.run_id for record in told.log} == {started.envelope.run_id}


def test_a_change_set_of_a_writer_that_lost_its_partition_is_ignored():
    told = story(a_run(Chunk("c1"), Chunk("c2")))
    state = told.state.view.place("prj_test")
    for record in told.log:
        LEDGER.evolve(told.state, record)
    assert told.state.view.place("prj_test") == state


def test_deciding_twice_decides_the_same():
    told = Story().fold(facts_of(*both_lanes("t1")))
    assert LEDGER.decide(told.state) == LEDGER.decide(told.state)
