"""One call of a language model: what is asked, what comes back, and who answers.

A request holds all that its answer may depend on, so that its hash names the recorded answer. Tools
are not a part of it: a model chooses one by an answer of the form ``{tool, args}``, since not every
server keeps to a choice that was asked for in another way.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from agents.models.families import family_of
from schemas.ids import sha256_hex

# ``draft`` writes what ``review`` judges: models of two families, see `agents.models.families`.
Tier = Literal["fast", "standard", "strong", "free", "research", "draft", "review"]
ROLES: tuple[Tier, ...] = ("draft", "review")


class Message(BaseModel):
    model_config = ConfigDict(frozen=True)

    role: Literal["system", "user", "assistant"]
    content: str


class ModelRequest(BaseModel):
    """What a model is asked, and for whom.

    ``answer_schema`` is a JSON Schema that the answer must satisfy, None for plain text. Put what
    stays the same from call to call first in ``messages``: providers charge less for a beginning
    that they have seen. ``occurrence`` tells equal requests of one run apart. Unless ``may_repair``
    an answer that cannot be used is not sent back: the caller asks in another way. ``models``
    narrows the tier to these ``provider/model`` names, in this order.
    """

    model_config = ConfigDict(frozen=True)

    tier: Tier
    prompt_version: str
    messages: tuple[Message, ...]
    answer_schema: dict[str, Any] | None = None
    max_output_tokens: int = Field(default=2_000, ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    occurrence: str = ""
    may_repair: bool = True
    models: tuple[str, ...] = ()

    project_id: str
    agent: str
    stage: str
    run_id: str | None = None
    workflow_id: str | None = None
    correlation_id: str | None = None

    @property
    def request_hash(self) -> str:
        """The name of the recorded answer: everything the answer may depend on, and the run."""
        asked = self.model_dump(
            mode="json",
            include={
                "tier",
                "prompt_version",
                "messages",
                "answer_schema",
                "max_output_tokens",
                "temperature",
                "occurrence",
                "project_id",
                "agent",
                "stage",
                "run_id",
            },
        )
        if self.models:  # without them the hash is the one that earlier records have
            asked["models"] = list(self.models)
        return sha256_hex(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode())


class Usage(BaseModel):
    """Tokens as the provider reported them; ``estimated``: it reported none, so they are ours.

    ``input_tokens`` includes those that were read from the provider's cache or written to it.
    """

    model_config = ConfigDict(frozen=True)

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            estimated=self.estimated or other.estimated,
        )


class ModelAnswer(BaseModel):
    """What a model answered. ``data`` is the parsed answer where the request has a schema.

    ``model`` is the one that served, which may not be the one asked for. ``attempts`` counts all
    calls behind it, also those that failed, and ``usage``, ``cost_usd`` and ``latency_ms`` sum over
    them. ``cost_usd`` None: a price is not known. ``counted_cost_usd`` is what a program of a
    subscription says that the call would have cost. ``fallback_used``: the first choice failed.
    """

    model_config = ConfigDict(frozen=True)

    call_id: str
    request_hash: str
    text: str
    data: Any = None
    provider: str
    model: str
    usage: Usage = Usage()
    cost_usd: float | None = None
    latency_ms: int = 0
    attempts: int = 1
    counted_cost_usd: float | None = None
    fallback_used: bool = False

    @property
    def family(self) -> str:
        """Whose model has answered."""
        return family_of(self.provider, self.model)


@dataclass(frozen=True, slots=True)
class Retracted:
    """A mark in a stream: forget all pieces before it. Their attempt failed, another begins."""


StreamPart = str | Retracted | ModelAnswer


class ChatModel(Protocol):
    """Who answers requests: recorded, within budgets, over all providers that are configured.

    Both raise the errors of ``agents.models.errors``.
    """

    async def complete(self, request: ModelRequest) -> ModelAnswer: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        """Pieces of the text as they come, then the whole answer, always last.

        Where an attempt breaks off and another one takes over, `Retracted` comes between: what was
        shown until then has to be taken back. Where none takes over it raises, and what came until
        then is no answer.
        """
        ...
