"""Short chunks share a call; contexts never meet; shares add up."""

from hypothesis import given
from hypothesis import strategies as st

from agents.extraction.packing import MOST_TOGETHER, Waiting, share, take_pack


def waiting(*tokens: int, context: str = "run") -> list[Waiting[int]]:
    return [Waiting(at, context, size) for at, size in enumerate(tokens)]


def test_short_chunks_share_a_call_up_to_eight():
    assert take_pack(waiting(*[100] * 20)) == list(range(MOST_TOGETHER))


def test_a_long_chunk_is_asked_about_alone():
    assert take_pack(waiting(900, 100)) == [0]
    assert take_pack(waiting(100, 900, 100)) == [0, 2]


def test_a_call_stays_within_what_it_may_hold():
    assert take_pack(waiting(*[400] * 8)) == list(range(6))


def test_chunks_of_another_run_or_state_wait():
    mixed = [Waiting(0, "a", 10), Waiting(1, "b", 10), Waiting(2, "a", 10)]
    assert take_pack(mixed) == [0, 2]
    assert take_pack([]) == []


@given(st.integers(0, 10**9), st.lists(st.integers(0, 5_000), min_size=1, max_size=8))
def test_shares_add_up(total, weights):
    parts = share(total, weights)
    assert sum(parts) == total
    assert all(part >= 0 for part in parts)
