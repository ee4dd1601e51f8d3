"""Refuse what a route does not take, before anything is done: parameters that it does not know, and
bodies of another media type.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from fastapi.dependencies.models import Dependant
from starlette.requests import Request

from infra.http.problems import UnsupportedMedia
from infra.platform.errors import Invalid

MOST_NAMED, LONGEST_NAME = 10, 80


def list_parameters(dependant: Dependant) -> Iterator[str]:
    """The names of the query parameters of a route."""
    for field in dependant.query_params:
        yield field.alias
    for inner in dependant.dependencies:
        yield from list_parameters(inner)


def check_parameters(request: Request, known: Collection[str]) -> None:
    """Raises Invalid for a query parameter that the route does not have: a misspelt filter would
    otherwise answer with everything.
    """
    given = dict.fromkeys(request.query_params)
    unknown = [shorten_name(name) for name in given if name not in known][:MOST_NAMED]
    if unknown:
        takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
        raise Invalid(
            f"This operation has no query parameter {', '.join(unknown)}: {takes}.",
            code="unknown_parameter",
            detail={"unknown": unknown, "known": sorted(known)},
        )


def shorten_name(name: str) -> str:
    """A name as an answer may repeat it: printable and short."""
    shown = "".join(each if each.isprintable() else "?" for each in name)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + "…"


def takes_only_json(body: Any) -> bool:
    """Whether a route takes its body as JSON and in no other form."""
    return str(getattr(body, "media_type", "")) == "application/json"


def check_media_type(request: Request) -> None:
    """Raises UnsupportedMedia for a body that is not sent as JSON."""
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind.startswith("application/") and kind.endswith(("/json", "+json"))
    if not is_json:
        raise UnsupportedMedia("Send the body as JSON: `Content-Type: application/json`.")
