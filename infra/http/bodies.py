"""Refuse what no use case can store or what costs too much to read: NUL, lone surrogates, numbers
beyond 64 bits, depth, and more values than a request of its length needs.

A body of many small values takes forty times its length as objects. So the values are counted
before any is made, and what is long is counted and parsed in a thread, piece by piece.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request

from infra.http.problems import Malformed
from infra.http.receiving import receive_body
from infra.platform.errors import Invalid
from infra.platform.loop import in_thread

KIB, MIB = 1024, 1024 * 1024
MAX_BODY_BYTES = 32 * MIB  # of documents and archives
BODY_BYTES = 1_536 * KIB  # of a write: 100,000 characters, each as up to 12 bytes
QUESTION_BYTES = 128 * KIB  # of what only asks
UNKNOWN_BYTES = 16 * KIB  # of somebody without a token
LARGEST, SMALLEST = 2**63 - 1, -(2**63)
DEEPEST = 64
MOST_VALUES = 20_000  # names count too
SHORT_BYTES = 16 * KIB  # is read at once, which takes less than a thread does
WINDOW_BYTES = 64 * KIB  # a match holds the interpreter for as long as it takes
_MARK = re.compile(rb'["\[\]{},]')
_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)  # of a window
_OPENING, _CLOSING, _QUOTE = frozenset(b"[{"), frozenset(b"]}"), ord('"')


def check_text(request: Request) -> None:
    """Raises Malformed for a NUL in path or query."""
    query = request.scope["query_string"]
    if "\0" in request.scope["path"] or b"\0" in query or b"%00" in query:
        raise Malformed("Path and query hold no NUL character.", code="nul_not_allowed")


async def check_body(request: Request, most_bytes: int) -> None:
    """The body has come, and routes find it in ``request``.

    Raises Malformed for what is no JSON, Invalid for what cannot be stored, and as `receive_body`.
    """
    if request.headers.get("content-encoding", "identity") != "identity":
        raise Malformed("Send the body without Content-Encoding.", code="encoding_not_allowed")
    body = await receive_body(request, most_bytes)
    if not body or not _is_json(request):
        return
    value = (
        read_json(body) if len(body) <= SHORT_BYTES else await in_thread(lambda: read_json(body))
    )
    request._json = value  # else `Request.json` would parse it again, on the loop


def read_json(body: bytes) -> Any:
    """Raises Malformed for what is no JSON, Invalid for what cannot be stored."""
    check_shape(body)
    try:
        value = json.loads(body, parse_int=_parse_int, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, RecursionError):
            raise _too_deep() from error
        raise Malformed("The body is no JSON.", code="json_invalid") from error
    _check(value)
    return value


def check_shape(body: bytes) -> None:
    """Counts values and depth without making any. Raises Invalid.

    Of what is no JSON it may count anything; in UTF-16 or -32 it would see no text, so these are
    refused as no JSON (RFC 8259, section 8.1).
    """
    if b"\0" in body[:4]:
        raise Malformed("The body is no JSON in UTF-8.", code="json_invalid")
    depth = 0
    for count, mark in enumerate(_marks(body), 1):
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        if depth > DEEPEST:
            raise _too_deep()
        if count > 2 * MOST_VALUES:  # a value has a comma or a bracket beside it
            raise Invalid(
                f"The body holds more than {MOST_VALUES:,} values: send it in parts.",
                code="too_many_values",
            )


def _marks(body: bytes) -> Iterator[int]:
    """What opens, closes and separates values; a text is one mark, whatever it says."""
    place = 0
    while place < len(body):
        end = place + WINDOW_BYTES
        found = _MARK.search(body, place, end)
        if found is None:
            place = end
            continue
        place = found.end()
        yield (mark := body[found.start()])
        if mark == _QUOTE:
            place = _end_of_text(body, place)


def _end_of_text(body: bytes, place: int) -> int:
    while place < len(body):
        found = _TEXT.match(body, place, place + WINDOW_BYTES)
        place = found.end() if found else place
        if body[place : place + 1] == b'"':
            return place + 1
        if found is None or found.end() == found.start():
            return len(body)  # a lone backslash is the last byte
    return len(body)


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
