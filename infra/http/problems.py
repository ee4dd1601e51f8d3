"""Errors as `application/problem+json`, and the correlation id of every request.

An answer never repeats what was sent: it may hold secrets, or characters that JSON cannot carry.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import structlog
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound, Refusal, Unavailable
from infra.platform.log import get
from infra.platform.machine_paths import hide_paths

MEDIA_TYPE = "application/problem+json"
CORRELATION = "x-correlation-id"
CORRELATION_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
RETRY_AFTER_S = 5
HIDE = "hide"  # of the application's state: what hides paths of this installation
LENGTH_AMBIGUOUS = "length_ambiguous"
MOST_PROBLEMS = 10  # of one body that are named

log = get("http")


class Unauthenticated(Refusal):
    """The request has no token that is valid."""

    code = "unauthenticated"


class TooManyRequests(Refusal):
    """The caller asks faster than it may."""

    code = "too_many_requests"


class BodyTooLarge(Refusal):
    """The body has more bytes than the route takes."""

    code = "body_too_large"


class UnsupportedMedia(Refusal):
    """The body is of a media type that the route does not take."""

    code = "media_type_not_supported"


class TooSlow(Refusal):
    """The body does not come in time."""

    code = "body_too_slow"


class Malformed(Refusal):
    """The request is no request of this API, whatever it asks for."""

    code = "malformed_request"


class NotOffered(Refusal):
    """This service cannot do it at all."""

    code = "not_offered"


STATUS: tuple[tuple[type[Refusal], int], ...] = (
    (Unauthenticated, 401),
    (TooManyRequests, 429),
    (BodyTooLarge, 413),
    (UnsupportedMedia, 415),
    (TooSlow, 408),
    (Malformed, 400),
    (NotFound, 404),
    (Conflict, 409),
    (Forbidden, 403),
    (Invalid, 422),
    (Unavailable, 503),
    (NotOffered, 501),
    (Refusal, 409),
)
CODES = {
    400: "malformed_request",
    404: "unknown_path",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "media_type_not_supported",
}
FAULT = "Something went wrong that should not: report the correlation id."
MESSAGES = {
    404: "There is nothing at this path: `/docs` lists the paths that there are.",
    413: "The body is too large: `GET /v1/capabilities` names the limit.",
}


class Problem(BaseModel):
    """Why a request was not done. ``code`` is stable; ``message`` is for people."""

    type: str = Field(description="A name for the kind of problem; no page to fetch.")
    title: str
    status: int
    detail: dict[str, Any] = Field(description="Plain values that belong to the code.")
    code: str = Field(description="Stable. `x-problem-codes` lists those that there are.")
    message: str
    correlation_id: str


def problem_of(error: Exception, request: Request) -> tuple[Problem, dict[str, str]]:
    """The problem that ``error`` is, and the headers that go with it. It names no path of ours."""
    problem, headers = _problem_of(error, correlation_of(request.scope))
    hide = getattr(request.app.state, HIDE, hide_paths)
    return (
        problem.model_copy(
            update={
                "message": hide(problem.message),
                "detail": replace_texts(problem.detail, hide),
            }
        ),
        headers,
    )


def status_of(error: Exception) -> int:
    """The status with which ``error`` is answered."""
    return _problem_of(error, "")[0].status


def code_of(error: Exception) -> str:
    return _problem_of(error, "")[0].code


def _problem_of(error: Exception, correlation_id: str) -> tuple[Problem, dict[str, str]]:
    match error:
        case RequestValidationError():
            return _of_validation(error, correlation_id), {}
        case HTTPException():
            status = error.status_code
            code = CODES.get(status, "malformed_request")
            headers = dict(error.headers or {})
            message = MESSAGES.get(status, f"{HTTPStatus(status).phrase}.")
            if status == 405:
                message = f"This path does not take this method: it takes {headers['Allow']}."
            return _problem(status, code, message, {}, correlation_id), headers
        case Refusal():
            status = next(status for kind, status in STATUS if isinstance(error, kind))
            return (
                _problem(status, error.code, str(error), error.detail, correlation_id),
                _headers(status, error.code),
            )
        case _:
            return _problem(500, "internal_error", FAULT, {}, correlation_id), {}


def respond(request: Request, error: Exception) -> Response:
    """The answer to a request that was not done."""
    problem, headers = problem_of(error, request)
    return Response(
        problem.model_dump_json(),
        problem.status,
        headers | {"cache-control": "no-store"},
        MEDIA_TYPE,
    )


def respond_with(
    request: Request, status: int, code: str, message: str, headers: dict[str, str]
) -> Response:
    """The answer to a request that was refused for a reason of its own."""
    problem = _problem(status, code, message, {}, correlation_of(request.scope))
    return Response(
        problem.model_dump_json(), status, headers | {"cache-control": "no-store"}, MEDIA_TYPE
    )


def correlation_of(scope: Scope) -> str:
    """The id that the log lines, events and answers of a request share."""
    return str(scope.get("state", {}).get("correlation_id", ""))


class Correlate:
    """Outermost: gives each request an id, answers what nobody has caught, and says of every answer
    that browsers neither guess its type nor keep it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        correlation_id = _given_id(scope) or secrets.token_hex(16)
        scope.setdefault("state", {})["correlation_id"] = correlation_id
        begun = False

        async def tell(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers[CORRELATION] = correlation_id
                headers["x-content-type-options"] = "nosniff"
                # Answers hold what a project says; only files of the console may be kept.
                headers.setdefault("cache-control", "no-store")
            await send(message)

        with structlog.contextvars.bound_contextvars(correlation_id=correlation_id):
            try:
                await self._app(scope, receive, tell)
            except (ClientDisconnect, ConnectionError):  # there is nobody to answer
                log.info("http.client_gone", path=scope["path"])
            except Exception as error:
                if not isinstance(error, Refusal):
                    log.exception("http.failed", path=scope["path"])
                if begun:
                    raise
                await respond(Request(scope), error)(scope, receive, tell)


def _given_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == CORRELATION.encode():
            text = value.decode("latin-1")
            return text if CORRELATION_ID.fullmatch(text) else ""
    return ""


def _of_validation(error: RequestValidationError, correlation_id: str) -> Problem:
    found = [
        {"place": [str(part)[:80] for part in each["loc"]], "problem": str(each["msg"])[:200]}
        for each in error.errors()[:MOST_PROBLEMS]
    ]
    first = found[0] if found else {"place": [], "problem": "it is malformed"}
    place = ".".join(first["place"])
    message = f"The request cannot be used: {place}: {first['problem']}."
    return _problem(422, "invalid_request", message, {"problems": found}, correlation_id)


def _problem(status: int, code: str, message: str, detail: Any, correlation_id: str) -> Problem:
    return Problem(
        type=f"urn:cairn:problem:{code}",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=_plain(detail),
        code=code,
        message=_plain(message),
        correlation_id=correlation_id,
    )


def _plain(value: Any) -> Any:
    """``value`` as JSON can carry it: times and ids as text, no lone surrogates."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return json.loads(text.encode("utf-8", "replace"))


def replace_texts(value: Any, change: Callable[[str], str]) -> Any:
    """``value`` with each text in it changed."""
    match value:
        case str():
            return change(value)
        case dict():
            return {name: replace_texts(each, change) for name, each in value.items()}
        case list():
            return [replace_texts(each, change) for each in value]
        case _:
            return value


def _headers(status: int, code: str) -> dict[str, str]:
    if status == 408 or code == LENGTH_AMBIGUOUS:  # nobody knows where the next request begins
        return {"connection": "close"}
    if status == 401:
        return {"www-authenticate": 'Bearer realm="cairn"'}
    if status in (429, 503):
        return {"retry-after": str(RETRY_AFTER_S if status == 503 else 1)}
    return {}


def is_expected(error: Exception) -> bool:
    """Whether ``error`` is an answer, and no bug."""
    return isinstance(error, Refusal | RequestValidationError | HTTPException)
