"""The Claude command line as a provider: one question on its standard input, one JSON in answer.

It is signed in to a subscription, so its answers cost nothing; what it counts is kept all the same.
It has no tools and reads no file. Its environment holds no key of a provider: with one it would not
use the subscription.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from agents.models.attempt import Providers
from agents.models.call import Message, Usage
from agents.models.catalogue import CLAUDE_CLI
from agents.models.configuration import ModelProvider
from agents.models.programs import ProgramCall, ProgramFailed, Programs
from agents.models.protocol import (
    ErrorClass,
    ProviderAnswer,
    ProviderCall,
    ProviderFailed,
    ProviderFailure,
    ProviderPart,
)
from agents.models.records import get_cost, get_count, get_counts, get_object, read_json
from agents.models.structured import describe_schema

PROGRAM = "claude"
OPTIONS = ("-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--model")
# Where it finds itself, its sign-on and the way out.
VARIABLES = frozenset(
    ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "CLAUDE_CONFIG_DIR")
    + ("XDG_CONFIG_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
    + ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
    + ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
)
MAX_DETAIL = 500
FINISHES = {"max_tokens": "length", "model_context_window_exceeded": "length"}
# What it says of a failure, in the order in which it is looked for.
REASONS: tuple[tuple[re.Pattern[str], ErrorClass], ...] = (
    (re.compile(r"overloaded|\b529\b"), "overloaded"),
    (re.compile(r"\b429\b|rate.?limit|usage limit|too many requests"), "rate_limited"),
    (re.compile(r"\b50[0234]\b|time.?out|timed out|econn|enotfound|socket"), "provider_error"),
    (re.compile(r"network|fetch failed|connection (error|reset|refused)"), "provider_error"),
)


class ClaudeProgram:
    """Asks the Claude command line. ``find`` says how it is configured now; None: it is not."""

    def __init__(
        self,
        programs: Programs,
        find: Callable[[], ModelProvider | None],
        environ: Mapping[str, str],
    ) -> None:
        self._programs, self._find = programs, find
        self._environ = {name: value for name, value in environ.items() if name in VARIABLES}

    async def ask(self, call: ProviderCall) -> ProviderAnswer:
        """Raises ProviderFailed."""
        provider = self._find()
        if provider is None:
            detail = f"{call.provider} is not configured at the model worker"
            raise ProviderFailed(ProviderFailure(error_class="connection", detail=detail))
        lines = list[str]()
        try:
            async with aclosing(self._programs.run(self._build_call(call, provider))) as printed:
                async for line in printed:
                    lines.append(line)
        except ProgramFailed as error:
            raise ProviderFailed(_read_end(error, _find_result(lines))) from error
        result = _find_result(lines)
        if result is None:
            detail = f"no JSON result among {sum(map(len, lines)):,} characters"
            raise ProviderFailed(ProviderFailure(error_class="bad_body", detail=detail))
        if result.get("is_error") or not isinstance(result.get("result"), str):
            raise ProviderFailed(_read_error(result))
        return _read_answer(call, result)

    async def stream(self, call: ProviderCall) -> AsyncGenerator[ProviderPart, None]:
        """The whole answer as one piece: it prints nothing before."""
        answer = await self.ask(call)
        yield answer.text
        yield answer

    async def list_models(self, provider: str) -> tuple[str, ...]:
        return ()

    def _build_call(self, call: ProviderCall, provider: ModelProvider) -> ProgramCall:
        schema = call.answer_schema
        instructions = () if schema is None else (describe_schema(schema),)
        return ProgramCall(
            argv=(provider.program or PROGRAM, *OPTIONS, call.model),
            given=render_messages((*call.messages, *instructions)),
            environ=self._environ,
            idle_s=provider.idle_s,
            ceiling_s=provider.ceiling_s,
        )


class RoutedProviders:
    """Programs of this machine by one provider, all others by the library."""

    def __init__(self, library: Providers, claude: Providers) -> None:
        self._library, self._claude = library, claude

    async def ask(self, call: ProviderCall) -> ProviderAnswer:
        return await self._choose(call.provider).ask(call)

    async def stream(self, call: ProviderCall) -> AsyncGenerator[ProviderPart, None]:
        async with aclosing(self._choose(call.provider).stream(call)) as parts:
            async for part in parts:
                yield part

    async def list_models(self, provider: str) -> tuple[str, ...]:
        return await self._choose(provider).list_models(provider)

    def _choose(self, name: str) -> Providers:
        return self._claude if name == CLAUDE_CLI.name else self._library


def render_messages(messages: Sequence[Message]) -> str:
    """One text for a program that takes one: instructions first, then what was said by whom."""
    system = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    if all(message.role == "user" for message in others):
        return "\n\n".join([*system, *(message.content for message in others)])
    turns = (f"[{message.role}]\n{message.content}" for message in others)
    return "\n\n".join([*system, *turns])


def _find_result(lines: Sequence[str]) -> dict[str, Any] | None:
    """The last object of type ``result``, which may stand in a list or over several lines."""
    for text in ("\n".join(lines), *reversed(lines)):
        for value in _list_objects(text):
            if value.get("type") == "result":
                return value
    return None


def _list_objects(text: str) -> Iterator[dict[str, Any]]:
    value = read_json(text)
    for each in reversed(value) if isinstance(value, list) else (value,):
        if isinstance(each, dict):
            yield each


def _read_answer(call: ProviderCall, result: dict[str, Any]) -> ProviderAnswer:
    stop = result.get("stop_reason")
    return ProviderAnswer(
        text=result["result"],
        served_model=_read_served(result) or call.model,
        usage=_read_usage(result.get("usage")),
        finish=FINISHES.get(stop, "stop") if isinstance(stop, str) else "stop",
        refusal=result["result"] or "declined" if stop == "refusal" else "",
        counted_cost_usd=get_cost(result, "total_cost_usd"),
    )


def _read_served(result: dict[str, Any]) -> str:
    """The model that wrote most of it: small ones do side work."""
    used = get_object(result, "modelUsage")
    return max(
        used, key=lambda it: get_count(get_object(used, it), "outputTokens") or 0, default=""
    )


def _read_usage(usage: Any) -> Usage | None:
    """What was used; None where nothing is reported that can be true."""
    counts = get_counts(
        get_object(usage),
        *("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
        "output_tokens",
    )
    if counts is None or not any(counts):
        return None
    fresh, cached, cache_write, written = counts
    return Usage(
        input_tokens=fresh + cached + cache_write,
        output_tokens=written,
        cached_tokens=cached,
        cache_write_tokens=cache_write,
    )


def _read_end(error: ProgramFailed, result: dict[str, Any] | None) -> ProviderFailure:
    """Why the program has failed: what it says in JSON before what it says otherwise."""
    match error.kind:
        case "idle" | "ceiling":
            return ProviderFailure(error_class=error.kind, detail=_shorten(str(error)))
        case "missing":
            return ProviderFailure(error_class="connection", detail=_shorten(str(error)))
        case _ if result is not None:
            return _read_error(result)
        case _:
            return ProviderFailure(error_class=_classify(error.errors), detail=_shorten(str(error)))


def _read_error(result: dict[str, Any]) -> ProviderFailure:
    text = result.get("result")
    message = text if isinstance(text, str) and text else str(result.get("subtype", "no result"))
    return ProviderFailure(
        error_class=_classify(message),
        detail=_shorten(message),
        usage=_read_usage(result.get("usage")),
    )


def _classify(text: str) -> ErrorClass:
    plain = text.lower()
    for pattern, error_class in REASONS:
        if pattern.search(plain):
            return error_class
    return "program_failed"


def _shorten(text: str) -> str:
    return " ".join(text.split())[:MAX_DETAIL]
