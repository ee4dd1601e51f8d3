"""Parameters that many routes share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field

from infra.http.problems import MEDIA_TYPE
from projections.read.page import LARGEST_PAGE, PAGE

Cursor = Annotated[
    str | None, Query(max_length=4_000, description="`next_cursor` of the page before.")
]
Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="Most items of the page.")]
DEFAULT_LIMIT = PAGE

Project = Annotated[str, Path(description="Id of the project (prj_…).")]
View = Annotated[
    Literal["whole", "slim"],
    Query(description="`slim`: what is long is not read and stays empty; the route says what."),
]
UpdatedSince = Annotated[
    str | None,
    Query(
        max_length=64,
        description="Only what has changed after this: an ISO 8601 time with its offset, or the"
        " sequence number of a change set.",
        examples=["2026-05-01T12:00:00Z"],
    ),
]
Named = Annotated[str | None, Query(max_length=200)]
Glob = Annotated[str | None, Query(max_length=1_000, description="A glob over paths: `docs/*`.")]
Day = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Id = Annotated[str, Field(max_length=100)]
Title = Annotated[str, Field(min_length=1, max_length=200)]
Sentences = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=5_000)]], Field(max_length=50)
]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]
Seen = Annotated[int, Query(ge=1, le=2**31 - 1, description="The version that you have seen.")]
Wait = Annotated[bool, Query(description="Answer when it is done, for some seconds.")]
Sequence = Annotated[int, Query(ge=0, le=2**63 - 1)]

_MEANING = {
    400: "The request is malformed.",
    401: "There is no valid token.",
    403: "The role of the token may not do this.",
    404: "There is no such thing, or the token may not see it.",
    408: "The body did not come in time.",
    409: "It does not fit the state that things are in.",
    413: "The body is too large.",
    415: "The body is not of a media type that this takes.",
    422: "What was given is out of range or does not fit together.",
    429: "The token asks too fast, or too much at once.",
    500: "A fault of the service.",
    503: "Broker or database do not answer.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers of a route that are problems, for its documentation."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _MEANING[status], "content": content} for status in statuses}


OF_ANY = problems(400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503)
