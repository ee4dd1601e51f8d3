"""What run control tells the ledger of sources that have changed, and in how large portions."""

from __future__ import annotations

import pytest

from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import BatchPlanned, RunStopped, SourceChange
from schemas.events.ingestion_request import (
    IngestionRequested,
    SourcesListed,
    SourcesUnchanged,
)
from schemas.ids import sha256_hex
from streams.run_control.changes import MAX_CHANGES, MAX_CHUNKS_TOUCHED
from streams.run_control.writer import RUN_CONTROL
from streams.stage import Record
from streams.tables import MemoryTables
from tests.run_control.play import Play, a_chunk, a_source, chunks_read

MANY = [a_source(f"m{number:03}.py", chunks=1) for number in range(200)]


def again(processed: SourceProcessed, content: str, **chunks) -> SourceProcessed:
    """The next revision under trigger k2: its chunks' texts are named, by their place."""
    payload = sha256_hex(content)
    return processed.model_copy(
        update={
            "trigger_key": "k2",
            "revision_seq": processed.revision_seq + 1,
            "raw_normalized_hash": payload,
            "sanitized_hash": payload,
            "previous_sanitized_hash": processed.sanitized_hash,
            "chunks": [
                a_chunk(f"{processed.source.path}_{content}", int(at[1:]), text_hash=text)
                for at, text in chunks.items()
            ],
        }
    )


def texts(path: str, *names: str) -> SourceProcessed:
    """A first revision with a chunk for each text."""
    chunks = [a_chunk(path, at, text_hash=name) for at, name in enumerate(names)]
    return a_source(path, chunks=0).model_copy(update={"chunks": chunks})


def ingested(*sources: SourceProcessed, **more) -> Play:
    play = Play().asked(*sources, **more).ready(*sources)
    play.to_the_end()
    return play


def told(events) -> list[list[SourceChange]]:
    return [
        event.source_changes
        for event in events
        if isinstance(event, BatchPlanned | RunStopped) and event.source_changes
    ]


def unchanged(play: Play, *sources: SourceProcessed) -> Play:
    ids = [processed.source.source_id for processed in sources]
    return play.given(SourcesUnchanged(trigger_key="k2", part_index=0, source_ids=ids))


def test_a_chunk_that_says_the_same_elsewhere_in_its_source_is_not_read_again():
    before = texts("a.py", "head", "one", "two")
    after = again(before, "new", _0="head", _1="other", _2="one", _3="two")
    play = ingested(before).asked(after, key="k2").ready(after)
    events = play.to_the_end()
    assert chunks_read(events) == ["chk_a.py_new_1"]
    ((change,),) = told(events)
    assert [(p.from_chunk_id, p.to_chunk_id, p.shift) for p in change.reanchored] == [
        ("chk_a.py_0", "chk_a.py_new_0", 0),
        ("chk_a.py_1", "chk_a.py_new_2", 100),
        ("chk_a.py_2", "chk_a.py_new_3", 100),
    ]
    assert [pair.line_shift for pair in change.reanchored] == [0, 10, 10]


def test_a_chunk_that_nobody_had_read_is_read_where_it_stands_now():
    before = texts("a.py", "head", "one", "two")
    play = Play().asked(before, max_chunks_per_run=2, lanes=["deep"]).ready(before)
    play.to_the_end()
    after = again(before, "new", _0="head", _1="one", _2="two", _3="three")
    events = play.asked(after, key="k2").ready(after).to_the_end()
    assert chunks_read(events) == ["chk_a.py_new_2", "chk_a.py_new_3"]


def test_a_text_that_stood_at_the_beginning_is_read_again_elsewhere():
    before = texts("a.py", "one")
    after = again(before, "new", _0="other", _1="one")
    events = ingested(before).asked(after, key="k2").ready(after).to_the_end()
    assert chunks_read(events) == ["chk_a.py_new_0", "chk_a.py_new_1"]


def test_a_change_that_an_earlier_run_did_not_come_to_tell_is_told_by_the_next():
    before = texts("a.py", "one", "two")
    after = again(before, "new", _0="three")
    play = ingested(before).ready(after)  # answered under k2, which was never listed
    events = play.asked(after, key="k3").given(
        SourcesUnchanged(trigger_key="k3", part_index=0, source_ids=["src_a.py"])
    )
    ((change,),) = told(events.to_the_end())
    assert (change.kind, change.old_hash) == ("revised", before.sanitized_hash)


def test_removals_come_in_portions_and_the_last_with_the_runs_end():
    play = ingested(*MANY)
    play.asked(MANY[0], key="k2", accept_removals=True)
    events = unchanged(play, MANY[0]).to_the_end()
    portions = [len(changes) for changes in told(events)]
    assert portions == [MAX_CHANGES] * 3 + [199 - 3 * MAX_CHANGES]
    ends = [event for event in events if isinstance(event, RunStopped)]
    assert [len(end.source_changes) for end in ends] == [0, portions[-1]]
    assert all(
        event.hint.decision_rule == "source_changes"
        for event in events
        if isinstance(event, BatchPlanned)
    )


def test_many_revisions_come_in_batches_that_hold_nothing_else():
    after = [again(processed, f"new {at}", _0="text") for at, processed in enumerate(MANY)]
    events = ingested(*MANY).asked(*after, key="k2").ready(*after).to_the_end()
    assert sum(len(changes) for changes in told(events)) == 200
    assert max(len(changes) for changes in told(events)) == MAX_CHANGES
    plans = [event for event in events if isinstance(event, BatchPlanned)]
    alone = [plan for plan in plans if len(plan.source_changes) == MAX_CHANGES]
    assert alone
    assert not any(plan.hint.selected_chunk_ids for plan in alone)
    assert len(chunks_read(events)) == 200


def test_a_long_source_is_told_in_slices():
    names = [f"text{number}" for number in range(MAX_CHUNKS_TOUCHED + 9)]
    before = texts("a.py", *names)
    after = again(before, "new", **{f"_{at}": name for at, name in enumerate(names)}, _999="more")
    events = ingested(before).asked(after, key="k2").ready(after).to_the_end()
    slices = [len(change.reanchored) for changes in told(events) for change in changes]
    assert slices == [MAX_CHUNKS_TOUCHED, 9]
    assert chunks_read(events) == ["chk_a.py_new_999"]


@pytest.mark.parametrize(("left", "held"), [(170, 0), (169, 31)])
def test_removals_of_more_than_fifteen_percent_are_held_back(left, held):
    play = ingested(*MANY).asked(*MANY[:left], key="k2")
    events = unchanged(play, *MANY[:left]).to_the_end()
    ends = [event for event in events if isinstance(event, RunStopped)]
    assert [len(end.removals_held) for end in ends] == [0, held]
    assert sum(len(changes) for changes in told(events)) == 200 - left - held


def test_nothing_goes_before_all_listed_sources_are_ready():
    play = ingested(*MANY).asked(*MANY[:190], key="k2", lanes=["deep"])
    unchanged(play, *MANY[:189])
    assert told(play.to_the_end()) == []
    assert len(told(unchanged(play, MANY[189]).to_the_end())) == 1


def going(play: Play, *sources: SourceProcessed) -> Play:
    """A delivery that says of the sources that they are gone."""
    named = [processed.source.source_id for processed in sources]
    return play.given(
        IngestionRequested(trigger_key="gone", root="repo", lanes=["deep"], accept_removals=True),
        SourcesListed(
            trigger_key="gone",
            root="repo",
            complete=False,
            part_index=0,
            part_count=1,
            removed=named,
        ),
    )


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_what_is_deleted_before_it_is_answered_for_goes_when_it_is(answered):
    new = [texts(path, "one") for path in ("a.py", "b.py")]
    play = Play().asked(*new, lanes=["deep"], complete=False)
    play.when()
    play.ready(*new[:answered]).when()
    going(play, *new).when()
    play.ready(*new[answered:])
    play.to_the_end()
    written = [each.event for each in play.written]
    changes = [change for changes in told(written) for change in changes]
    assert [(it.kind, it.source_id) for it in changes] == [
        ("removed", "src_a.py"),
        ("removed", "src_b.py"),
    ]
    assert len([event for event in written if isinstance(event, RunStopped)]) == 2


def test_what_nobody_ever_named_is_not_waited_for():
    events = going(ingested(*MANY[:2]), MANY[0], MANY[5]).to_the_end()
    ((change,),) = told(events)
    assert (change.kind, change.source_id) == ("removed", MANY[0].source.source_id)


@pytest.mark.parametrize("cut", range(0, 1_000, 83))
@pytest.mark.parametrize("lost", [0, 60, 10_000])
def test_state_folded_again_tells_the_same_changes(cut, lost):
    after = [
        again(processed, f"new {at % 19}", _0="h", _1="text")
        for at, processed in enumerate(MANY[:20])
    ]
    play = ingested(*MANY)
    listed = [*after, *MANY[20:100]]
    play.asked(*listed, key="k2", accept_removals=True).ready(*after)
    unchanged(play, *MANY[20:100]).to_the_end()
    own = {envelope.event_id: envelope.event for envelope in play.written}
    before, rest = play.order[:cut], play.order[cut:]
    state = RUN_CONTROL.open(MemoryTables())
    inputs = [envelope for envelope in before if envelope.event_id not in own]
    for envelope in [e for e in before if e.event_id in own] + inputs[: max(0, len(inputs) - lost)]:
        RUN_CONTROL.evolve(state, Record("t", 0, 0, b"", envelope))
    for envelope in [*inputs, *(e for e in rest if e.event_id not in own)]:
        RUN_CONTROL.evolve(state, Record("t", 0, 0, b"", envelope))
        while decision := RUN_CONTROL.decide(state):
            marker = decision.commit_record
            assert marker.event == own[marker.event_id]
            RUN_CONTROL.evolve(state, Record("t", 0, 0, b"", marker))
