"""Why a model did not answer, so that each caller can tell what to do without it."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models.call import Usage
from agents.models.coercion import Kept


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """One call that failed. ``status`` is that of HTTP, None where there was no answer."""

    provider: str
    model: str
    error_class: str
    status: int | None = None
    detail: str = ""


UNREACHABLE = frozenset(
    (
        "rate_limited",
        "overloaded",
        "provider_error",
        "timeout",
        "connection",
        "worker_unavailable",
    )
)
FOR_ANY_REQUEST = (401, 404)  # HTTP: the key or the model is refused, whatever was asked


class ModelError(Exception):
    """A model did not answer. ``code`` names the reason for programs.

    ``usage`` and ``cost_usd`` are those of all attempts until then, as in ``ModelAnswer``.
    """

    code = "model_failed"
    usage = Usage()
    cost_usd: float | None = 0.0

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
    """An answer cannot be used: also the repaired one is no JSON or does not satisfy the schema.

    ``kept`` is what of it satisfies the schema.
    """

    code = "model_answer_malformed"
    kept = Kept()


class AnswerCut(AnswerMalformed):
    """The answer ends before it is complete; the same question would be cut again."""

    code = "model_answer_cut"


class AnswerDeclined(AnswerMalformed):
    """The model declines to answer. It is not asked the same again."""

    code = "model_answer_declined"


class AnswerEmpty(AnswerMalformed):
    """There is no text in the answer, nor in a second one."""

    code = "model_answer_empty"


UNUSABLE: dict[str, type[AnswerMalformed]] = {
    "length": AnswerCut,
    "refusal": AnswerDeclined,
    "empty": AnswerEmpty,
    "malformed": AnswerMalformed,
}


class BudgetExceeded(ModelError):
    """The estimate of the call does not fit into what a hard budget has left; nobody was asked."""

    code = "budget_exceeded"


def is_nobody_there(error: ModelError) -> bool:
    """Whether any other request would fail now, too: nobody can be reached, or what is configured
    is refused. A budget concerns its project; what else was refused, the request alone.
    """
    match error:
        case AllProvidersFailed():
            return all(each.error_class in UNREACHABLE for each in error.attempts)
        case RequestRefused():
            return any(each.status in FOR_ANY_REQUEST for each in error.attempts)
        case _:
            return False
