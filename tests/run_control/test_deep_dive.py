"""What is unread around a high contradiction is read before a run may call its target covered."""

from typing import Any

import pytest

from schemas.events.ingestion import BatchPlanned, DeepDiveQueued, RunStarted, RunStopped
from schemas.events.ledger import ContradictionRecord, EntityMention, EvidenceRow
from streams.hygiene.chunk import word_hashes
from tests.run_control.play import Play, a_chunk, a_source, chunks_read


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def evidence(atom: str, source: str, chunk: str) -> EvidenceRow:
    return EvidenceRow(
        evidence_id=f"evd_{atom}_{chunk}",
        atom_id=atom,
        source_id=f"src_{source}",
        sanitized_hash="h",
        chunk_id=chunk,
        char_start=0,
        char_end=9,
        line_start=1,
        line_end=1,
        snippet="said here",
        evidence_type="direct",
        run_id="r",
    )


def a_dispute(seq: int = 1, **more) -> ContradictionRecord:
    fields: dict[str, Any] = {
        "contradiction_id": "ctr_1",
        "atom_a_id": "atm_a",
        "atom_b_id": "atm_b",
        "contradiction_type": "body_conflict",
        "severity": "high",
        "opened_seq": seq,
        "updated_seq": seq,
    }
    return ContradictionRecord(**fields | more)


def told(chunk_a="chk_README.md_0", chunk_b="chk_README.md_1", **more) -> dict[str, Any]:
    """What a change set says that opens a contradiction between two passages of the README."""
    source_a, source_b = chunk_a.split("_")[1], chunk_b.split("_")[1]
    return {
        "contradictions": [a_dispute(**more)],
        "evidence": [
            evidence("atm_a", source_a, chunk_a),
            evidence("atm_b", source_b, chunk_b),
        ],
        "mentions": [
            EntityMention(atom_id=atom, entity_atom_id="atm_gw", mention="gateway")
            for atom in ("atm_a", "atm_b")
        ],
    }


def naming(path: str, at: int, words: str, **more):
    return a_chunk(path, at, words=word_hashes(words), **more)


def with_chunks(path: str, *chunks, **more):
    return a_source(path, chunks=0, **more).model_copy(update={"chunks": list(chunks)})


README = a_source("README.md", 2, tier=1)
CODE = with_chunks(
    "gw.py", naming("gw.py", 0, "opens the gateway"), naming("gw.py", 1, "counts parcels")
)


def a_preview(*sources, **limits) -> tuple[Play, RunStarted, list[BatchPlanned]]:
    play = Play().asked(*sources, lanes=["preview"], **limits).ready(*sources)
    decided = play.when()
    return play, of(RunStarted, decided)[0], of(BatchPlanned, decided)


def test_a_high_contradiction_is_read_around_before_the_target_counts_as_covered():
    play, run, (first,) = a_preview(README, CODE)
    play.ledger_applies(first, **told())
    decided = play.when()
    (dive,), (batch,) = of(DeepDiveQueued, decided), of(BatchPlanned, decided)
    assert of(RunStopped, decided) == []
    assert (dive.contradiction_id, dive.run_id) == ("ctr_1", run.run_id)
    assert dive.chunk_ids == batch.hint.selected_chunk_ids == ["chk_gw.py_0"]
    assert batch.hint.decision_rule == "contradiction_deep_dive"
    shown = batch.hint.candidate_chunks[0]
    assert (shown.reason_code, shown.expected_value_score >= 0.95) == (
        "contradiction_context",
        True,
    )
    assert batch.basis_seq == dive.basis_seq == 2
    play.ledger_applies(batch)
    (stop,) = of(RunStopped, play.when())
    assert stop.stop_reason == "mandatory_set_covered"
    assert stop.unfinished_sources == ["src_gw.py"]


def test_a_low_or_closed_contradiction_delays_nothing():
    for changed in ({"severity": "medium"}, {"status": "resolved"}):
        play, _, (first,) = a_preview(README, CODE)
        play.ledger_applies(first, **told(**changed))
        assert len(of(RunStopped, play.when())) == 1


def test_a_contradiction_is_dived_into_once_for_each_change_of_it():
    code = with_chunks("gw.py", *(naming("gw.py", at, "the gateway") for at in range(30)))
    play, _, (first,) = a_preview(README, code, planned_ahead=1)
    play.ledger_applies(first, **told())
    dives, batches = of(DeepDiveQueued, play.when()), of(BatchPlanned, play_facts(play))[1:]
    assert [len(dive.chunk_ids) for dive in dives] == [20]
    play.ledger_applies(batches[0], contradictions=[a_dispute(seq=play.seq + 16)])
    (again,) = of(DeepDiveQueued, play.when())
    assert again.updated_seq > dives[0].updated_seq
    assert set(again.chunk_ids).isdisjoint(batches[0].hint.selected_chunk_ids)


def test_those_of_one_change_set_are_dived_into_by_id_as_after_a_restart():
    code = with_chunks("gw.py", *(naming("gw.py", at, "the gateway") for at in range(30)))
    play, _, (first,) = a_preview(README, code, planned_ahead=1)
    changed = told()
    two = [a_dispute(contradiction_id=name) for name in ("ctr_2", "ctr_1")]
    play.ledger_applies(first, **changed | {"contradictions": two})
    dives = of(DeepDiveQueued, play.when())
    assert [dive.contradiction_id for dive in dives] == ["ctr_1", "ctr_2"]


def play_facts(play: Play) -> list[Any]:
    return [envelope.event for envelope in play.written]


def test_when_everything_around_is_read_it_is_told_and_the_run_ends():
    play, _, (first,) = a_preview(README)
    play.ledger_applies(first, **told())
    decided = play.when()
    (dive,) = of(DeepDiveQueued, decided)
    assert dive.chunk_ids == []
    assert decided.index(dive) < decided.index(of(RunStopped, decided)[0])


def test_the_neighbours_of_the_evidence_come_before_what_names_the_entity():
    notes = with_chunks(
        "notes.md",
        *(a_chunk("notes.md", at) for at in range(6)),
        *(naming("notes.md", at, "gateway") for at in (6, 7, 8)),
    )
    play = Play().asked(README, notes, lanes=["deep"], batch_size=2, planned_ahead=0, horizon=1)
    (first,) = of(BatchPlanned, play.ready(README, notes).when())
    assert first.hint.selected_chunk_ids == ["chk_README.md_0", "chk_README.md_1"]
    play.ledger_applies(first)
    (second,) = of(BatchPlanned, play.when())
    assert second.hint.selected_chunk_ids == ["chk_notes.md_6", "chk_notes.md_7"]
    play.ledger_applies(second, **told("chk_notes.md_4", "chk_README.md_1"))
    (dive,) = of(DeepDiveQueued, play.when())
    assert dive.chunk_ids == [
        "chk_notes.md_2",
        "chk_notes.md_3",
        "chk_notes.md_4",
        "chk_notes.md_5",
        "chk_notes.md_8",
    ]


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_limit_outranks_the_dive(ahead):
    play, _, (first,) = a_preview(README, CODE, max_chunks_per_run=2, planned_ahead=ahead)
    play.ledger_applies(first, **told())
    decided = play.when()
    (stop,) = of(RunStopped, decided)
    assert stop.stop_reason == "max_chunks_per_run"
    assert of(DeepDiveQueued, decided) == []
    assert chunks_read(decided) == []


def test_a_preview_leaves_what_lies_behind_its_target_to_its_deep_run():
    play = Play().asked(README, CODE, batch_size=1, planned_ahead=0).ready(README, CODE)
    done = play.when()
    preview = of(RunStarted, done)[0]
    while not of(RunStopped, done):
        first = next(
            batch
            for batch in of(BatchPlanned, play_facts(play))
            if batch.run_id == preview.run_id
            and (preview.run_id, batch.batch_no) not in play.in_ledger
        )
        play.ledger_applies(first, **(told() if first.batch_no else {}))
        done = play.when()
    assert [dive.chunk_ids for dive in of(DeepDiveQueued, done)] == [[]]


def test_a_contradiction_that_a_person_changes_between_runs_gets_a_run_of_its_own():
    play, _, (first,) = a_preview(README, CODE)
    play.ledger_applies(first, **{**told(), "contradictions": []})
    (stop,) = of(RunStopped, play.when())
    play.ledger_ends(stop)
    assert play.when() == []
    play.ledger_decides(contradictions=[a_dispute()])
    decided = play.when()
    (run,), (dive,) = of(RunStarted, decided), of(DeepDiveQueued, decided)
    assert (run.trigger, run.source_ids) == ("contradiction_deep_dive", ["src_gw.py"])
    assert chunks_read(decided) == dive.chunk_ids == ["chk_gw.py_0"]
    (ended,) = of(RunStopped, play.to_the_end())
    assert (ended.run_id, ended.stop_reason) == (run.run_id, "exhausted")


def test_a_person_who_changes_a_contradiction_while_a_run_lasts_makes_it_part_of_the_run():
    play, run, (first,) = a_preview(README, CODE, batch_size=1, planned_ahead=0)
    play.ledger_applies(first, **{**told(), "contradictions": []})
    play.ledger_decides(contradictions=[a_dispute()])
    done = play.to_the_end()
    assert [dive.run_id for dive in of(DeepDiveQueued, done)] == [run.run_id]
    assert len(of(RunStopped, done)) == 1
    assert "chk_gw.py_0" in chunks_read(done)
