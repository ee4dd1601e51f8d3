"""The protocols in which a scripted provider answers; the path of a request says which."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Protocol

Usage = tuple[int, int, int]  # tokens in, out, and those of the first that were cached


class Dialect(Protocol):
    def whole(self, model: str, text: str, finish: str, usage: Usage | None) -> dict[str, Any]: ...

    def pieces(self, model: str, texts: Iterable[str], usage: Usage | None) -> list[bytes]:
        """The events of a stream up to its mark of the end."""
        ...

    def end(self, model: str, finish: str, usage: Usage | None) -> list[bytes]: ...


def dialect_of(path: str) -> Dialect:
    return Anthropic() if path.endswith("/messages") else OpenAI()


class OpenAI:
    def whole(self, model: str, text: str, finish: str, usage: Usage | None) -> dict[str, Any]:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return {**self._head("chat.completion", model), "choices": [choice], **self._usage(usage)}

    def pieces(self, model: str, texts: Iterable[str], usage: Usage | None) -> list[bytes]:
        return [self._event(model, {"content": text}) for text in texts]

    def end(self, model: str, finish: str, usage: Usage | None) -> list[bytes]:
        told = {**self._head("chat.completion.chunk", model), "choices": [], **self._usage(usage)}
        last = [_line(told)] if usage is not None else []
        return [self._event(model, {}, finish), *last, b"data: [DONE]\n\n"]

    def _event(self, model: str, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _line({**self._head("chat.completion.chunk", model), "choices": [choice]})

    def _head(self, kind: str, model: str) -> dict[str, Any]:
        return {"id": "scripted", "object": kind, "created": 1_790_000_000, "model": model}

    def _usage(self, usage: Usage | None) -> dict[str, Any]:
        if usage is None:
            return {}
        read, written, cached = usage
        counted = {"prompt_tokens": read, "completion_tokens": written}
        details = {"prompt_tokens_details": {"cached_tokens": cached}}
        return {"usage": {**counted, "total_tokens": read + written, **details}}


class Anthropic:
    """It counts cached tokens apart, and tells of those it has read when a stream begins."""

    def whole(self, model: str, text: str, finish: str, usage: Usage | None) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        told = {**self._read(usage), **self._written(usage)}
        return {**self._head(model), "content": content, "stop_reason": "end_turn", "usage": told}

    def pieces(self, model: str, texts: Iterable[str], usage: Usage | None) -> list[bytes]:
        message = {**self._head(model), "content": [], "usage": self._read(usage)}
        block = {"type": "text", "text": ""}
        return [
            _named_line("message_start", message=message),
            _named_line("content_block_start", index=0, content_block=block),
            *(
                _named_line(
                    "content_block_delta", index=0, delta={"type": "text_delta", "text": text}
                )
                for text in texts
            ),
        ]

    def end(self, model: str, finish: str, usage: Usage | None) -> list[bytes]:
        delta = {"stop_reason": "end_turn", "stop_sequence": None}
        return [
            _named_line("content_block_stop", index=0),
            _named_line("message_delta", delta=delta, usage=self._written(usage)),
            _named_line("message_stop"),
        ]

    def _head(self, model: str) -> dict[str, Any]:
        return {"id": "scripted", "type": "message", "role": "assistant", "model": model}

    def _read(self, usage: Usage | None) -> dict[str, int]:
        read, _, cached = usage or (0, 0, 0)
        return {
            "input_tokens": read - cached,
            "cache_read_input_tokens": cached,
            "output_tokens": 0,
        }

    def _written(self, usage: Usage | None) -> dict[str, int]:
        return {"output_tokens": (usage or (0, 0, 0))[1]}


def _line(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def _named_line(event: str, **data: Any) -> bytes:
    return f"event: {event}\n".encode() + _line({"type": event, **data})
