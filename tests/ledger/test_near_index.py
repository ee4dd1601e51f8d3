"""The index nominates all that can reach the lower threshold, and does not remember its past."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from streams.ledger.likeness.near_index import MAX_COMPARED, MIN_JACCARD, NearIndex

WORDS = [f"w{n}" for n in range(14)]
TEXTS = st.lists(st.sets(st.sampled_from(WORDS), min_size=1, max_size=9), min_size=1, max_size=30)


def index_of(texts: list[set[str]]) -> NearIndex:
    index = NearIndex()
    for at, words in enumerate(texts):
        index.add(f"atm_{at:03d}", "claim", None, words)
    return index


def nominated(index: NearIndex, words: set[str]) -> dict[str, float]:
    return {each.atom_id: each.jaccard for each in index.near(words)}


@settings(max_examples=200)
@given(texts=TEXTS, asked=st.sets(st.sampled_from(WORDS), min_size=1, max_size=9))
def test_nothing_alike_enough_is_missed(texts: list[set[str]], asked: set[str]):
    expected = {}
    for at, words in enumerate(texts):
        jaccard = len(words & asked) / len(words | asked)
        if jaccard >= MIN_JACCARD:
            expected[f"atm_{at:03d}"] = jaccard
    assert nominated(index_of(texts), asked) == expected


@settings(max_examples=100)
@given(texts=TEXTS, gone=st.sets(st.integers(0, 29)))
def test_what_was_forgotten_and_the_order_of_adding_leave_no_trace(
    texts: list[set[str]], gone: set[int]
):
    left = index_of(texts)
    for at in sorted(gone & set(range(len(texts)))):
        left.remove(f"atm_{at:03d}", texts[at])
    fresh = NearIndex()
    for at in reversed(range(len(texts))):
        if at not in gone:
            fresh.add(f"atm_{at:03d}", "claim", None, texts[at])
    for words in texts:
        assert nominated(left, words) == nominated(fresh, words)


def test_of_too_many_the_same_are_compared_whatever_was_forgotten():
    texts = [{WORDS[at % 14], WORDS[at % 11], WORDS[at % 3], f"x{at}"} for at in range(4_000)]
    left, fresh = index_of(texts), NearIndex()
    for at in reversed(range(4_000)):
        if at % 4:
            fresh.add(f"atm_{at:03d}", "claim", None, texts[at])
        else:
            left.remove(f"atm_{at:03d}", texts[at])
    found = [nominated(left, words) for words in texts[::9]]
    assert found == [nominated(fresh, words) for words in texts[::9]]
    assert 0 < max(len(each) for each in found) <= MAX_COMPARED


def test_an_atom_that_comes_back_is_found_once():
    index = index_of([{"a", "b"}])
    index.remove("atm_000", {"a", "b"})
    assert index.near({"a", "b"}) == []
    index.add("atm_000", "claim", None, {"a", "b"})
    assert nominated(index, {"a", "b"}) == {"atm_000": 1.0}


def test_what_is_alike_is_found_though_every_word_is_common():
    drawn = Random(1)
    common = [f"w{n}" for n in range(200)]
    texts = [set(drawn.sample(common, 10)) for _ in range(8_000)]
    index = index_of(texts)
    for at in range(0, 8_000, 80):
        *kept, _ = sorted(texts[at])
        for instead in (drawn.choice(common), "said for the first time"):
            assert f"atm_{at:03d}" in nominated(index, {*kept, instead})
