"""Answers that are problems, as the errors that the service itself raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from infra.platform.errors import (
    BrokerUnavailable,
    Conflict,
    DatabaseUnavailable,
    Forbidden,
    Invalid,
    NotFound,
    Refusal,
    Unavailable,
)

MEDIA_TYPE = "application/problem+json"
BY_STATUS: Mapping[int, type[Refusal]] = {
    400: Invalid,
    401: Forbidden,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: Invalid,
    422: Invalid,
    429: Unavailable,
    503: Unavailable,
}
BY_CODE: Mapping[str, type[Refusal]] = {
    kind.code: kind for kind in (BrokerUnavailable, DatabaseUnavailable)
}


def error_of(response: httpx.Response) -> Refusal:
    """The error that an answer tells: with its code, its message and its detail."""
    problem = _read_problem(response)
    if problem is None:
        return _foreign(response)
    code, message = str(problem["code"]), str(problem["message"])
    if response.status_code >= 500 and response.status_code != 503:
        message += f" (correlation id {problem.get('correlation_id')})"
    kind = BY_CODE.get(code) or BY_STATUS.get(response.status_code, Refusal)
    return kind(message, code=code, detail=problem.get("detail") or {})


def unreachable(url: httpx.URL, error: httpx.TransportError) -> Unavailable:
    """Nobody answers there, or the connection broke each time."""
    return Unavailable(
        f"The service at {_place_of(url)} does not answer ({_reason_of(error)}).",
        code="service_unreachable",
    )


def _read_problem(response: httpx.Response) -> dict[str, Any] | None:
    if not response.headers.get("content-type", "").startswith(MEDIA_TYPE):
        return None
    try:
        problem = response.json()
    except ValueError:
        return None
    named = isinstance(problem, dict) and {"code", "message"} <= problem.keys()
    return problem if named else None


def _foreign(response: httpx.Response) -> Refusal:
    """An answer that no service of ours has given: of a proxy, or of something else."""
    place, status = _place_of(response.url), response.status_code
    if status >= 500:
        return Unavailable(
            f"The service behind {place} does not answer: {status} {response.reason_phrase}.",
            code="service_unreachable",
        )
    return Refusal(
        f"{place} answers {status} {response.reason_phrase} and is no Cairn service of this"
        " version: check its address.",
        code="no_such_service",
    )


def _place_of(url: httpx.URL) -> str:
    return str(url.copy_with(path="/", query=None, fragment=None, userinfo=b"")).rstrip("/")


def _reason_of(error: httpx.TransportError) -> str:
    return " ".join(str(error).split()) or type(error).__name__
