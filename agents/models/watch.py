"""Who sees every call of a provider before and after it is made: budgets, costs, records.

The loop over providers calls ``find`` once for a request, then for each attempt ``reserve``, the
provider, and ``settle``; at the end ``record`` once with the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from agents.models.call import Message, ModelAnswer, ModelRequest, Usage

CallResult = Literal["answered", "malformed", "failed", "refused", "cancelled"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of one provider. ``number`` counts from 1 over all attempts of a request.

    ``fallback_from`` is the ``provider/model`` that failed before, where this one stands in for it,
    ``fallback_reason`` the class of its error. ``repair`` is sent after the messages of the
    request: an answer that was malformed, and what is wrong with it.
    """

    request: ModelRequest
    provider: str
    model: str
    number: int
    is_local: bool = False
    fallback_from: str | None = None
    fallback_reason: str = ""
    repair: tuple[Message, ...] = ()
    timeout_s: float | None = None  # of the call, where it is not that of all calls


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended. ``served_model`` is what the provider names in its answer.

    ``usage`` is what has to be paid also where the answer was of no use; the raw ``text`` is kept
    for audit.
    """

    result: CallResult
    usage: Usage
    served_model: str
    latency_ms: int
    text: str = ""
    error_class: str = ""
    status: int | None = None
    counted_cost_usd: float | None = None  # see `ModelAnswer`


class CallWatch(Protocol):
    async def find(self, request: ModelRequest) -> ModelAnswer | None:
        """The recorded answer to this very request, or None."""
        ...

    async def reserve(self, attempt: Attempt, estimate: Usage) -> str:
        """The id of the call, with its estimated cost set aside. Raises BudgetExceeded."""
        ...

    async def settle(self, call_id: str, attempt: Attempt, outcome: Outcome) -> float | None:
        """Replace what was set aside by the cost in US dollars, and tell of the call; None where
        the price is not known. It logs what it raises: the caller may have been cancelled.
        """
        ...

    async def record(self, request: ModelRequest, answer: ModelAnswer) -> None:
        """Keep the answer under the hash of its request, acknowledged before it is used."""
        ...
