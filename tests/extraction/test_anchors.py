"""Our code cuts the span of a quote: exactly, nearly, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.extraction.anchors import Anchors, Cut
from agents.extraction.sentences import number_sentences
from tests.reading.documents import a_chunk

TEXT = (
    "The queue keeps every order for a day. A retry waits\n  thirty seconds. "
    "The worker must retry twice. The mailer must retry twice."
)


def anchors(text: str = TEXT) -> Anchors:
    return Anchors(text, number_sentences(a_chunk(text)))


def cut(numbers: list[int], quote: str, held: Anchors | None = None):
    held = held or anchors()
    found = held.cut(numbers, quote)
    return found and (held.text[slice(*found.span)], found.evidence_type)


def test_exact_words_of_a_named_sentence_give_the_whole_sentence_as_direct():
    assert cut([1], "keeps every order") == ("The queue keeps every order for a day.", "direct")


def test_line_breaks_and_marks_nobody_sees_do_not_matter():
    assert cut([2], "waits thirty seconds") == ("A retry waits\n  thirty seconds.", "direct")
    held = anchors("The que\u200bue keeps 😀 every order.")
    assert cut([1], "The queue keeps 😀", held) == (
        "The que\u200bue keeps 😀 every order.",
        "direct",
    )


def test_a_wrong_number_is_corrected_when_the_words_stand_only_once():
    assert cut([3], "keeps every order") == ("The queue keeps every order for a day.", "direct")
    assert cut([99, 0, -1], "keeps every order") == cut([3], "keeps every order")


def test_words_that_stand_elsewhere_more_than_once_prove_nothing():
    assert cut([1], "must retry twice") is None


def test_repeats_take_one_place_after_the_other():
    held = anchors()
    found = [cut([3, 4], "must retry twice", held) for _ in range(3)]
    worker, mailer = "The worker must retry twice.", "The mailer must retry twice."
    assert found == [(worker, "direct"), (mailer, "direct"), (mailer, "direct")]


def test_words_that_are_only_alike_leave_the_row_inferred():
    said = "The queue keeps each order for a day"
    assert cut([1], said) == ("The queue keeps every order for a day.", "inferred")


def test_words_that_stand_nowhere_give_no_row():
    assert cut([1], "orders are deleted at once by the janitor") is None
    assert cut([1], "") is None
    assert cut([1], "queues") is None


def test_a_quote_cuts_no_word():
    assert cut([1], "eeps every orde") is None


def test_named_sentences_that_adjoin_the_quote_go_with_it():
    assert cut([1, 2], "keeps every order") == (TEXT[: TEXT.index(" The worker")], "direct")
    assert cut([1, 4], "keeps every order") == ("The queue keeps every order for a day.", "direct")


@pytest.mark.parametrize(
    ("number", "quote", "found"),
    [
        (3, "must", ("The worker must retry twice.", "inferred")),  # the mailer must, too
        (3, "retry twice", ("The worker must retry twice.", "inferred")),
        (3, "worker", ("The worker must retry twice.", "direct")),  # stands nowhere else
        (1, "worker", None),
        (3, "...", None),
        (3, "The worker must", ("The worker must retry twice.", "direct")),
    ],
)
def test_few_words_prove_a_sentence_only_where_they_stand_nowhere_else(
    number: int, quote: str, found: tuple[str, str] | None
):
    assert cut([number], quote) == found


def test_half_of_a_short_sentence_and_the_name_of_a_thing_are_enough():
    held = anchors("Retry twice. Wait for the worker. Then retry all orders of the worker.")
    assert cut([1], "Retry twice", held) == ("Retry twice.", "direct")
    assert held.cut([2], "worker", is_name=True) == Cut((13, 33), "direct")
    assert held.cut([2], "worker") == Cut((13, 33), "inferred")


WORDS = st.lists(st.sampled_from(["gate", "keeps", "every", "key", "may", "lose"]), min_size=4)


@given(st.lists(WORDS, min_size=1, max_size=5), st.data())
def test_a_direct_span_holds_its_quote_and_is_made_of_whole_sentences(words, data):
    texts = [f"{' '.join(each)}.".capitalize() for each in words]
    held = anchors("\n\n".join(texts))
    number = data.draw(st.integers(1, len(texts)))
    said = texts[number - 1].split()
    first = data.draw(st.integers(0, len(said) - 3))
    quote = " ".join(said[first : data.draw(st.integers(first + 3, len(said)))])
    found = held.cut([number], quote)
    assert found == Cut(held.sentences[number - 1], "direct")
    assert quote in held.text[slice(*found.span)]
