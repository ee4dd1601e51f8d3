"""The order of search: what a reader scores highest comes first; without one, words decide."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from infra.measure.whole import ORDER, run_stages
from infra.platform.settings import Settings
from infra.runtime.local.reader_files import fetch_reader
from infra.service.foundation.small_reader import Score, SmallReader, load_model
from projections.read.search import search_ledger
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in

KEPT = "Parcels are returned after seven days."
TRAVELS = (
    "A customer can keep an eye on a long parcel: we show the customer how that parcel travels."
)
LABELS = "Labels of a parcel are printed for the customer in black on white paper."
HOW_LONG = "How long do we keep a parcel for a customer?"
DOCUMENTS = {
    "docs/returns.md": f"# Returns\n\n{KEPT}\n",
    "docs/tracking.md": f"# Tracking\n\n{TRAVELS}\n",
    "docs/labels.md": f"# Labels\n\n{LABELS}\n",
}


@pytest.fixture
def ask(model: ReadModel, tmp_path: Path) -> Callable[..., list[str]]:
    """The places of the hits to a question, by the documents that a test names."""
    folded = set[str]()

    def paths(question: str, reader: SmallReader | None, **documents: str) -> list[str]:
        if not folded:
            for path, text in (documents or DOCUMENTS).items():
                (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / path).write_text(text)
            model.fold(records_in(run_stages(tmp_path)))
            folded.add("all")
        found = search_ledger(model.connection, ORDER.project_id, question, judge=reader)
        return [hit.evidence[0].path or "" for hit in found.hits]

    return paths


def prefer(words: str) -> Score:
    return lambda question, text: float(words in text)


def fail(question: str, text: str) -> float:
    raise RuntimeError("The session is broken")


def test_what_the_reader_scores_highest_comes_first(ask: Callable[..., list[str]]):
    for words, path in (
        ("seven days", "docs/returns.md"),
        ("black on white", "docs/labels.md"),
        ("keep an eye", "docs/tracking.md"),
    ):
        assert ask(HOW_LONG, SmallReader(partial(prefer, words)))[0] == path


@pytest.mark.parametrize(
    ("reader", "reason"),
    [
        (SmallReader(lambda: None), None),
        (SmallReader(lambda: fail), "The session is broken"),
        (SmallReader(partial(prefer, "seven days"), budget_s=0.0), "It took more than"),
        (SmallReader(partial(load_model, Path("/nowhere"))), "is not there"),
    ],
    ids=["none", "failing", "late", "no files"],
)
def test_a_reader_that_cannot_answer_leaves_the_order_by_words(
    ask: Callable[..., list[str]], reader: SmallReader, reason: str | None
):
    by_words = ask(HOW_LONG, None)
    assert by_words[0] == "docs/tracking.md"
    with capture_logs() as logged:
        assert ask(HOW_LONG, reader) == ask(HOW_LONG, reader) == by_words
    assert [reason in line["reason"] for line in logged] == ([True] if reason else [])


def test_code_comes_after_prose_unless_the_question_names_an_identifier(
    ask: Callable[..., list[str]],
):
    documents = {
        "docs/retries.md": "# Retries\n\nA failed payment is tried again by the worker.\n",
        "src/retry.py": '"""A failed payment is tried again by maxRetries."""\n\n\n'
        "def retry(payment, maxRetries):\n    return payment\n",
    }
    prose = ask("When is a failed payment tried again?", None, **documents)
    assert prose[0] == "docs/retries.md"
    code = ask("Where is maxRetries of a failed payment?", None)
    assert code[0] == "src/retry.py"


def test_a_superseded_document_comes_last_whatever_the_reader_says(ask: Callable[..., list[str]]):
    documents = {
        "docs/adr/0001-queue.md": "# 1. Queue\n\nStatus: Superseded by ADR 2\n\n## Decision\n\n"
        "The order service must send every order through a queue of the old broker.\n",
        "docs/adr/0002-log.md": "# 2. Log\n\nStatus: Accepted\n\n## Decision\n\n"
        "The order service must write every order to the log.\n",
    }
    reader = SmallReader(partial(prefer, "old broker"))
    found = ask("How must the order service send every order?", reader, **documents)
    assert found.index("docs/adr/0001-queue.md") > found.index("docs/adr/0002-log.md")


def test_the_real_reader_finds_the_answer_before_a_text_with_more_words(
    ask: Callable[..., list[str]], cache: Path
):
    fetch_reader(Settings(cache=cache), print)
    assert ask(HOW_LONG, None)[0] == "docs/tracking.md"
    assert ask(HOW_LONG, SmallReader(partial(load_model, cache)))[0] == "docs/returns.md"


def test_a_question_without_words_of_its_own_is_answered_by_the_opening_of_the_readme(
    ask: Callable[..., list[str]],
):
    documents = {
        "README.md": "# Depot\n\nParcels travel from shop to shop without paper.\n",
        "docs/use.md": "# Use\n\nWhat one can do with it is written here, for whom it is, too.\n",
    }
    reader = SmallReader(partial(prefer, "without paper"))
    assert ask("What can one do with it?", reader, **documents)[0] == "README.md"
