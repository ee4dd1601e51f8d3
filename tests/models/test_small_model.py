"""A real model behind the worker: text, streams, answers by a schema, tokens."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from agents.models.call import Message, ModelAnswer, ModelRequest, StreamPart
from agents.models.chain import ask_model, stream_model
from infra.service.models.file import read_models
from tests.models.asking import COLOR, request
from tests.models.book import Book
from tests.models.worker import ModelWorker

TOOL_CALL = {
    "type": "object",
    "properties": {
        "tool": {"enum": ["search", "list_tasks"]},
        "args": {"type": "object", "properties": {}, "additionalProperties": False},
    },
    "required": ["tool", "args"],
    "additionalProperties": False,
}


@pytest.fixture
def model(model_worker: ModelWorker, small_model: dict[str, Any]) -> ModelWorker:
    model_worker.configure(small=small_model)
    return model_worker


def ask(model: ModelWorker, book: Book, asked: ModelRequest) -> ModelAnswer:
    configuration = read_models(model.settings, with_keys=False)
    return asyncio.run(ask_model(asked, configuration, model.client, book))


def stream(model: ModelWorker, book: Book, asked: ModelRequest) -> list[StreamPart]:
    configuration = read_models(model.settings, with_keys=False)

    async def collect() -> list[StreamPart]:
        parts = stream_model(asked, configuration, model.client, book)
        async with aclosing(parts):
            return [part async for part in parts]

    return asyncio.run(collect())


@pytest.mark.parametrize("schema", [COLOR, TOOL_CALL])
def test_an_answer_keeps_to_a_schema_and_its_tokens_are_counted(
    model: ModelWorker, schema: dict[str, Any]
):
    book = Book()
    answer = ask(model, book, request(answer_schema=schema))
    assert answer.data and set(answer.data) == set(schema["properties"])
    assert not answer.usage.estimated
    assert answer.usage.input_tokens > 5 and 0 < answer.usage.output_tokens <= 50
    assert [attempt.is_local for attempt in book.attempts] == [True]
    assert book.results == ["answered"]


def test_a_stream_ends_with_the_same_answer_as_the_whole(model: ModelWorker):
    said = (Message(role="user", content="Count from one to five."),)
    asked = request(messages=said, max_output_tokens=24)
    whole = ask(model, Book(), asked)
    *pieces, streamed = stream(model, Book(), asked)
    assert isinstance(streamed, ModelAnswer) and len(pieces) > 3
    assert "".join(map(str, pieces)) == streamed.text == whole.text
    assert streamed.usage == whole.usage and streamed.model == whole.model


def test_an_answer_that_is_cut_short_is_paid_and_not_sent_back(model: ModelWorker):
    book = Book()
    with pytest.raises(Exception, match="it ends before it is complete"):
        ask(model, book, request(answer_schema=TOOL_CALL, max_output_tokens=3))
    assert len(book.results) == 1
    assert [outcome.usage.output_tokens for outcome in book.closed.values()] == [3]
