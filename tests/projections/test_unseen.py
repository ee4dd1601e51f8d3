"""Neither recall nor answers drop unnoticed on projects that nobody tuned on.

Search has to have a right place among its first hits by words, and the small reader has to choose a
right sentence first.

The projects and who may look at their lists: ``tests/reading/recall``. They are source
distributions, which pip fetches once; a run that cannot fetch them fails. Each is read once for
both measures, because reading is what takes the time. The short form reads one of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from infra.measure.gold import read_gold
from infra.measure.recall import HEADLINES, Recall, score
from infra.measure.whole import ORDER, fold_outcome, run_stages
from infra.platform.settings import Settings
from infra.runtime.local.reader_files import fetch_reader
from infra.service.foundation.small_reader import SmallReader, load_model
from projections.read.search import HitQuote, search_ledger
from projections.read.search_answer import answer_question
from projections.read.search_sentences import Sentence
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.reading.recall.measuring import ALL, COMMAND, projects, read_figures
from tests.reading.recall.sources import fetch_documents, read_source

# Of one project, or of all: how far a figure may drop, questions, those that search answers by
# words, and those that the first sentence answers, as measured.
SMALLEST = "datalad"
FORMS = {SMALLEST: (0.05, 10, 5, 2), ALL: (0.02, 50, 31, 20)}
FIRST_HITS = 3
FEWER = 2  # questions
PATIENCE_S = 60.0  # a slow machine gives the same order


@pytest.mark.slow
@pytest.mark.parametrize("form", [SMALLEST, pytest.param(ALL, marks=pytest.mark.long)])
def test_neither_recall_nor_answers_drop(model: ReadModel, cache: Path, form: str):
    fetch_reader(Settings(cache=cache), print)
    reader = SmallReader(partial(load_model, cache), budget_s=PATIENCE_S)
    total, answered, told = Recall(), list[bool](), list[bool]()
    for lists in projects():
        if form not in (ALL, lists.name):
            continue
        folder = fetch_documents(read_source(lists), cache)
        driver = run_stages(folder)
        total.add(score(read_gold(lists, folder), fold_outcome(driver)))
        model.emptied().fold(records_in(driver))
        answered += [is_answered(model, question) for question in answerable(lists)]
        told += [is_told(model, question, reader) for question in answerable(lists)]

    drop, questions, known, told_before = FORMS[form]
    recorded, found = read_figures()[form], total.figures
    worse = [
        f"{name}: {found[name]:.3f}, recorded {recorded[name]:.3f}"
        for name in HEADLINES
        if name in recorded and recorded[name] - found[name] > drop
    ]
    assert not worse, f"{'; '.join(worse)}. Where this is right, record anew with `{COMMAND}`."
    assert len(answered) == questions
    assert sum(answered) >= known - FEWER, f"{sum(answered)} of {questions} are answered"
    assert sum(told) >= told_before - FEWER, f"of {questions} a sentence answers {sum(told)}"


def answerable(lists: Path) -> Iterator[dict[str, Any]]:
    """The questions to which the project holds an answer."""
    for line in (lists / "questions.jsonl").read_text().splitlines():
        question = json.loads(line)
        if question["answered"]:
            yield question


def is_answered(model: ReadModel, question: dict[str, Any]) -> bool:
    answer = search_ledger(
        model.connection, ORDER.project_id, question["question"], limit=FIRST_HITS
    )
    quotes = [quote for hit in answer.hits for quote in hit.evidence]
    return any(is_at(place, quote) for quote in quotes for place in question["answers"])


def is_told(model: ReadModel, question: dict[str, Any], reader: SmallReader) -> bool:
    answer = answer_question(model.connection, ORDER.project_id, question["question"], judge=reader)
    first = answer.sentences[:1]
    return any(is_at(place, sentence) for sentence in first for place in question["answers"])


def is_at(place: dict[str, Any], quote: HitQuote | Sentence) -> bool:
    first, last = int(place["line_start"]), int(place["line_end"])
    same = quote.path == place["path"]
    return same and quote.line_start <= last and quote.line_end >= first
