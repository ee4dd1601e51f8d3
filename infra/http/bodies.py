"""Refuse what no use case can store: NUL, lone surrogates, numbers beyond 64 bits, depth."""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.requests import Request

from infra.errors import Invalid
from infra.http.problems import Malformed

MAX_BODY_BYTES = 32 * 1024 * 1024
LARGEST, SMALLEST = 2**63 - 1, -(2**63)
DEEPEST = 64


def check_text(request: Request) -> None:
    """Raises Malformed for a NUL in path or query."""
    query = request.scope["query_string"]
    if "\0" in request.scope["path"] or b"\0" in query or b"%00" in query:
        raise Malformed("Path and query hold no NUL character.", code="nul_not_allowed")


async def check_body(request: Request) -> None:
    """Raises Malformed for what is no JSON, Invalid for what cannot be stored."""
    if request.headers.get("content-encoding", "identity") != "identity":
        raise Malformed("Send the body without Content-Encoding.", code="encoding_not_allowed")
    if not _is_json(request) or not (body := await request.body()):
        return
    try:
        value = json.loads(body, parse_int=_parse_int, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, RecursionError):
            raise _too_deep() from error
        raise Malformed("The body is no JSON.", code="json_invalid") from error
    _check(value)


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )


def _check(value: Any) -> None:
    """Walks the value level by level: depth costs no recursion."""
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for each in level:
            match each:
                case str():
                    _check_string(each)
                case float():
                    if not math.isfinite(each):
                        raise _number()
                case dict():
                    for name in each:
                        _check_string(name)
                    below += each.values()
                case list():
                    below += each
        if not below:
            return
        level = below
    raise _too_deep()


def _check_string(text: str) -> None:
    if "\0" in text:
        raise Invalid("A text holds no NUL character.", code="nul_not_allowed")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid("A text holds half of a surrogate pair.", code="lone_surrogate") from error


def _parse_int(digits: str) -> int:
    """Without the work of long numbers."""
    if len(digits) > 20 or not SMALLEST <= (number := int(digits)) <= LARGEST:
        raise _number()
    return number


def _refuse_constant(name: str) -> None:
    raise Malformed(f"{name} is no JSON.", code="json_invalid")


def _number() -> Invalid:
    return Invalid("A number is beyond 64 bits.", code="number_too_large")


def _too_deep() -> Invalid:
    return Invalid(f"The body is nested deeper than {DEEPEST} levels.", code="nested_too_deep")
