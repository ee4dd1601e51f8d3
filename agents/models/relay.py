"""Passes a chat completion on to its provider and back, and reads on the way what it has used.

Body and answer are those of the OpenAI protocol, with tools, so that a program of others can be
given the address of ours in place of a provider's. The key is added here and taken out of whatever
comes back.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from agents.models.call import Usage
from agents.models.configuration import ModelConfiguration, ModelProvider
from agents.models.providers import find_address
from agents.models.records import get_counts, get_object

# Providers whose address the library knows; here they speak the OpenAI protocol, too.
ROOTS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1"}
# What a caller may say; all else (other accounts, stored answers, files) is left out.
FIELDS = frozenset(
    ("messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "stop", "seed")
    + ("temperature", "top_p", "max_tokens", "max_completion_tokens", "reasoning_effort")
    + ("frequency_penalty", "presence_penalty", "stream")
)
CONNECTS_WITHIN_S, ANSWERS_WITHIN_S = 15.0, 300.0
MOST_BYTES = 16 * 1024 * 1024
HIDDEN = "***"
SHORTEST_KEY = 8  # what is shorter is in any text, and no secret


class RelayFailed(Exception):
    """The provider cannot be reached, or does not speak the protocol. The text says which."""


@dataclass
class Report:
    """What an answer says of itself. ``is_whole``: it came to its end."""

    model: str = ""
    usage: Usage | None = None
    text: str = ""
    is_whole: bool = False
    pieces: list[str] = field(default_factory=list)

    def read(self, body: Any) -> None:
        """Take what is of use from an answer, or from a piece of one."""
        if not isinstance(body, dict):
            return
        if isinstance(body.get("model"), str):
            self.model = body["model"] or self.model
        self.usage = _read_usage(body.get("usage")) or self.usage
        choices = body.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            self._read_choice(choice)
        self.text = "".join(self.pieces)

    def _read_choice(self, choice: Any) -> None:
        if not isinstance(choice, dict):
            return
        message = choice.get("delta") or choice.get("message")
        if isinstance(message, dict):
            if isinstance(message.get("content"), str):
                self.pieces.append(message["content"])
            if message.get("tool_calls"):
                self.pieces.append(json.dumps(message["tool_calls"], ensure_ascii=False))
        self.is_whole = self.is_whole or bool(choice.get("finish_reason"))


@dataclass(frozen=True, slots=True)
class Relayed:
    """``parts`` are the bytes of the answer; read them to the end, then ``report`` is whole."""

    status: int
    content_type: str
    parts: AsyncGenerator[bytes, None]
    report: Report


class Relay:
    """``configuration`` is asked at each call: it may change."""

    def __init__(self, configuration: Callable[[], ModelConfiguration]) -> None:
        self._configuration = configuration

    @asynccontextmanager
    async def open(
        self, provider_name: str, model: str, body: Mapping[str, Any]
    ) -> AsyncIterator[Relayed]:
        """The answer of a provider. Raises RelayFailed."""
        provider = self._configuration().find_provider(provider_name)
        if provider is None or not provider.is_configured or provider.is_program:
            raise RelayFailed(f"{provider_name} is not configured at the model worker")
        is_streamed = body.get("stream") is True
        sent = {name: value for name, value in body.items() if name in FIELDS} | {"model": model}
        if is_streamed:
            sent["stream_options"] = {"include_usage": True}
        content = _write(sent)
        key = provider.api_key.get_secret_value() if provider.api_key else ""
        timeout = httpx.Timeout(ANSWERS_WITHIN_S, connect=CONNECTS_WITHIN_S)
        report = Report()
        try:
            async with (
                httpx.AsyncClient(follow_redirects=False, timeout=timeout) as client,
                client.stream(
                    "POST", find_completions(provider), content=content, headers=_authorize(key)
                ) as response,
            ):
                if 300 <= response.status_code < 400:
                    raise RelayFailed(f"{provider_name} leads to another address")
                is_pieces = is_streamed and response.status_code < 300
                read = _read_pieces if is_pieces else _read_whole
                kind = "text/event-stream" if is_pieces else "application/json"
                yield Relayed(response.status_code, kind, read(response, key, report), report)
        except httpx.HTTPError as error:
            reason = _hide(str(error).encode(), key).decode()
            raise RelayFailed(f"{provider_name} does not answer: {reason}") from error


def find_completions(provider: ModelProvider) -> str:
    """Where a provider takes chat completions."""
    if provider.name == "anthropic" and provider.base_url:
        root = provider.base_url.rstrip("/").removesuffix("/v1") + "/v1"
    else:
        root = find_address(provider) or ROOTS[provider.name]
    return f"{root.rstrip('/')}/chat/completions"


def _authorize(key: str) -> dict[str, str]:
    content_type = {"content-type": "application/json"}
    return content_type | ({"authorization": f"Bearer {key}"} if key else {})


def _write(body: Mapping[str, Any]) -> bytes:
    """Raises RelayFailed for what JSON cannot hold."""
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise RelayFailed("the call is nested too deeply, or holds what is no number") from error


async def _read_whole(
    response: httpx.Response, key: str, report: Report
) -> AsyncGenerator[bytes, None]:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MOST_BYTES:
            raise RelayFailed(f"the answer has more than {MOST_BYTES:,} bytes")
    text = _hide(bytes(content), key)
    try:
        report.read(json.loads(text))
    except (ValueError, RecursionError) as error:
        if response.status_code < 300:
            raise RelayFailed("the answer is no JSON") from error
        text = json.dumps({"error": {"message": text.decode(errors="replace")[:500]}}).encode()
    yield text


async def _read_pieces(
    response: httpx.Response, key: str, report: Report
) -> AsyncGenerator[bytes, None]:
    async for line in response.aiter_lines():
        name, _, value = line.partition(":")
        if name == "data" and value.strip() != "[DONE]":
            try:
                report.read(json.loads(value))
            except (ValueError, RecursionError) as error:
                raise RelayFailed("a piece of the answer is no JSON") from error
        yield _hide(line.encode() + b"\n", key)


def _hide(text: bytes, key: str) -> bytes:
    return text.replace(key.encode(), HIDDEN.encode()) if len(key) >= SHORTEST_KEY else text


def _read_usage(usage: Any) -> Usage | None:
    """What was used; None where nothing is reported that can be true."""
    counts = get_counts(get_object(usage), "prompt_tokens", "completion_tokens")
    details = get_counts(get_object(usage, "prompt_tokens_details"), "cached_tokens")
    if counts is None or details is None or not any(counts):
        return None
    return Usage(input_tokens=counts[0], output_tokens=counts[1], cached_tokens=details[0])
