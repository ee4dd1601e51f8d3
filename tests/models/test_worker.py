"""The model worker: calls of providers as they are, over its socket, with the real library."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pytest

from agents.models.call import Message, Usage
from agents.models.client import WorkerClient
from agents.models.configuration import ModelProvider
from agents.models.ollama import OllamaModels
from agents.models.protocol import (
    ProviderAnswer,
    ProviderCall,
    ProviderFailed,
    ProviderPart,
    WorkerUnavailable,
)
from agents.models.serving import serve_calls
from tests.models.asking import COLOR
from tests.models.provider import Answer, Failure, HalfStream, Hang, Step, scripted_provider
from tests.models.worker import ModelWorker, model_worker

PROVIDERS = ("anthropic", "google", "openai", "xai", "groq", "cerebras", "ollama", "own")


def call_of(provider: str = "openai", **given: Any) -> ProviderCall:
    said = (Message(role="user", content="Name a color."),)
    plain = {"model": "m-1", "messages": said, "max_output_tokens": 50, "timeout_s": 20.0}
    return ProviderCall(provider=provider, **{**plain, **given})


def ask(worker: ModelWorker, step: Step, provider: str = "openai", **given: Any) -> ProviderAnswer:
    """The answer to one call of a provider that takes ``step``."""
    with scripted_provider([step]) as scripted:
        worker.configure(**{provider: configured(scripted.base_url)})
        answer = asyncio.run(worker.client.ask(call_of(provider, **given)))
        assert len(scripted.requests) == 1
    return answer


def configured(base_url: str) -> dict[str, Any]:
    return {"base_url": base_url, "api_key": "sk-test", "models": ["m-1"]}


async def collect(client: WorkerClient, call: ProviderCall) -> list[ProviderPart]:
    return [part async for part in client.stream(call)]


def stream(worker: ModelWorker, step: Step, provider: str = "openai") -> list[Any]:
    with scripted_provider([step]) as scripted:
        worker.configure(**{provider: configured(scripted.base_url)})
        return asyncio.run(collect(worker.client, call_of(provider)))


def failure_of(worker: ModelWorker, step: Step, **given: Any) -> dict[str, Any]:
    with pytest.raises(ProviderFailed) as failed:
        ask(worker, step, **given)
    return failed.value.failure.model_dump(exclude={"detail", "usage"})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_has_its_text_its_usage_and_the_model_that_served(
    model_worker: ModelWorker, provider: str
):
    answer = ask(model_worker, Answer("Blue.", (70, 9, 64), model="m-1-2026-01-01"), provider)
    usage = Usage(input_tokens=70, output_tokens=9, cached_tokens=64)
    assert answer == ProviderAnswer(text="Blue.", served_model="m-1-2026-01-01", usage=usage)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "own"])
@pytest.mark.parametrize("status", [302, 307, 308])
@pytest.mark.parametrize("asks", [ask, stream])
def test_no_redirect_takes_key_or_texts_to_another_host(
    model_worker: ModelWorker, provider: str, status: int, asks: Callable[..., Any]
):
    with scripted_provider([Answer("stolen")] * 2) as other:
        for place in (f"{other.base_url}/messages", f"//{other.base_url.partition('//')[2]}/x"):
            with pytest.raises(ProviderFailed):
                asks(model_worker, Failure(status, location=place), provider)
        assert (other.requests, other.looks) == ([], [])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream_has_pieces_and_ends_with_the_same(model_worker: ModelWorker, provider: str):
    step = Answer("Blue as the sea.", (70, 9, 64), model="m-1-2026-01-01")
    *pieces, answer = stream(model_worker, step, provider)
    assert len(pieces) > 1 and "".join(pieces) == "Blue as the sea." == answer.text
    assert answer.usage == Usage(input_tokens=70, output_tokens=9, cached_tokens=64)
    assert answer.served_model == "m-1-2026-01-01"


def test_usage_that_a_provider_does_not_report_is_not_made_up(model_worker: ModelWorker):
    step = Answer("Blue.", usage=None)
    assert ask(model_worker, step).usage is None
    assert stream(model_worker, step)[-1].usage is None


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        *[(429, "rate_limited"), (500, "provider_error"), (502, "provider_error")],
        *[(503, "provider_error"), (504, "provider_error"), (529, "overloaded")],
        *[(400, "refused"), (401, "refused"), (403, "refused"), (404, "refused"), (422, "refused")],
    ],
)
def test_a_status_is_told_and_nothing_is_retried(
    model_worker: ModelWorker, status: int, error_class: str
):
    told = failure_of(model_worker, Failure(status, retry_after="7"))
    assert told == {"error_class": error_class, "status": status, "retry_after": "7"}


def test_a_body_that_says_overloaded_is_overloaded(model_worker: ModelWorker):
    body = b'{"error": {"type": "overloaded_error", "message": "Overloaded"}}'
    assert failure_of(model_worker, Failure(400, body=body))["error_class"] == "overloaded"


def test_a_key_that_a_provider_repeats_is_not_told(model_worker: ModelWorker):
    body = b'{"error": {"message": "no such key: sk-test"}}'
    with pytest.raises(ProviderFailed, match=r"no such key: \*\*\*"):
        ask(model_worker, Failure(401, body=body))


def test_a_filtered_answer_is_refused_content(model_worker: ModelWorker):
    step = Answer("", finish="content_filter")
    assert failure_of(model_worker, step)["error_class"] == "content_refused"


def test_a_body_that_is_no_json_is_a_failure(model_worker: ModelWorker):
    told = failure_of(model_worker, Failure(200, body=b"<html>Welcome</html>"))
    assert told["error_class"] in ("bad_body", "provider_error")


def test_a_hang_ends_with_the_time_limit(model_worker: ModelWorker):
    assert failure_of(model_worker, Hang(), timeout_s=0.3)["error_class"] == "timeout"


@pytest.mark.parametrize("is_cut", [True, False])
@pytest.mark.parametrize("provider", ["anthropic", "google", "openai", "groq"])
def test_a_stream_without_a_mark_of_its_end_is_no_answer(
    model_worker: ModelWorker, provider: str, is_cut: bool
):
    with pytest.raises(ProviderFailed) as failed:
        stream(model_worker, HalfStream("Half of an answer", is_cut), provider)
    assert failed.value.failure.error_class == "half_stream"


def test_nobody_at_the_address_is_a_failed_connection(model_worker: ModelWorker):
    model_worker.configure(openai=configured("http://127.0.0.1:9/v1"))
    with pytest.raises(ProviderFailed) as failed:
        asyncio.run(model_worker.client.ask(call_of()))
    assert failed.value.failure.error_class == "connection"


def test_a_caller_that_goes_away_ends_the_call(model_worker: ModelWorker):
    async def give_up() -> None:
        asked = asyncio.ensure_future(model_worker.client.ask(call_of()))
        while not scripted.requests:
            await asyncio.sleep(0.01)
        asked.cancel()

    with scripted_provider([Hang(), "Blue."]) as scripted:
        model_worker.configure(openai=configured(scripted.base_url))
        asyncio.run(give_up())
        scripted.wait_until_abandoned()
        assert asyncio.run(model_worker.client.ask(call_of())).text == "Blue."


def test_who_does_not_know_the_token_is_told_nothing(model_worker: ModelWorker):
    address = model_worker.client.address
    with scripted_provider([]) as scripted:
        model_worker.configure(openai=configured(scripted.base_url))
        with pytest.raises(WorkerUnavailable):
            asyncio.run(WorkerClient(address, "guessed").ask(call_of()))
        assert scripted.requests == []


def test_a_connection_that_asks_nothing_keeps_no_worker_from_ending(model_worker: ModelWorker):
    async def serve_one_call() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            host, port = listening.getsockname()
            next_worker = model_worker.client
            serving = asyncio.create_task(serve_calls(listening, "t", next_worker, 1, 0.1))
            silent, _ = await asyncio.open_connection(host, port)
            assert await WorkerClient(f"{host}:{port}", "t").list_models("own") == ()
            await asyncio.wait_for(serving, 10)
            assert await silent.read() == b""

    asyncio.run(serve_one_call())


def test_no_worker_is_unavailable():
    with pytest.raises(WorkerUnavailable):
        asyncio.run(WorkerClient("127.0.0.1:9", "any").ask(call_of()))


@pytest.mark.slow
def test_a_worker_that_begins_anew_loses_nobody_who_waits_and_asks_nobody_but_providers():
    """One image after the other has the socket; both load the library, so this takes its time.

    The library's makers are not asked for anything, nor an Ollama server where there is a cloud.
    """
    calls = [call_of() for _ in range(5)]

    async def ask_together() -> list[ProviderAnswer]:
        return await asyncio.gather(*(worker.client.ask(call) for call in calls))

    with (
        scripted_provider(lambda request: "Blue.") as scripted,
        model_worker(
            *("--recycle-after", "4"),
            K_SERVICE="cloud",
            HTTPS_PROXY=scripted.base_url.removesuffix("/v1"),
        ) as worker,
    ):
        scripted.models.append("qwen")
        anthropic = {**configured(scripted.base_url), "models": ["claude-sonnet-4-6"]}
        ollama = {"base_url": scripted.base_url}
        worker.configure(openai=configured(scripted.base_url), anthropic=anthropic, ollama=ollama)
        before = worker.client.address
        last = call_of("anthropic", model="claude-sonnet-4-6", answer_schema=COLOR)
        answers = [*asyncio.run(ask_together()), asyncio.run(worker.client.ask(last))]
        assert [answer.text for answer in answers] == ["Blue."] * 6
        assert asyncio.run(worker.client.list_models("ollama")) == () and scripted.looks == []
        assert worker.client.address == before and worker.process.poll() is None
        log = (worker.settings.log_folder / "model-worker.log").read_text()
        assert log.count("models.listening") == 2 and log.count("models.recycled") == 1


def test_an_ollama_server_is_asked_for_its_models_and_one_that_is_away_has_none(
    model_worker: ModelWorker,
):
    with scripted_provider(["Blue."]) as scripted:
        scripted.models.extend(["qwen:latest", "gemma:2b"])
        model_worker.configure(ollama={"base_url": scripted.base_url})
        for _ in range(2):  # the second answer comes from memory
            found = asyncio.run(model_worker.client.list_models("ollama"))
            assert found == ("qwen:latest", "gemma:2b")
        assert scripted.looks == ["/api/tags"]
        assert asyncio.run(model_worker.client.ask(call_of("ollama"))).text == "Blue."
    model_worker.configure(ollama={"base_url": "http://127.0.0.1:9"})
    assert asyncio.run(model_worker.client.list_models("ollama")) == ()


def test_a_list_of_models_is_believed_for_its_time_only():
    now_s = [100.0]
    with scripted_provider([]) as scripted:
        scripted.models.append("qwen")
        models = OllamaModels(ttl_s=30, is_allowed=True, clock=lambda: now_s[0])
        provider = ModelProvider(name="ollama", base_url=scripted.base_url, needs_key=False)

        async def look(at_s: float) -> tuple[str, ...]:
            now_s[0] = at_s
            return await models.list(provider)

        assert asyncio.run(look(100)) == ("qwen",)
        scripted.models.append("gemma")
        assert asyncio.run(look(129)) == ("qwen",)
        assert asyncio.run(look(130)) == ("qwen", "gemma")
