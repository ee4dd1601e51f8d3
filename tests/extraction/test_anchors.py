"""Our code cuts the span of a quote: exactly, nearly, or not at all."""

from hypothesis import given
from hypothesis import strategies as st

from agents.extraction.anchors import Anchors
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
    assert cut([99, 0, -1], "keeps every order") is not None


def test_words_that_stand_elsewhere_more_than_once_prove_nothing():
    assert cut([1], "must retry twice") is None


def test_repeats_take_one_place_after_the_other():
    held = anchors()
    found = [cut([3, 4], "must retry twice", held) for _ in range(3)]
    assert [it and it[0][:10] for it in found] == ["The worker", "The mailer", "The mailer"]


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


@given(st.text(max_size=120), st.lists(st.integers(-2, 6), max_size=4), st.data())
def test_a_direct_span_holds_the_quote_whatever_the_text(text, numbers, data):
    held = anchors(text)
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    found = held.cut(numbers, quote)
    if found is not None:
        begin, end = found.span
        assert 0 <= begin < end <= len(text)
