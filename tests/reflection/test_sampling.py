"""A sample of a model's sure statements is sent for a verdict, too; the same one in every run."""

from __future__ import annotations

from schemas.events.atom import AtomReflected
from streams.reflection import reflect
from tests.reading.documents import a_chunk
from tests.reflection.builders import a_candidate, a_reading, a_row, codes

TIDE = "The tide table is printed for every berth."
CHUNK = a_chunk(TIDE)
MANY = [
    a_candidate(a_row(TIDE, chunk=CHUNK), confidence=0.9).model_copy(
        update={"candidate_id": f"cnd_{number}"}
    )
    for number in range(400)
]


def drawn(percent: float, *, engine: str = "model", position: int = 1) -> AtomReflected:
    asked = a_reading(*MANY, engine=engine)
    reading = asked.reading.model_copy(update={"position": position, "batch_size": 10})
    asked = asked.model_copy(update={"reading": reading})
    return reflect(asked, CHUNK, engine == "model", percent)


def ids(reflected: AtomReflected) -> list[str]:
    return [it.candidate.candidate_id for it in reflected.adjudicate]


def test_none_all_or_about_the_share_is_drawn():
    assert ids(drawn(0)) == []
    assert len(ids(drawn(100))) == len(MANY)
    assert 20 <= len(ids(drawn(10))) <= 60


def test_a_replay_draws_the_same_and_a_larger_share_draws_more():
    assert ids(drawn(10)) == ids(drawn(10))
    assert set(ids(drawn(10))) < set(ids(drawn(30)))


def test_a_sampled_candidate_is_marked_and_keeps_its_status():
    (one, *_) = drawn(100).adjudicate
    assert codes(one)[-2:] == ["accepted", "sampled"]
    assert one.status == "active"


def test_no_candidate_is_sampled_without_a_model_to_ask():
    assert ids(drawn(100, position=3)) == []
    assert ids(drawn(100, engine="heuristic")) == []


def test_rejected_and_borderline_candidates_are_not_sampled():
    doubtful = a_candidate(a_row(TIDE, chunk=CHUNK), confidence=0.65)
    poor = a_candidate(a_row(TIDE, chunk=CHUNK), confidence=0.2)
    result = reflect(a_reading(doubtful, poor), CHUNK, True, 100)
    (one,) = result.adjudicate
    assert "sampled" not in codes(one)
    assert len(result.rejected) == 1
