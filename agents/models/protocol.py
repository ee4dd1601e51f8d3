"""What passes between the model worker and who asks it: lines of JSON over a loopback socket.

A connection serves one call. The caller sends one line; the worker answers with any number of
pieces and one line that ends it. The caller closes the connection to cancel the call.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from agents.models.call import Message, Usage

MAX_FRAME_BYTES = 8 * 1024 * 1024  # a line: more than any window of a model holds as text

ErrorClass = Literal[
    "rate_limited",
    "overloaded",
    "provider_error",
    "timeout",
    "connection",
    "half_stream",
    "bad_body",
    "refused",
    "content_refused",
    "worker_unavailable",
    "idle",  # of a program, as are the following
    "ceiling",
    "program_failed",
]


class ProviderCall(BaseModel):
    """One call of one provider. The worker adds address and key of the provider."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    messages: tuple[Message, ...]
    answer_schema: dict[str, Any] | None = None
    max_output_tokens: int
    temperature: float = 0.0
    timeout_s: float = 120.0


class ProviderAnswer(BaseModel):
    """``usage`` None: the provider reported none. ``served_model`` is the name in its answer,
    ``refusal`` what a model says that declines to answer. ``counted_cost_usd`` is what a program
    counts, though a subscription pays.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    served_model: str
    usage: Usage | None = None
    finish: str = "stop"
    refusal: str = ""
    counted_cost_usd: float | None = None


ProviderPart = str | ProviderAnswer  # of a stream: pieces of the text, then the whole answer


class ProviderFailure(BaseModel):
    """``status`` is that of HTTP, ``retry_after`` the header as it came. ``usage`` is what the
    provider reported all the same, as for an answer that it has filtered.
    """

    model_config = ConfigDict(frozen=True)

    error_class: ErrorClass
    status: int | None = None
    detail: str = ""
    retry_after: str | None = None
    usage: Usage | None = None


class CallFrame(BaseModel):
    """The line of a caller. ``stream`` sends pieces; ``models`` lists what ``provider`` has."""

    token: str
    do: Literal["ask", "stream", "models"]
    call: ProviderCall | None = None
    provider: str = ""


class ReplyFrame(BaseModel):
    """A line of the worker; just one field is set."""

    piece: str | None = None
    answer: ProviderAnswer | None = None
    failure: ProviderFailure | None = None
    models: tuple[str, ...] | None = None


class ProviderFailed(Exception):
    """A provider did not answer, or not with an answer."""

    def __init__(self, failure: ProviderFailure) -> None:
        super().__init__(failure.detail or failure.error_class)
        self.failure = failure


class WorkerUnavailable(Exception):
    """The model worker does not run or does not answer: all providers are away."""


def encode_frame(frame: BaseModel) -> bytes:
    """The frame as one line. Raises ValueError when it is too large."""
    line = frame.model_dump_json(exclude_none=True).encode() + b"\n"
    if len(line) > MAX_FRAME_BYTES:
        raise ValueError(f"{len(line):,} bytes are more than a call of a model may have")
    return line
