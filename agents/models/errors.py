"""Why a model did not answer, so that each caller can tell what to do without it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """One call that failed. ``status`` is that of HTTP, None where there was no answer."""

    provider: str
    model: str
    error_class: str
    status: int | None = None
    detail: str = ""


class ModelError(Exception):
    """A model did not answer. ``code`` names the reason for programs."""

    code = "model_failed"

    def __init__(self, message: str, attempts: tuple[FailedAttempt, ...] = ()) -> None:
        super().__init__(message)
        self.attempts = attempts


class AllProvidersFailed(ModelError):
    """No provider could be reached or was able to answer, or none is configured. Rules take over
    where they can.
    """

    code = "all_providers_failed"


class RequestRefused(ModelError):
    """A provider refuses the request itself (HTTP 400, 401, 403, 404, 422, content): no other one
    is asked.
    """

    code = "model_request_refused"


class AnswerMalformed(ModelError):
    """Also the repaired answer is no JSON or does not satisfy the schema."""

    code = "model_answer_malformed"


class BudgetExceeded(ModelError):
    """The estimate of the call does not fit into what a hard budget has left; nobody was asked."""

    code = "budget_exceeded"
