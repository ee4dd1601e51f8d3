"""Parses the body of a delivery into JSON that is safe to walk."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

MAX_BODY_BYTES = 5 * 1024 * 1024  # encrypted it must fit the topic's 8 MiB; polls read longer ones
MAX_DEPTH = 64  # GitHub's deepest recorded payload has 8 levels


class Malformed(ValueError):
    """The bytes are no JSON object that we accept. The message shows none of them."""


def parse_json(body: bytes) -> dict[str, Any]:
    """The JSON object in ``body``. Raises Malformed.

    Also refused: more than 64 levels, NaN and infinite numbers, invalid Unicode.
    """
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON ({type(error).__name__})") from None
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    _check(value)
    return value


def json_of(body: bytes, content_type: str) -> bytes:
    """The JSON of a delivery; GitHub may send it as a form field."""
    if not content_type.lower().startswith("application/x-www-form-urlencoded"):
        return body
    try:
        fields = parse_qs(body.decode("ascii"), strict_parsing=True, max_num_fields=8)
        (payload,) = fields["payload"]
    except (ValueError, KeyError):
        raise Malformed("a form without one field `payload`") from None
    return payload.encode("utf-8", "surrogatepass")


def _no_number(name: str) -> float:
    raise ValueError(name)


def _check(value: Any) -> None:
    """Level by level: recursion would let the sender choose the depth of our stack."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below.extend(each)
                below.extend(each.values())
            elif isinstance(each, list):
                below.extend(each)
            elif isinstance(each, str) and not _is_unicode(each):
                raise Malformed("text that is not valid Unicode")
        if not below:
            return
        level = below
    raise Malformed(f"nested deeper than {MAX_DEPTH} levels")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
