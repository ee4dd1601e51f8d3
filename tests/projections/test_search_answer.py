"""A question is answered by the sentence that says it, with its line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from infra.measure.whole import ORDER, run_stages
from infra.service.foundation.small_reader import Score, SmallReader
from projections.read.search import Answer, Filters
from projections.read.search_answer import ANSWERS, answer_question
from projections.read.search_sentences import Place, choose_sentences, sentences_of
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in

RETURNS = """# Returns

The depot keeps each parcel on a shelf. Nobody collects it within seven days: it goes back. The
sender pays for the way.

The shelf of a parcel has a number. The number stands on the label.
"""
HOW_LONG = "How long does the depot keep a parcel?"


def prefer(words: str, score: float = 5.0) -> Score:
    return lambda question, text: score if words in text else ANSWERS - 1.0


@pytest.fixture
def ask(model: ReadModel, tmp_path: Path) -> Callable[..., Answer]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "returns.md").write_text(RETURNS)
    model.fold(records_in(run_stages(tmp_path)))

    def answer(question: str, score: Score | None, filters: Filters | None = None) -> Answer:
        reader = SmallReader(lambda: score) if score else None
        project_id = ORDER.project_id
        return answer_question(model.connection, project_id, question, filters, judge=reader)

    return answer


def test_the_sentence_that_answers_comes_with_its_line(ask: Callable[..., Answer]):
    answer = ask(HOW_LONG, prefer("seven days"))
    first = answer.sentences[0]
    assert first.snippet == "Nobody collects it within seven days: it goes back."
    assert (first.path, first.line_start, first.line_end) == ("docs/returns.md", 3, 3)
    assert answer.coverage == "fulltext"


def test_without_a_reader_the_words_choose_the_sentence(ask: Callable[..., Answer]):
    answer = ask(HOW_LONG, None)
    assert answer.sentences[0].snippet == "The depot keeps each parcel on a shelf."
    assert answer.sentences[0].score is None


def test_what_no_sentence_answers_is_covered_weakly(ask: Callable[..., Answer]):
    answer = ask(HOW_LONG, prefer("nothing at all"))
    assert answer.coverage == "weak"
    assert answer.sentences == []
    assert answer.hits


def test_a_sentence_in_other_words_is_an_answer(ask: Callable[..., Answer]):
    question = "Which fee is due when a parcel travels home again unclaimed, and by whom?"
    assert ask(question, None).coverage == "weak"
    answer = ask(question, prefer("sender pays"))
    assert answer.coverage == "fulltext"
    assert answer.sentences[0].snippet == "The sender pays for the way."
    assert (answer.sentences[0].line_start, answer.sentences[0].line_end) == (3, 4)


def test_filters_are_answered_by_what_they_ask_for(ask: Callable[..., Answer]):
    filters = Filters(statuses=("active", "draft"))
    by_words = ask("parcel", None, filters)
    assert ask("parcel", prefer("nothing at all"), filters).coverage == by_words.coverage


def test_a_passage_is_told_by_the_sentence_that_fits(ask: Callable[..., Answer]):
    answer = ask("What stands on the label?", None)
    sentences = [hit.sentence.snippet for hit in answer.hits if hit.sentence]
    assert all(hit.sentence for hit in answer.hits if hit.passage_id)
    assert not any(sentence.startswith("#") for sentence in sentences)


def place(text: str, heading: str = "Databases") -> Place:
    return Place("psg_1", "src_1", heading, "db.md", 10, text)


def test_a_sentence_that_announces_a_list_is_told_with_it():
    text = "## Databases\n\nWe test these databases:\n\n- SQLite, for small ones\n- PostgreSQL\n"
    sentences = list(sentences_of(place(text)))
    assert [each.snippet for each in sentences] == [
        "We test these databases: SQLite, for small ones; PostgreSQL",
        "SQLite, for small ones",
    ]
    assert [(each.line_start, each.line_end) for each in sentences] == [(12, 15), (14, 14)]


def test_an_announced_list_ends_where_there_is_no_room():
    items = "".join(f"- item {number} of the list, which is long\n" for number in range(50))
    first = next(sentences_of(place(f"These are the items:\n{items}")))
    assert len(first.snippet) <= 500
    assert first.snippet.startswith("These are the items: item 0 of the list")
    assert first.line_end < 60


@pytest.mark.parametrize("text", ["", "\n\n", "# A heading\n", "- \n- \n", "|---|---|\n", "Short."])
def test_a_text_without_a_sentence_has_none(text: str):
    assert list(sentences_of(place(text))) == []


def test_a_sentence_of_a_better_place_comes_first_among_equals():
    places = [
        place("The second shelf is red today.", "One"),
        place("The third shelf is red today.", "Two"),
    ]
    read = choose_sentences("Which shelf?", places, SmallReader(partial(prefer, "shelf")), 5)
    assert [each.snippet for each in read] == [each.text for each in places]


def test_a_sentence_that_stands_twice_is_told_once():
    places = [place("The shelf is red today."), place("The shelf is red today.", "Again")]
    assert len(choose_sentences("Which shelf?", places, None, 5)) == 1


def test_a_sentence_that_stands_twice_keeps_the_better_place():
    places = [
        place("The shelf is red today. The lamp is green."),
        place("The shelf is red today.", "Again"),
    ]
    read = choose_sentences("Is the shelf red?", places, SmallReader(partial(prefer, "shelf")), 5)
    assert [each.snippet for each in read] == ["The shelf is red today.", "The lamp is green."]
