"""Makes the calls of providers with the library that knows them all. The model worker is the only
process that imports this: loading the library takes 4 to 7 s and 170 MB.

The library retries nothing here: its counters do more attempts than they say, and our own loop has
to see each of them. It guesses where a provider is silent (usage of a stream, the model that
served), so both are read from what came over the wire.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import ValidationError

from agents.models.call import Usage
from agents.models.catalogue import OLLAMA
from agents.models.configuration import ModelConfiguration, ModelProvider
from agents.models.ollama import OllamaModels
from agents.models.protocol import (
    ErrorClass,
    ProviderAnswer,
    ProviderCall,
    ProviderFailed,
    ProviderFailure,
    ProviderPart,
)
from agents.models.providers import find_address, find_route
from agents.models.structured import build_response_format, describe_schema

# Else it fetches these from a server of its makers.
for part in ("MODEL_COST_MAP", "ANTHROPIC_BETA_HEADERS", "AUTOROUTER_PRESETS", "POLICY_TEMPLATES"):
    os.environ[f"LITELLM_LOCAL_{part}"] = "True"

import litellm  # noqa: E402
from litellm.llms.base_llm.chat.transformation import BaseLLMException  # noqa: E402
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler  # noqa: E402

logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # it logs what was asked
litellm.telemetry = False
litellm.suppress_debug_info = True
litellm.num_retries = 0

MAX_DETAIL = 500
MOST_TOKENS = 10**12
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
NO_KEY = "no-key-is-needed"  # a server of one's own wants none, the library wants one
# In the order they are looked for, where there is no answer with a status.
NO_STATUS_CLASSES: tuple[tuple[type | tuple[type, ...], ErrorClass], ...] = (
    (litellm.exceptions.MidStreamFallbackError, "half_stream"),
    ((litellm.exceptions.Timeout, httpx.TimeoutException), "timeout"),
    ((httpx.TransportError, ConnectionError), "connection"),
    ((json.JSONDecodeError, BaseLLMException), "bad_body"),  # it came, and is no answer
    (
        litellm.exceptions.BadRequestError,
        "refused",
    ),  # by the library itself: it knows no such model
)
STATUS_CLASSES: dict[int, ErrorClass] = {408: "timeout", 429: "rate_limited", 529: "overloaded"}


class LibraryProviders:
    """The configured providers. ``configuration`` is asked at each call: it may change.

    Unless it ``sends_format`` the schema of an answer stands in the prompt. It does so, too, for a
    model that refuses a call with a format and takes the same one without it.
    """

    def __init__(
        self,
        configuration: Callable[[], ModelConfiguration],
        ollama: OllamaModels,
        *,
        sends_format: bool = True,
    ) -> None:
        self._configuration, self._ollama = configuration, ollama
        self._sends_format = sends_format
        self._no_temperature: set[str] = set()
        self._no_format: set[tuple[str, str]] = set()  # provider and model
        # Else keys in headers of their own, and all that is asked, follow a redirect to any host.
        self._http = AsyncHTTPHandler(follow_redirects=False)
        litellm.aclient_session = self._http.client

    async def ask(self, call: ProviderCall) -> ProviderAnswer:
        with _convert_failures(self._find_key(call.provider)):
            async with asyncio.timeout(call.timeout_s):
                try:
                    answer = await self._complete(call, {})
                except Exception as error:
                    if not (text := _find_parts(error)):
                        raise
                    return ProviderAnswer(text=text, served_model=call.model)
            return _read_answer(call, answer)

    async def stream(self, call: ProviderCall) -> AsyncGenerator[ProviderPart, None]:
        """Each piece may take the time limit of the call."""
        seen, pieces, finish = _StreamReport(), list[str](), ""
        with _convert_failures(self._find_key(call.provider)):
            async with asyncio.timeout(call.timeout_s):
                chunks = await self._complete(call, STREAMED)
            seen.watch(chunks)
            try:
                while (chunk := await _read_next(chunks, call.timeout_s)) is not None:
                    choice = chunk.choices[0] if chunk.choices else None
                    if choice is not None and choice.delta.content:
                        pieces.append(choice.delta.content)
                        yield choice.delta.content
                    finish = (choice is not None and choice.finish_reason) or finish
            finally:
                await chunks.aclose()
            if not finish or not _has_finish_mark(chunks):
                raise ProviderFailed(ProviderFailure(error_class="half_stream", usage=seen.usage))
            _refuse_filtered(finish, seen.usage)
            yield ProviderAnswer(
                text="".join(pieces),
                served_model=seen.model or call.model,
                usage=seen.usage,
                finish=finish,
            )

    async def list_models(self, provider: str) -> tuple[str, ...]:
        return await self._ollama.list(self._find(provider)) if provider == OLLAMA else ()

    def _find(self, name: str) -> ModelProvider | None:
        provider = self._configuration().find_provider(name)
        return provider if provider is not None and provider.is_configured else None

    def _find_key(self, name: str) -> str:
        provider = self._find(name)
        return provider.api_key.get_secret_value() if provider and provider.api_key else NO_KEY

    async def _complete(self, call: ProviderCall, more: dict[str, Any]) -> Any:
        """A server that does not know ``response_format`` says HTTP 400: it is asked once more
        without.
        """
        asked = (call.provider, call.model)
        has_format = call.answer_schema is not None and self._may_send_format(call)
        arguments = self._arguments(call, has_format=has_format) | more
        try:
            return await self._complete_as_taken(arguments)
        except Exception as error:
            if not has_format or not _refuses_request(error):
                raise
        answer = await self._complete_as_taken(self._arguments(call, has_format=False) | more)
        self._no_format.add(asked)
        return answer

    async def _complete_as_taken(self, arguments: dict[str, Any]) -> Any:
        """Some models take no temperature. The library knows which, and says so before it asks; its
        option to leave out what is not taken asks twice on HTTP 422.
        """
        if arguments["model"] in self._no_temperature:
            arguments.pop("temperature")
        try:
            return await litellm.acompletion(**arguments)
        except litellm.exceptions.UnsupportedParamsError as error:
            if "temperature" not in arguments or any(_list_causes(error, httpx.HTTPStatusError)):
                raise
            self._no_temperature.add(arguments["model"])
            return await self._complete_as_taken(arguments)

    def _may_send_format(self, call: ProviderCall) -> bool:
        is_refused = (call.provider, call.model) in self._no_format
        return self._sends_format and not is_refused and _takes_schema(call)

    def _arguments(self, call: ProviderCall, *, has_format: bool) -> dict[str, Any]:
        provider = self._find(call.provider)
        if provider is None:
            detail = f"{call.provider} is not configured at the model worker"
            raise ProviderFailed(ProviderFailure(error_class="connection", detail=detail))
        given: dict[str, Any] = {
            "model": f"{find_route(call.provider).prefix}/{call.model}",
            "messages": [message.model_dump() for message in call.messages],
            "api_base": find_address(provider),
            "api_key": self._find_key(call.provider),
            "max_tokens": call.max_output_tokens,
            "temperature": call.temperature,
            "timeout": call.timeout_s,
            "max_retries": 0,
            "num_retries": 0,
        }
        if find_route(call.provider).prefix == "anthropic":
            given["client"] = self._http
        if call.answer_schema is not None:
            if has_format:
                given["response_format"] = build_response_format(call.answer_schema)
            else:
                given["messages"].append(describe_schema(call.answer_schema).model_dump())
        return given


def _refuses_request(error: Exception) -> bool:
    """Whether the provider says that it cannot take the request as it is."""
    responses = (
        _read_field(each, "response") for each in _list_causes(error, httpx.HTTPStatusError)
    )
    return any(
        response is not None and response.status_code in (400, 422) for response in responses
    )


def _takes_schema(call: ProviderCall) -> bool:
    route = find_route(call.provider)
    return route.takes_schema or bool(
        litellm.supports_response_schema(
            call.model, route.prefix if route.prefix != "openai" else call.provider
        )
    )


@dataclass
class _StreamReport:
    """What a stream says of itself over the wire."""

    model: str | None = None
    usage: Usage | None = None

    def watch(self, chunks: Any) -> None:
        """Look at each chunk before the library does."""
        chunks.completion_stream = self._look(chunks.completion_stream)

    async def _look(self, stream: Any) -> AsyncIterator[Any]:
        try:
            async for chunk in stream:
                self.model = _read_field(chunk, "model") or self.model
                self.usage = _read_usage(_read_field(chunk, "usage")) or self.usage
                yield chunk
        finally:
            close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
            if close is not None:
                await close()


def _has_finish_mark(chunks: Any) -> bool:
    """Whether the provider said so: the library makes up a mark where a stream just ends."""
    return any((chunks.received_finish_reason, chunks.intermittent_finish_reason)) or bool(
        getattr(chunks, "received_any_finish_reason", False)
    )


async def _read_next(chunks: Any, timeout_s: float) -> Any:
    async with asyncio.timeout(timeout_s):
        return await anext(chunks, None)


def _read_answer(call: ProviderCall, answer: Any) -> ProviderAnswer:
    choices = _read_field(answer, "choices") or ()
    usage = _read_usage(_read_field(answer, "usage"))
    if not choices:
        failure = ProviderFailure(error_class="bad_body", detail="no choices", usage=usage)
        raise ProviderFailed(failure)
    message = choices[0].message
    finish = choices[0].finish_reason or "stop"
    _refuse_filtered(finish, usage)
    return ProviderAnswer(
        text=_read_text(message),
        served_model=answer.model or call.model,
        usage=usage,
        finish=finish,
        refusal=_read_refusal(message),
    )


def _read_text(message: Any) -> str:
    """What a message says: its text, its parts of text, or the arguments of the tool it calls."""
    content = _read_field(message, "content")
    if isinstance(content, list):
        parts = (part if isinstance(part, str) else _read_field(part, "text") for part in content)
        content = "".join(str(part) for part in parts if part)
    if content:
        return str(content)
    calls = _read_field(message, "tool_calls") or ()
    functions = [_read_field(each, "function") for each in calls]
    single = _read_field(message, "function_call")
    given = [_read_field(each, "arguments") for each in (*functions, single) if each is not None]
    return "\n".join(it if isinstance(it, str) else json.dumps(it) for it in given if it)


def _find_parts(error: Exception) -> str:
    """The text of an answer whose content is a list of parts: the library takes a text alone, and
    says what it did not take.
    """
    for each in _list_causes(error, ValidationError):
        for problem in each.errors():
            if problem["loc"] == ("content",) and isinstance(problem["input"], list):
                return _read_text({"content": problem["input"]})
    return ""


def _read_refusal(message: Any) -> str:
    fields = _read_field(message, "provider_specific_fields")
    return str(_read_field(message, "refusal") or _read_field(fields, "refusal") or "")


def _read_usage(usage: Any) -> Usage | None:
    """None where there is none: the library puts zeros there."""
    read = _read_count(usage, "prompt_tokens")
    written = _read_count(usage, "completion_tokens")
    if not read and not written:
        return None
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cached_tokens=_read_count(_read_field(usage, "prompt_tokens_details"), "cached_tokens"),
        cache_write_tokens=_read_count(usage, "cache_creation_input_tokens"),
    )


def _read_count(holder: Any, name: str) -> int:
    """A number of tokens as the provider gives it; what is none is 0."""
    value = _read_field(holder, name)
    return int(value) if isinstance(value, (int, float)) and abs(value) < MOST_TOKENS else 0


def _read_field(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)


def _refuse_filtered(finish: str, usage: Usage | None) -> None:
    if finish == "content_filter":
        detail = "the provider filtered the answer"
        failure = ProviderFailure(error_class="content_refused", detail=detail, usage=usage)
        raise ProviderFailed(failure)


@contextlib.contextmanager
def _convert_failures(key: str) -> Iterator[None]:
    """All that the library raises becomes ProviderFailed, with what the loop has to know.

    Some providers repeat the ``key`` that they refuse; nobody else gets to see it.
    """
    try:
        yield
    except (ProviderFailed, asyncio.CancelledError, GeneratorExit):
        raise
    except TimeoutError as error:
        raise ProviderFailed(ProviderFailure(error_class="timeout")) from error
    except Exception as error:
        raise ProviderFailed(_read_failure(error, key)) from error


def _read_failure(error: Exception, key: str) -> ProviderFailure:
    response = next(
        (_read_field(each, "response") for each in _list_causes(error, httpx.HTTPStatusError)), None
    )
    status = None if response is None else int(response.status_code)
    return ProviderFailure(
        error_class=_classify(error, status, f"{error} {_body_of(response)}".lower()),
        status=status,
        detail=" ".join(str(error).replace(key, "***").split())[:MAX_DETAIL],
        retry_after=None if response is None else response.headers.get("retry-after"),
    )


def _body_of(response: Any) -> str:
    try:
        return "" if response is None else str(response.text)
    except httpx.StreamError:  # nobody has read it
        return ""


def _classify(error: Exception, status: int | None, text: str) -> ErrorClass:
    if isinstance(error, litellm.exceptions.ContentPolicyViolationError):
        return "content_refused"
    if status not in (401, 403) and "overloaded" in text:
        return "overloaded"
    if status is not None:
        return STATUS_CLASSES.get(status, "refused" if status < 500 else "provider_error")
    for classes, error_class in NO_STATUS_CLASSES:
        if any(_list_causes(error, classes)):
            return error_class
    return "provider_error"


def _list_causes(error: BaseException | None, classes: type | tuple[type, ...]) -> Iterator[Any]:
    """The error and those behind it, of ``classes``. The library puts its own before what came over
    the wire, with a status that it makes up where there was none.
    """
    while error is not None:
        if isinstance(error, classes):
            yield error
        error = error.__cause__ or error.__context__
