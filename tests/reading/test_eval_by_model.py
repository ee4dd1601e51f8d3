"""`cairn eval --engine model`: the answers of the tasks have the form that they have by rules."""

import asyncio
from typing import Any

import pytest

from agents.models.errors import AllProvidersFailed
from infra.measure.by_model import answer_by_model, check_task
from infra.measure.rows import Options
from infra.measure.tasks import answer
from infra.platform.errors import Refusal
from tests.extraction.asking import AnsweringModel, read_plainly, say_of_pair

KEEPS = "The gate keeps its records for ten years."
MAY = "The gate may lose records when its disk is full."
DOCUMENTS: list[dict[str, Any]] = [
    {"id": 1, "path": "docs/a.md", "text": f"# Gate\n\n{KEEPS}\n\n{MAY}\n"},
    {"id": 2, "path": "docs/b.md", "text": ""},
    {"id": 3, "path": "docs/c.md", "text": f"# Keys\n\n😀 {KEEPS}\n"},
]


def answers(task: str, rows: list[Any], model: Any, form: str = "json") -> list[Any]:
    async def collect() -> list[Any]:
        return [it async for it in answer_by_model(task, rows, Options(form), model)]

    return asyncio.run(collect())


def test_documents_are_answered_in_order_with_places_in_the_given_text():
    found: list[Any] = answers("extract", DOCUMENTS, AnsweringModel(read_plainly))
    assert [it["id"] for it in found] == [1, 2, 3]
    assert {it["title"]: it["status"] for it in found[0]["atoms"]} == {
        KEEPS: "active",
        MAY: "active",
    }
    assert found[1]["atoms"] == []
    spans = [
        (row["text"][span["char_start"] : span["char_end"]], span["snippet"])
        for row, told in zip(DOCUMENTS, found, strict=True)
        for atom in told["atoms"]
        for span in atom["evidence"]
    ]
    assert spans == [(KEEPS, KEEPS), (MAY, MAY), (f"😀 {KEEPS}", f"😀 {KEEPS}")]


def test_the_fields_are_those_of_the_rules():
    for task, rows in (("extract", DOCUMENTS), ("classify", [{"id": 7, "text": KEEPS}])):
        by_model = answers(task, rows, AnsweringModel(read_plainly))
        by_rules = [*answer(task, rows, Options())]
        for one, other in zip(by_model, by_rules, strict=True):
            assert one.keys() == other.keys() | {"engine"}


def test_short_texts_share_calls_and_one_without_a_statement_is_other():
    model = AnsweringModel(read_plainly)
    rows = [{"id": n, "text": KEEPS if n % 2 else "Hello there."} for n in range(16)]
    found = answers("classify", rows, model)
    assert [it["label"] for it in found] == ["other", "claim"] * 8
    assert len(model.requests) == 2


def test_rules_answer_where_nobody_can_be_asked():
    def refuse(request):
        raise AllProvidersFailed("away")

    (found,) = answers("extract", DOCUMENTS[:1], AnsweringModel(refuse))
    assert found["engine"] == "heuristic"
    (by_rules,) = answer("extract", DOCUMENTS[:1], Options())
    assert found["atoms"] == by_rules["atoms"]


def test_spans_are_one_line_for_each_row_of_evidence():
    found = answers("extract", DOCUMENTS, AnsweringModel(read_plainly), "spans")
    assert [it["doc_id"] for it in found] == [1, 1, 3]


PAIRS = [
    ("The limit is 5 minutes.", "The limit is 9 minutes."),
    ("The gate of the yard opens at dawn.", "The gate of the yard opens late."),
    ("The gate opens late.", "Keys are changed every month by ana."),
]


def test_a_model_is_asked_about_pairs_that_the_rules_doubt():
    rows = [{"id": at, "a": one, "b": other} for at, (one, other) in enumerate(PAIRS)]
    model = AnsweringModel(lambda request: {"pairs": [say_of_pair(1, conflict=True)]})
    found = answers("contradict", rows, model)
    by_rules = [*answer("contradict", rows, Options())]
    assert [it["engine"] for it in found] == ["heuristic", "model", "heuristic"]
    assert [it["label"] for it in by_rules] == ["contradiction", "neutral", "neutral"]
    assert [it["label"] for it in found] == ["contradiction", "contradiction", "neutral"]
    assert all(it.keys() == found[0].keys() for it in found)
    assert len(model.requests) == 1


@pytest.mark.parametrize("task", ["redact", "inject", "similar", "duplicate"])
def test_a_task_without_a_model_says_so(task):
    with pytest.raises(Refusal):
        check_task(task)
