"""A verdict that is made when a dead letter is retried still reaches the ledger."""

from __future__ import annotations

from schemas.events.atom import AtomReflected, Reading
from schemas.events.judgement import PairJudged
from schemas.events.ledger_retry import LedgerRetryRequested
from streams.ledger.judging import judge_again
from streams.reflection.adjudication import decide_again, decide_by_rule
from streams.reflection.adjudication import give_up as give_up_verdicts
from tests.ledger.story import Chunk, a_run, fact, judged, story

TITLE = "The queue keeps its messages for seven days"
READING = Reading(
    run_id="run_t1_deep",
    batch_no=0,
    position=1,
    lane="deep",
    chunk_id="c1",
    source_id="src_a",
    sanitized_hash="h1",
    structure_path=["Overview"],
    outcome="extracted",
    extractor_version="h1",
)


def test_a_verdict_of_a_retry_takes_the_place_of_the_draft() -> None:
    borderline = judged(TITLE)
    reflected = AtomReflected(reading=READING, adjudicate=[borderline], reflection_version="f1")
    [given_up] = give_up_verdicts(fact(reflected, "r").envelope, None, "IndexError")
    told = story(a_run(Chunk("c1", [given_up.judged])))  # type: ignore[attr-defined]
    assert told.atom(TITLE).status == "draft"

    [again] = decide_again(decide_by_rule(reflected), "dlq_1")
    told.play([fact(again, "retry")])

    assert told.atom(TITLE).status == "active"
    assert told.change_sets[-1].turn is None
    assert told.asked[-1].event.dead_letter_id == "dlq_1"  # type: ignore[attr-defined]


def test_what_a_retry_rejects_is_not_taken_in() -> None:
    reflected = AtomReflected(reading=READING, adjudicate=[judged(TITLE)], reflection_version="f1")
    [verdict] = decide_by_rule(reflected)
    rejected = verdict.judged.model_copy(update={"status": "rejected"})
    [again] = decide_again([verdict.model_copy(update={"judged": rejected})], "dlq_1")
    assert isinstance(again, LedgerRetryRequested)
    assert again.accepted == []


def test_an_answer_about_a_pair_goes_to_the_ledger_too() -> None:
    answer = PairJudged(
        run_id="run_1", batch_no=2, atom_a_id="a", atom_b_id="b", decided_by="model", conflict=True
    )
    [again] = judge_again([answer], "dlq_1")
    assert isinstance(again, LedgerRetryRequested)
    assert (again.judged, again.turn.kind, again.turn.batch_no) == ([answer], "pairs", 2)
    assert judge_again([], "dlq_1") == []
