"""Search answers plain questions about projects that nobody tuned on: the place is among the first
hits. The projects and who may look at the questions: ``tests/reading/recall``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.evaluation.whole import ORDER, run_stages
from projections.read.search import HitQuote, search_ledger
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.reading.recall.measuring import projects
from tests.reading.recall.sources import fetch_documents, read_source

FIRST_HITS = 3
ANSWERED = 31  # of 50 questions; measured here
DROP = 2  # questions


@pytest.mark.slow
def test_plain_questions_are_answered_among_the_first_hits(model: ReadModel, cache: Path):
    answered = [
        is_answered(model, question)
        for lists in projects()
        for question in ingest(model, lists, cache)
    ]
    assert len(answered) == 50
    assert sum(answered) >= ANSWERED - DROP, f"{sum(answered)} of 50 are answered"


def ingest(model: ReadModel, lists: Path, cache: Path) -> Iterator[dict[str, Any]]:
    """The answerable questions of a project, which the read model holds meanwhile."""
    folder = fetch_documents(read_source(lists), cache)
    model.emptied().fold(records_in(run_stages(folder)))
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


def is_at(place: dict[str, Any], quote: HitQuote) -> bool:
    first, last = int(place["line_start"]), int(place["line_end"])
    same = quote.path == place["path"]
    return same and quote.line_start <= last and quote.line_end >= first
