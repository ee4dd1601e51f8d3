"""A changed source that no run of its trigger reads is read again by itself, and alone."""

from typing import Any

from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import BatchPlanned, RunStarted, RunStopped
from tests.run_control.play import Play, a_chunk, a_source, chunks_read

README = a_source("README.md", 1, tier=1)
FIRST = [README, a_source("a.py"), a_source("b.py"), a_source("c.py")]


def again(path: str, key: str = "k2", **more: Any) -> SourceProcessed:
    """The source with its second chunk changed."""
    chunks = [a_chunk(path, 0), a_chunk(path, 1, chunk_id=f"chk_{path}_new", text_hash="new")]
    fields = {"revision_seq": 2, "trigger_key": key, "chunks": chunks}
    return a_source(path, content=f"{path} again").model_copy(update=fields | more)


def unchanged(processed: SourceProcessed, key: str = "k2") -> SourceProcessed:
    return processed.model_copy(update={"trigger_key": key, "outcome": "unchanged"})


def read_once(*sources: SourceProcessed) -> Play:
    play = Play().asked(*sources, lanes=["deep"]).ready(*sources)
    play.to_the_end()
    return play


def rereads(play: Play) -> list[RunStarted]:
    events = [envelope.event for envelope in play.written]
    return [
        each for each in events if isinstance(each, RunStarted) and each.trigger == "stale_evidence"
    ]


def test_a_preview_leaves_the_changed_source_to_a_run_of_its_own():
    play = read_once(*FIRST)
    now = [unchanged(README), unchanged(FIRST[1]), again("b.py"), unchanged(FIRST[3])]
    decided = play.asked(*now, key="k2", lanes=["preview"]).ready(*now).to_the_end()
    (run,) = rereads(play)
    assert (run.trigger_key, run.source_ids) == ("reingest:src_b.py:2", ["src_b.py"])
    assert chunks_read(decided) == ["chk_b.py_new"]
    (batch,) = [each for each in decided if isinstance(each, BatchPlanned)]
    assert (batch.run_id, batch.hint.decision_rule) == (run.run_id, "delta")
    assert [change.kind for change in batch.source_changes] == ["revised"]
    assert [each.reason_code for each in batch.hint.candidate_chunks] == ["stale_evidence"]
    assert [stop.run_id for stop in decided if isinstance(stop, RunStopped)][-1] == run.run_id


def test_a_run_with_a_target_leaves_what_lies_behind_it_too_one_run_a_source():
    play = read_once(*FIRST)
    now = [unchanged(README), again("a.py"), unchanged(FIRST[2]), again("c.py")]
    asking = {"coverage_target": "mandatory"}
    play.asked(*now, key="k2", lanes=["deep"], asking=asking).ready(*now).to_the_end()
    one, other = rereads(play)
    assert (one.source_ids, other.source_ids) == (["src_a.py"], ["src_c.py"])
    assert one.basis_seq < other.basis_seq


def test_a_run_that_reads_all_it_lists_leaves_nothing_to_read_again():
    play = read_once(*FIRST)
    now = [unchanged(README), again("a.py"), again("b.py"), unchanged(FIRST[3])]
    play.asked(*now, key="k2").ready(*now).to_the_end()
    assert rereads(play) == []


def test_what_has_no_evidence_yet_and_what_failed_are_left_alone():
    play = read_once(README)
    play.asked(*FIRST, key="k2", lanes=["preview"], asking={"coverage_target": "tier1"})
    later = [each.model_copy(update={"trigger_key": "k2"}) for each in FIRST]
    play.ready(*later).to_the_end()
    now = [unchanged(README, "k3"), again("a.py", "k3"), again("b.py", "k3"), again("c.py", "k3")]
    play.asked(*now, key="k3", lanes=["preview"]).ready(*now).to_the_end()
    assert rereads(play) == []

    play = read_once(*FIRST)
    poison: dict[str, Any] = {"outcome": "skipped", "skip_reason": "poison", "chunks": []}
    now = [unchanged(README), again("a.py", **poison), *map(unchanged, FIRST[2:])]
    play.asked(*now, key="k2", lanes=["preview"]).ready(*now).to_the_end()
    assert rereads(play) == []


def test_a_source_without_anything_to_read_gives_its_evidence_back():
    play = read_once(*FIRST)
    binary: dict[str, Any] = {
        "outcome": "skipped",
        "skip_reason": "binary",
        "chunks": [],
        "sanitized_hash": None,
    }
    now = [unchanged(README), again("a.py", **binary), *map(unchanged, FIRST[2:])]
    decided = play.asked(*now, key="k2", lanes=["preview"]).ready(*now).to_the_end()
    (run,) = rereads(play)
    assert run.source_ids == ["src_a.py"]
    assert chunks_read(decided) == []
    told = [
        change
        for each in decided
        if isinstance(each, BatchPlanned)
        for change in each.source_changes
    ]
    assert [(change.kind, change.new_hash) for change in told] == [("revised", None)]


def test_it_waits_for_its_source_and_repeats_nothing():
    play = read_once(*FIRST)
    now = [unchanged(README), again("a.py"), again("b.py"), unchanged(FIRST[3])]
    play.asked(*now, key="k2", lanes=["preview"]).ready(now[0], now[2])
    play.to_the_end()
    assert rereads(play) == []
    play.ready(now[1]).to_the_end()
    assert [run.source_ids for run in rereads(play)] == [["src_a.py"], ["src_b.py"]]
    play.ready(*now).to_the_end()
    assert len(rereads(play)) == 2


def test_a_copy_of_what_the_source_said_is_read_in_its_place():
    copy = a_source("z.py", content="a.py")
    play = read_once(*FIRST, copy)
    now = [unchanged(README), again("a.py"), *map(unchanged, FIRST[2:]), unchanged(copy)]
    decided = play.asked(*now, key="k2", lanes=["preview"]).ready(*now).to_the_end()
    (run,) = rereads(play)
    assert run.source_ids == ["src_a.py", "src_z.py"]
    assert chunks_read(decided) == ["chk_a.py_new", "chk_z.py_0", "chk_z.py_1"]
