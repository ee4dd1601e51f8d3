"""The loop over providers: who is asked next, how often, and what each attempt costs."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from agents.models.call import ModelAnswer, Retracted, Usage
from agents.models.chain import ask_model
from agents.models.client import WorkerClient
from agents.models.configuration import ModelConfiguration
from agents.models.errors import (
    AllProvidersFailed,
    AnswerCut,
    AnswerDeclined,
    AnswerEmpty,
    AnswerMalformed,
    RequestRefused,
)
from agents.models.patience import Clock, read_retry_after
from tests.models.asking import COLOR, asking, request
from tests.models.book import COST_USD, Book
from tests.models.provider import Answer, Failure, HalfStream, Hang, Request, Step
from tests.models.worker import ModelWorker

NOW = datetime(2026, 11, 26, 12, 0, 0, tzinfo=UTC)


def test_the_first_provider_answers_and_all_is_told(model_worker: ModelWorker):
    with asking(model_worker, openai=[Answer("Blue.", (70, 9, 64), "m-1-0309")], groq=[]) as run:
        answer = run.ask()
    assert (answer.text, answer.provider, answer.model) == ("Blue.", "openai", "m-1-0309")
    assert answer.usage == Usage(input_tokens=70, output_tokens=9, cached_tokens=64)
    assert (answer.cost_usd, answer.attempts) == (COST_USD, 1)
    assert run.book.answers == {request().request_hash: answer}
    (estimate,) = (estimate for _, estimate in run.book.opened.values())
    assert estimate.output_tokens == 50 and estimate.input_tokens > 0


def test_a_recorded_answer_is_given_again_and_nobody_is_asked(model_worker: ModelWorker):
    with asking(model_worker, openai=["Blue."]) as run:
        first = run.ask()
        assert run.ask() == first
        assert run.stream() == ["Blue.", first]
        assert run.count("openai") == 1


def test_a_short_retry_after_is_waited_for(model_worker: ModelWorker):
    with asking(model_worker, openai=[Failure(429, retry_after="2"), "Blue."], groq=[]) as run:
        assert run.ask(clock=Clock()).attempts == 2
        first, second = run.providers["openai"].requests
        assert second.arrived_s - first.arrived_s >= 2
        assert run.count("groq") == 0
    assert run.book.results == ["failed", "answered"]


@pytest.mark.parametrize("retry_after", ["7", None, "soon", "Thu, 26 Nov 2099 12:00:00 GMT"])
def test_any_other_rate_limit_leads_to_the_next_provider_at_once(
    model_worker: ModelWorker, retry_after: str | None
):
    with asking(model_worker, openai=[Failure(429, retry_after)], groq=["Blue."]) as run:
        assert run.ask().provider == "groq"
        assert (run.count("openai"), run.waits) == (1, [])


def test_a_provider_is_waited_for_once(model_worker: ModelWorker):
    limit = Failure(429, retry_after="1")
    with asking(model_worker, openai=[limit, limit], groq=["Blue."]) as run:
        assert run.ask().attempts == 3
        assert run.waits == [1.0]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *[("2", 2.0), ("0.5", 0.5), ("-3", 0.0), ("Thu, 26 Nov 2026 12:00:04 GMT", 4.0)],
        *[("Thu, 26 Nov 2026 11:00:00 GMT", 0.0), ("later", None), ("nan", None), (None, None)],
    ],
)
def test_a_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None):
    assert read_retry_after(header, NOW) == seconds


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        *[(Failure(status), "provider_error") for status in (500, 502, 503, 504)],
        (Failure(529), "overloaded"),
        (Failure(400, body=b'{"error": {"type": "overloaded_error"}}'), "overloaded"),
        (Failure(200, body=b"<html>"), "bad_body"),
    ],
)
def test_a_provider_in_trouble_is_stood_in_for(model_worker: ModelWorker, step: Step, reason: str):
    with asking(model_worker, openai=[step], groq=["Blue."]) as run:
        answer = run.ask()
    assert (answer.provider, answer.attempts, answer.cost_usd) == ("groq", 2, COST_USD)
    second = run.book.attempts[1]
    assert (second.number, second.fallback_from) == (2, "openai/m-1")
    assert second.fallback_reason == reason
    assert run.book.closed["call-1"].usage == Usage()


def test_a_provider_that_hangs_or_is_away_is_stood_in_for(model_worker: ModelWorker):
    with asking(model_worker, openai=[Hang()], groq=[], xai=["Blue."]) as run:
        groq = run.providers["groq"]
        away = {"base_url": "http://127.0.0.1:9/v1", "api_key": "sk-test", "models": ["m-1"]}
        fields = {name: {**away, "base_url": it.base_url} for name, it in run.providers.items()}
        model_worker.configure(**{**fields, "groq": away})
        answer = run.ask(timeout_s=0.5)
        assert (answer.provider, groq.requests) == ("xai", [])
    assert [it.error_class for it in run.book.closed.values()] == ["timeout", "connection", ""]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_ends_the_request_with_one_call(model_worker: ModelWorker, status: int):
    with asking(model_worker, openai=[Failure(status)], groq=["Blue."]) as run:
        with pytest.raises(RequestRefused) as refused:
            run.ask()
        assert (run.count("openai"), run.count("groq")) == (1, 0)
    assert [one.status for one in refused.value.attempts] == [status]
    assert run.book.results == ["refused"]


def test_filtered_content_ends_the_request_and_is_paid(model_worker: ModelWorker):
    step = Answer("", (70, 3, 0), finish="content_filter")
    with asking(model_worker, openai=[step], groq=["Blue."]) as run, pytest.raises(RequestRefused):
        run.ask()
    assert run.book.closed["call-1"].usage == Usage(input_tokens=70, output_tokens=3)


def test_when_all_fail_the_error_lists_them(model_worker: ModelWorker):
    with (
        asking(model_worker, openai=[Failure(500)], groq=[Failure(529)]) as run,
        pytest.raises(AllProvidersFailed) as failed,
    ):
        run.ask()
    found = [(one.provider, one.error_class, one.status) for one in failed.value.attempts]
    assert found == [("openai", "provider_error", 500), ("groq", "overloaded", 529)]
    assert run.book.results == ["failed", "failed"]


def test_no_worker_is_all_providers_away(model_worker: ModelWorker):
    with asking(model_worker, openai=[], groq=[]) as run:
        client, book = WorkerClient("127.0.0.1:9", "any"), Book()
        with pytest.raises(AllProvidersFailed) as failed:
            asyncio.run(ask_model(request(), run.configuration, client, book))
    assert [one.error_class for one in failed.value.attempts] == ["worker_unavailable"]
    assert book.results == ["failed"]


def test_nothing_configured_fails_at_once(model_worker: ModelWorker):
    with pytest.raises(AllProvidersFailed, match="No model is configured for the tier standard"):
        asyncio.run(ask_model(request(), ModelConfiguration(), model_worker.client, Book()))


def test_usage_that_is_not_reported_is_estimated_and_never_zero(model_worker: ModelWorker):
    with asking(model_worker, openai=[Answer("Blue as the sea.", usage=None)]) as run:
        usage = run.ask().usage
    assert usage.estimated and usage.input_tokens >= 4 and usage.output_tokens >= 4


@pytest.mark.parametrize(
    "around", ["```json\n%s\n```", "Here it is:\n%s\nDone.", "<think>?</think>%s"]
)
def test_an_answer_with_a_fence_or_words_around_it_costs_no_second_call(
    model_worker: ModelWorker, around: str
):
    with asking(model_worker, openai=[Answer(around % '{"color": "Blue", "why": "sky"}')]) as run:
        answer = run.ask(answer_schema=COLOR)
    assert (answer.data, answer.attempts) == ({"color": "blue"}, 1)
    assert run.book.results == ["answered"]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("blue", "it is no JSON"),
        ('{"color": NaN}', "at $.color: None is not one of"),
        ('{"color": "green"}', "at $.color: 'green' is not one of"),
        ("{}", "at $: 'color' is a required property"),
        ("", "it is empty"),
        ("[" * 4_000, "it is nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_and_a_second_wrong_answer_is_malformed(
    model_worker: ModelWorker, wrong: str, problem: str
):
    with asking(model_worker, openai=[Answer(wrong)] * 2, groq=[]) as run:
        with pytest.raises(AnswerMalformed) as failed:
            run.ask(answer_schema=COLOR)
        assert problem in run.providers["openai"].requests[1].text
    assert run.book.results == ["malformed", "malformed"]
    assert [it.usage.input_tokens for it in run.book.closed.values()] == [100, 100]
    assert (failed.value.usage.input_tokens, failed.value.cost_usd) == (200, 2 * COST_USD)


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (Answer('{"color": "bl', finish="length"), AnswerCut),
        (Answer('{"color": "bl'), AnswerCut),
        (Answer("I'm sorry, but I can't help with that."), AnswerDeclined),
    ],
)
def test_what_was_cut_or_declined_is_not_asked_again(
    model_worker: ModelWorker, step: Answer, error: type[AnswerMalformed]
):
    with asking(model_worker, openai=[step], groq=[]) as run:
        with pytest.raises(error) as failed:
            run.ask(answer_schema=COLOR)
        assert (run.count("openai"), run.count("groq")) == (1, 0)
    assert failed.value.usage.input_tokens == 100


def test_without_repair_a_malformed_answer_is_not_asked_again(model_worker: ModelWorker):
    with asking(model_worker, openai=[Answer("blue")]) as run:
        with pytest.raises(AnswerMalformed):
            run.ask(answer_schema=COLOR, may_repair=False)
        assert run.count("openai") == 1


@pytest.mark.parametrize(
    "usage", [(-500, -40, 0), (100, -1, 0), (9_000_000, 20, 0), (100, 20, 900)]
)
def test_usage_that_cannot_be_true_is_estimated(
    model_worker: ModelWorker, usage: tuple[int, int, int]
):
    with asking(model_worker, openai=[Answer("Blue as the sea.", usage)]) as run:
        found = run.ask().usage
    assert found.estimated and 4 <= found.input_tokens < 100 and 4 <= found.output_tokens < 100


def test_a_repair_that_meets_trouble_goes_on_at_the_next_provider(model_worker: ModelWorker):
    steps: list[Step] = ["blue", Failure(503)]
    with asking(model_worker, openai=steps, groq=[{"color": "red"}]) as run:
        assert run.ask(answer_schema=COLOR).data == {"color": "red"}
    assert run.book.results == ["malformed", "failed", "answered"]


@pytest.mark.parametrize(
    ("provider", "is_enforced"), [("openai", True), ("own", True), ("groq", False)]
)
def test_a_schema_is_asked_for_as_the_provider_understands_it(
    model_worker: ModelWorker, provider: str, is_enforced: bool
):
    with asking(model_worker, **{provider: [{"color": "blue"}]}) as run:
        run.ask(answer_schema=COLOR)
        (asked,) = run.providers[provider].requests
    if is_enforced:
        assert asked.body["response_format"]["json_schema"]["schema"] == COLOR
        assert len(asked.messages) == 1
    else:
        assert "response_format" not in asked.body
        assert '"enum": ["blue", "red"]' in asked.messages[-1]["content"]


def test_a_stream_gives_pieces_and_then_the_answer(model_worker: ModelWorker):
    with asking(model_worker, openai=["Blue as the sea."]) as run:
        *pieces, answer = run.stream()
    assert isinstance(answer, ModelAnswer)
    assert "".join(map(str, pieces)) == answer.text == "Blue as the sea."


@pytest.mark.parametrize("is_cut", [True, False])
def test_a_stream_that_breaks_off_is_retracted_when_another_takes_over(
    model_worker: ModelWorker, is_cut: bool
):
    half = HalfStream("Half of an answer", is_cut)
    with asking(model_worker, openai=[half], groq=["Blue."]) as run:
        parts = run.stream()
    cut = parts.index(Retracted())
    assert "Half of an answer".startswith("".join(map(str, parts[:cut])))
    assert isinstance(parts[-1], ModelAnswer) and parts[-1].text == "Blue."
    assert "".join(map(str, parts[cut + 1 : -1])) == "Blue."
    assert run.book.results == ["failed", "answered"]
    assert run.book.closed["call-1"].usage.estimated


def test_a_stream_that_breaks_off_with_nobody_to_take_over_raises(model_worker: ModelWorker):
    with (
        asking(model_worker, openai=[HalfStream("Half of an answer", is_cut=False)]) as run,
        pytest.raises(AllProvidersFailed),
    ):
        run.stream()
    assert run.book.results == ["failed"] and run.book.answers == {}


def test_a_malformed_stream_is_retracted_and_repaired(model_worker: ModelWorker):
    with asking(model_worker, openai=["blue", {"color": "blue"}]) as run:
        parts = run.stream(answer_schema=COLOR)
    assert Retracted() in parts
    assert isinstance(parts[-1], ModelAnswer) and parts[-1].data == {"color": "blue"}


def test_a_stream_that_is_closed_early_is_settled_and_its_provider_let_go(
    model_worker: ModelWorker,
):
    with asking(model_worker, openai=[Hang("Blue as the sea.")]) as run:
        assert len(asyncio.run(run.collect(most=1))) == 1
        run.providers["openai"].wait_until_abandoned()
    assert run.book.results == ["cancelled"]
    assert run.book.closed["call-1"].usage.estimated and run.book.answers == {}


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_cancelled_call_is_settled_and_its_provider_let_go(
    model_worker: ModelWorker, is_broken: bool
):
    """Also where it cannot be settled, who cancels sees that it was cancelled."""
    with asking(model_worker, openai=[Hang()]) as run:
        run.book.is_broken = is_broken

        async def cancel() -> None:
            client = model_worker.client
            asked = asyncio.ensure_future(ask_model(request(), run.configuration, client, run.book))
            while not run.providers["openai"].requests:
                await asyncio.sleep(0.01)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked

        asyncio.run(cancel())
        run.providers["openai"].wait_until_abandoned()
    assert run.book.results == ["cancelled"]


@pytest.mark.parametrize("is_broken", [False, True])
def test_who_is_cancelled_during_a_reservation_leaves_nothing_set_aside(
    model_worker: ModelWorker, is_broken: bool
):
    with asking(model_worker, openai=[]) as run:
        run.book.is_broken = is_broken

        async def cancel() -> None:
            run.book.is_slow = asyncio.Event()
            client = model_worker.client
            asked = asyncio.ensure_future(ask_model(request(), run.configuration, client, run.book))
            await asyncio.sleep(0.05)
            asked.cancel()
            await asyncio.sleep(0)
            run.book.is_slow.set()
            with pytest.raises(asyncio.CancelledError):
                await asked

        asyncio.run(cancel())
        assert run.count("openai") == 0
    assert run.book.results == ["cancelled"]
    assert run.book.closed["call-1"].usage == Usage()


def test_who_refuses_the_format_of_an_answer_gets_its_schema_in_the_prompt_from_then_on(
    model_worker: ModelWorker,
):
    def answer(asked: Request) -> Step:
        return Failure(400) if "response_format" in asked.body else {"color": "blue"}

    with asking(model_worker, plain=answer) as run:
        for prompt_version in ("1", "2"):
            found = run.ask(answer_schema=COLOR, prompt_version=prompt_version)
            assert (found.data, found.attempts) == ({"color": "blue"}, 1)
        asked = run.providers["plain"].requests
    assert ["response_format" in it.body for it in asked] == [True, False, False]
    assert '"enum": ["blue", "red"]' in asked[1].messages[-1]["content"]


def test_a_provider_that_refuses_the_request_is_asked_once_without_a_format(
    model_worker: ModelWorker,
):
    with asking(model_worker, strict=[Failure(400), Failure(400)]) as run:
        with pytest.raises(RequestRefused):
            run.ask(answer_schema=COLOR)
        assert run.count("strict") == 2


def message(**fields: Any) -> Failure:
    """A whole answer of the protocol with this message."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"} | fields}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m-1"}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return Failure(200, body=json.dumps({**head, "choices": [choice], "usage": usage}).encode())


BLUE = '{"color": "blue"}'
TOOL = {"id": "c", "type": "function", "function": {"name": "answer", "arguments": BLUE}}


@pytest.mark.parametrize(
    "step",
    [
        message(content=None, tool_calls=[TOOL]),
        message(content="", tool_calls=[TOOL]),
        message(content=[{"type": "text", "text": BLUE}]),
        message(content=BLUE, refusal=None),
    ],
)
def test_an_answer_is_found_where_a_server_puts_it(model_worker: ModelWorker, step: Failure):
    with asking(model_worker, own=[step]) as run:
        assert run.ask(answer_schema=COLOR).data == {"color": "blue"}


def test_a_refusal_is_declined_and_null_is_empty(model_worker: ModelWorker):
    with asking(model_worker, own=[message(content=None, refusal="I must not.")]) as run:
        with pytest.raises(AnswerDeclined, match="I must not"):
            run.ask(answer_schema=COLOR)
        assert run.count("own") == 1
    with asking(model_worker, own=[message(content=None)] * 2) as run:
        with pytest.raises(AnswerEmpty):
            run.ask(answer_schema=COLOR)
        assert run.count("own") == 2


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Bad gateway</html>",
        b'{"error": {"message": "out of memory"}}',
        b'{"id": "x", "object": "chat.completion", "created": 1, "model": "m-1", "choices": []}',
        b'data: {"choices": [{"delta": {"content": "{}"}}]}\n\ndata: [DONE]\n\n',
    ],
)
def test_a_body_that_is_no_answer_is_a_failure_of_the_provider(
    model_worker: ModelWorker, body: bytes
):
    with asking(model_worker, own=[Failure(200, body=body)], groq=["Blue."]) as run:
        assert run.ask().provider == "groq"
