"""Calls of language models: what each cost, what was asked and answered, and the recorded answers.

A call happens outside, so its id is drawn, and it has one record, however it ended. An answer is
kept under the hash of its request, for as long as the log: a replay reads it and calls nobody.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part

CallOutcome = Literal[
    "answered", "malformed", "failed", "refused", "cancelled", "lost", "budget_exceeded"
]


class ModelCall(Part):
    """One call of one provider.

    ``model`` is the one that served, ``requested_model`` the one that was asked for. ``cost_usd``
    None: its price is not known (``price_known``). ``input_tokens`` includes those of the
    provider's cache. ``outcome`` lost: nobody knows how the call ended, and it counts as what was
    set aside for it. ``status`` is that of HTTP. ``fallback_from`` is the provider/model that
    failed before.
    """

    call_id: str
    agent: str
    stage: str
    run_id: str | None = None
    workflow_id: str | None = None
    provider: str
    model: str
    requested_model: str
    tier: str
    prompt_version: str
    attempt: int
    fallback_from: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    usage_estimated: bool = False
    cost_usd: float | None = None
    price_known: bool = False
    latency_ms: int = 0
    outcome: CallOutcome
    error_class: str = ""
    status: int | None = None
    request_hash: str


class CallEvent(Event):
    """What becomes of a call. Topic ``llm.call.v1``, key ``project_id``; natural key: the call."""

    topic: ClassVar[str] = "llm.call.v1"
    stable_key: ClassVar[bool] = True

    call: ModelCall

    @property
    def aggregate_id(self) -> str:
        return self.call.call_id

    @property
    def local_key(self) -> str:
        return self.call.call_id


class CallCompleted(CallEvent):
    """A provider answered; ``malformed`` is an answer too, and is paid for."""

    type_name: ClassVar[str] = "llm.call_completed"


class CallFailed(CallEvent):
    """A provider did not answer."""

    type_name: ClassVar[str] = "llm.call_failed"


class CallOverBudget(CallEvent):
    """A call was not made, since its estimate does not fit into a budget.

    ``limit`` and ``spent`` are US dollars or tokens, by ``unit``; ``spent`` includes what is set
    aside for calls that still run. ``estimate`` None: nobody knows the price.
    """

    type_name: ClassVar[str] = "llm.budget_exceeded"

    scope: str
    unit: Literal["usd", "tokens"]
    limit: float
    spent: float
    estimate: float | None


class FallbackUsed(Event):
    """Another model was asked, since one failed. ``reason`` is the class of its error."""

    type_name: ClassVar[str] = "llm.fallback_used"
    topic: ClassVar[str] = "llm.call.v1"
    stable_key: ClassVar[bool] = True

    call_id: str
    request_hash: str
    agent: str
    from_model: str
    to_model: str
    reason: str

    @property
    def aggregate_id(self) -> str:
        return self.call_id

    @property
    def local_key(self) -> str:
        return self.call_id


class PayloadRecorded(Event):
    """The rendered prompt of a call and its raw answer, for audit; forgotten after 90 days."""

    type_name: ClassVar[str] = "llm.payload_recorded"
    topic: ClassVar[str] = "llm.payload.v1"
    stable_key: ClassVar[bool] = True

    call_id: str
    prompt: str
    response: str

    @property
    def aggregate_id(self) -> str:
        return self.call_id

    @property
    def local_key(self) -> str:
        return self.call_id


class AnswerRecorded(Event):
    """The answer to a request, as it was used. ``answer`` is JSON; natural key: the request's hash,
    so that of two answers to one request the first counts.
    """

    type_name: ClassVar[str] = "llm.answer_recorded"
    topic: ClassVar[str] = "llm.answer.v1"
    stable_key: ClassVar[bool] = True

    request_hash: str
    answer: str

    @property
    def aggregate_id(self) -> str:
        return self.request_hash

    @property
    def local_key(self) -> str:
        return self.request_hash


CALL_FACTS: tuple[type[Event], ...] = (
    CallCompleted,
    CallFailed,
    FallbackUsed,
    CallOverBudget,
    PayloadRecorded,
    AnswerRecorded,
)
